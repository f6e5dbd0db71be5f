import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import type { Mood } from './parts.ts'

const PICTURES: Readonly<Record<Mood, IconName>> = {
  good: 'check',
  warn: 'warning',
  bad: 'warning',
  plain: 'clock',
}

/**
 * What happened, or what is not well, above a page.
 * @param says words of one sentence or two
 * @param action what can be done about it
 */
export const notice = (mood: Mood, says: Html | string, action: Html | '' = ''): Html =>
  html`<div class="notice ${mood}" role="${mood === 'bad' ? 'alert' : 'status'}">${icon(PICTURES[mood])}<p>${says}</p>${action}</div>
`
