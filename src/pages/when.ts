import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'

/** Says when something happens, `seconds` from now; in minutes if that is long. Negative: it has happened. */
export function whenText(seconds: number, { tag }: Language): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const rounded = Math.ceil(seconds / 60)
  return Math.abs(seconds) > 90
    ? format.format(rounded, 'minute')
    : format.format(Math.ceil(seconds), 'second')
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A time of the past in words, with the exact one. @param at, now in milliseconds since 1970 */
export function agoTime(at: number, now: number, { tag }: Language): Html {
  const seconds = Math.max(0, now - at) / 1000
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['minute', 60] as const)
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}">${format.format(-Math.floor(seconds / size), unit)}</time>`
}
