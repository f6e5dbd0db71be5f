import type { Language } from './messages/language.ts'

/** When something is that is so many seconds away, in minutes if that is long; negative: it is past. */
export function whenText(seconds: number, { tag }: Language): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const rounded = Math.ceil(seconds / 60)
  return Math.abs(seconds) > 90
    ? format.format(rounded, 'minute')
    : format.format(Math.ceil(seconds), 'second')
}
