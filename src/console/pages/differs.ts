import { isUrl } from '../../core/uri.ts'
import { type Html, html } from '../../pages/html.ts'

/** A text of a machine with a mark from where on it differs. @param at how many characters are the same before */
export const marked = (text: string, at: number): Html =>
  html`<code><bdi>${text.slice(0, at)}<mark>${text.slice(at) || ' '}</mark></bdi></code>`

/** The parts of a URL, in the order in which they are read. */
const PARTS = [
  ['protocol', 'What it begins with'],
  ['hostname', 'The host'],
  ['port', 'The port'],
  ['pathname', 'The path'],
  ['search', 'What follows the question mark'],
] as const

/** Says in words how a URI differs from another one. */
export function uriDifference(sent: string, registered: string): string {
  if (sent === `${registered}/`) return 'It has a slash too many at its end.'
  if (registered === `${sent}/`) return 'The slash at its end is missing.'
  if (sent.trim() === registered) return 'It has a space too many.'
  if (sent.toLowerCase() === registered.toLowerCase()) return 'Upper and lower case differ.'
  if (!isUrl(sent) || !isUrl(registered)) return 'Each character counts.'
  const [one, other] = [new URL(sent), new URL(registered)]
  const differing = PARTS.filter(([part]) => one[part] !== other[part]).map(([, words]) => words)
  const [first, second] = differing
  if (first === undefined) return 'It is written in another way: each character counts.'
  return `${first}${second === undefined ? '' : ` and ${second.charAt(0).toLowerCase()}${second.slice(1)}`} differ${second === undefined ? 's' : ''}.`
}
