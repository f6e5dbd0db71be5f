import type { Language } from './messages/language.ts'

/** Says when something happens, `seconds` from now; in minutes if that is long. Negative: it has happened. */
export function whenText(seconds: number, { tag }: Language): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const rounded = Math.ceil(seconds / 60)
  return Math.abs(seconds) > 90
    ? format.format(rounded, 'minute')
    : format.format(Math.ceil(seconds), 'second')
}
