import { isObject } from '../../core/json.ts'
import { REASONS, type Reason } from '../../core/reasons.ts'
import { type Tally, tallyOf } from '../../core/tally.ts'
import { SIGN_IN_RESULTS, type SignInTally } from '../../interaction/sign-in.ts'
import { TIME_BUCKETS, type TimeCounts } from '../../service/request-times.ts'

/** What happened in some time. Only closed sets name what is counted, so its size is bounded. */
export interface HourCounts {
  readonly sign_ins: SignInTally
  readonly refused: Partial<Tally<Reason>>
  readonly times: TimeCounts
}

/** Returns counts of nothing. */
export function noCounts(): HourCounts {
  return { sign_ins: tallyOf(SIGN_IN_RESULTS), refused: {}, times: TIME_BUCKETS.map(() => 0).concat(0) }
}

/** Adds counts to others. @param sign -1: takes them away */
export function addCounts(to: HourCounts, { sign_ins, refused, times }: HourCounts, sign: 1 | -1 = 1): void {
  for (const result of SIGN_IN_RESULTS) to.sign_ins[result] += sign * sign_ins[result]
  for (const [reason, count] of Object.entries(refused) as [Reason, number][]) {
    const sum = (to.refused[reason] ?? 0) + sign * count
    if (sum === 0) delete to.refused[reason]
    else to.refused[reason] = sum
  }
  for (const [bucket, count] of times.entries()) to.times[bucket] = (to.times[bucket] ?? 0) + sign * count
}

/** Whether nothing was counted. */
export function isNothing({ sign_ins, refused, times }: HourCounts): boolean {
  return [...Object.values(sign_ins), ...Object.values(refused), ...times].every((count) => count === 0)
}

/** Returns the text to store for counts: those that are not zero. */
export function formatCounts({ sign_ins, refused, times }: HourCounts): string {
  return JSON.stringify({ sign_ins: SIGN_IN_RESULTS.map((result) => sign_ins[result]), refused, times })
}

/**
 * Returns the counts in a stored text; undefined: it is malformed. Reasons that are unknown here, of another release,
 * are left out.
 */
export function parseCounts(text: string): HourCounts | undefined {
  const { sign_ins, refused, times } = parsed(text)
  if (!isCounts(sign_ins, SIGN_IN_RESULTS.length) || !isCounts(times, TIME_BUCKETS.length + 1))
    return undefined
  if (!isObject(refused) || !isCounts(Object.values(refused))) return undefined
  const known = Object.entries(refused as Record<string, number>).filter(([reason]) =>
    Object.hasOwn(REASONS, reason),
  )
  return {
    sign_ins: Object.fromEntries(
      SIGN_IN_RESULTS.map((result, i) => [result, sign_ins[i] ?? 0]),
    ) as SignInTally,
    refused: Object.fromEntries(known),
    times,
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const isCounts = (value: unknown, length?: number): value is number[] =>
  Array.isArray(value) &&
  (length === undefined || value.length === length) &&
  value.every((count) => Number.isSafeInteger(count) && count >= 0)

/**
 * Returns within how many milliseconds a part of the requests were answered: the upper end of its bucket. Infinity: it took
 * longer than the last bucket. Undefined: there were none.
 * @param part 0.5: half of them
 */
export function timeOf({ times }: Pick<HourCounts, 'times'>, part: number): number | undefined {
  const all = times.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let seen = 0
  for (const [bucket, count] of times.entries()) {
    seen += count
    if (seen >= all * part) return (TIME_BUCKETS[bucket] ?? Number.POSITIVE_INFINITY) * 1000
  }
  return Number.POSITIVE_INFINITY
}
