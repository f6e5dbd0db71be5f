import type { ShownFinding } from '../admin/operation/findings.ts'
import type { RecordName } from '../admin/operations.ts'
import { type Html, html } from '../pages/html.ts'
import { badge, text } from './pages/parts.ts'
import { inWords, labelOf } from './record-form.ts'

/** Findings of lint about a record: each in words, and then what scripts call the field. */
export const adviceList = (record: RecordName, found: readonly ShownFinding[]): Html =>
  html`<ul>${found.map(
    ({ level, field, detail }) =>
      html`<li>${badge(level === 'error' ? 'refused' : 'look at it', level === 'error' ? 'bad' : 'warn')} ${sentence(record, field, detail)}</li>\n`,
  )}</ul>`

function sentence(record: RecordName, field: string, detail: string): Html {
  if (!detail.startsWith(field)) return html`${text(inWords(record, detail))}`
  const [label, rest] = [labelOf(record, field), inWords(record, detail.slice(field.length))]
  if (label === field) return html`<code>${field}</code>${text(rest)}`
  return html`<b>${label}</b>${text(rest)} <code class="quiet">${field}</code>`
}
