import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'

/** Made once for each language: to make one takes longer than to write a hundred times. */
const formats = new Map<string, Intl.RelativeTimeFormat>()

function formatOf({ tag }: Language): Intl.RelativeTimeFormat {
  const format = formats.get(tag) ?? new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  formats.set(tag, format)
  return format
}

/** Says when something happens, `seconds` from now; in minutes if that is long. Negative: it has happened. */
export function whenText(seconds: number, language: Language): string {
  const format = formatOf(language)
  const rounded = Math.ceil(seconds / 60)
  return Math.abs(seconds) > 90
    ? format.format(rounded, 'minute')
    : format.format(Math.ceil(seconds), 'second')
}

const dates = new Map<string, Intl.DateTimeFormat>()

/** A day in words, in UTC. @param at in milliseconds since 1970 */
export function dateText(at: number, { tag }: Language): string {
  const format = dates.get(tag) ?? new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' })
  dates.set(tag, format)
  return format.format(at)
}

/** The same for a page, with the exact time. @param at in milliseconds since 1970 */
export function dayTime(at: number, language: Language): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}">${dateText(at, language)}</time>`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A time to come in words, with the exact one. @param at, now in milliseconds since 1970 */
export function soonTime(at: number, now: number, language: Language): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}">${whenText(Math.max(0, at - now) / 1000, language)}</time>`
}

/** A time of the past in words, with the exact one. @param at, now in milliseconds since 1970 */
export function agoTime(at: number, now: number, language: Language): Html {
  const seconds = Math.max(0, now - at) / 1000
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['minute', 60] as const)
  const format = formatOf(language)
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}">${format.format(-Math.floor(seconds / size), unit)}</time>`
}
