/** The bounds of a time that somebody else says, in seconds since 1970, both included. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** What is wrong with it: it is no number of seconds, or outside of its bounds. */
export type TimeFault = 'malformed' | 'early' | 'late'

/**
 * Returns what is wrong with a time that comes from outside; undefined if nothing is. The one reader of such times, so
 * that each has a bound on both sides (RFC 7519 §2, NumericDate).
 */
export function statedTimeFault(time: unknown, { from, to }: Period): TimeFault | undefined {
  if (typeof time !== 'number' || !Number.isFinite(time)) return 'malformed'
  if (time < from) return 'early'
  return time > to ? 'late' : undefined
}

/** Whether a time that comes from outside is a number of seconds within its bounds. */
export const isTimeWithin = (time: unknown, period: Period): time is number =>
  statedTimeFault(time, period) === undefined

/** As isTimeWithin, of one that may be missing. */
export const isTimeWithinOrAbsent = (time: unknown, period: Period): time is number | undefined =>
  time === undefined || isTimeWithin(time, period)

/** A day, in seconds: no time that somebody else says is further ahead, unless a record allows more. */
export const DAY = 86_400
