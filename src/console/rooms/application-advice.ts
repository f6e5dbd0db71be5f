import type { ShownFinding } from '../../admin/operation/findings.ts'
import type { RecordName } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { adviceList } from '../advice.ts'
import { panel } from '../pages/panel.ts'

/** What to look at in a record. */
export const adviceOf = (found: readonly ShownFinding[], record: RecordName = 'client'): Html =>
  panel(
    { title: 'Advice', count: found.length === 0 ? undefined : String(found.length) },
    found.length === 0 ? html`<p>None: its settings are fine.</p>` : adviceList(record, found),
  )
