import type { ShownFinding } from '../../admin/operation/findings.ts'
import type { RecordName } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { panel } from '../pages/panel.ts'
import { badge, text } from '../pages/parts.ts'
import { labelOf } from '../record-form.ts'

/** What to look at in a record. */
export function adviceOf(found: readonly ShownFinding[], record: RecordName = 'client'): Html {
  const said = found.map(
    ({ level, field, detail }) =>
      html`<li>${badge(level === 'error' ? 'refused' : 'look at it', level === 'error' ? 'bad' : 'warn')} ${text(inWords(record, field, detail))}</li>\n`,
  )
  return panel(
    { title: 'Advice', count: found.length === 0 ? undefined : String(found.length) },
    found.length === 0 ? html`<p>None: its settings are fine.</p>` : html`<ul>${said}</ul>`,
  )
}

/** Returns a finding with the label of its field, which begins with the name of it. */
const inWords = (record: RecordName, field: string, detail: string): string =>
  detail.startsWith(field) ? `${labelOf(record, field)} (${field})${detail.slice(field.length)}` : detail
