import { detailLines } from '../../admin/access/detail-lines.ts'
import type { ShownDetails } from '../../admin/access/details.ts'
import { type Html, html } from '../../pages/html.ts'
import { code } from './parts.ts'

/** How many details are shown of a sign-in; the admin API has all. */
const MAX_SHOWN = 5

/** What is allowed in detail, below a scope; empty: nothing. */
export function detailChips(details: ShownDetails | undefined): Html | '' {
  const lines = detailLines(details)
  if (lines.length === 0) return ''
  const left = lines.length - MAX_SHOWN
  return html`<div class="allowed">${lines.slice(0, MAX_SHOWN).map((one) => html`<div>${code(one)}</div>`)}${left > 0 ? html`<div>${String(left)} more</div>` : ''}</div>`
}

/** What is allowed: scopes, and details below. */
export const allowedText = (scope: string, details: ShownDetails | undefined): Html =>
  html`${code(scope)}${detailChips(details)}`
