import { madeOnce } from './made-once.ts'

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const
const relative = madeOnce(() => new Intl.RelativeTimeFormat('en'))

/** Formats an instant in ISO 8601 with its distance from now (milliseconds since 1970). */
export function instant(at: Date, now: number): string {
  const distance = at.getTime() - now
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? UNITS[3]
  return `${at.toISOString()} (${relative().format(Math.trunc(distance / length), unit)})`
}

/** The last instant of a Date, in milliseconds since 1970 (ECMAScript §21.4.1.1). */
const LAST = 8.64e15

/** Returns the instant that a field of a record says, in milliseconds since 1970; undefined: it says none. */
export function timeIn(text: string | undefined): number | undefined {
  const at = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isInteger(at) && Math.abs(at) <= LAST ? at : undefined
}

/** Returns a text of milliseconds since 1970 in ISO 8601; the text itself if it says no instant. */
export function instantIn(text: string): string {
  const at = timeIn(text)
  return at === undefined ? text : new Date(at).toISOString()
}
