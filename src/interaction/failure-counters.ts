import { type LockedOut, noteLockout } from '../limits/lockouts.ts'
import type { LimitedCounter } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'

/** How many times more failures are allowed for all users of one address, and for all addresses of one user. */
export const WIDER = 10

/** A counter of failures with a limit. */
export interface FailureCounter<Of extends string> extends LimitedCounter {
  /** What it counts the failures of. */
  readonly of: Of
  /** Whom it locks out when it is full. */
  readonly whom: LockedOut
}

/** Nothing more may be done with an attempt: one of its counters is full. */
export interface Throttled<Of extends string> {
  readonly outcome: 'throttled'
  /** Seconds until the counter starts again. */
  readonly retry_after: number
  /** What the full counter counts the failures of. */
  readonly limit: Of
  /** Whether this is the first attempt that the counter refuses. */
  readonly is_first: boolean
}

type CounterStore = Pick<Storage, 'counters' | 'bounded'>

/**
 * Counts an attempt as failed in one counter after the other, before anything is known of it, so that a burst of
 * attempts cannot exceed a limit (docs/decisions/0012). If a counter is full, the others do not count the attempt, as
 * nothing was tried: one full counter cannot exhaust another. The first attempt that it refuses makes it a lockout that
 * operators see.
 * @param window how long the counters run from their first failure, in seconds
 * @returns undefined if each counter has room
 * @throws StorageUnavailable
 */
export async function countAsFailed<Of extends string>(
  storage: CounterStore,
  counters: readonly FailureCounter<Of>[],
  window: number,
): Promise<Throttled<Of> | undefined> {
  const counted = await storage.counters.countFailures(counters, window * 1000)
  const [last, counter] = [counted.at(-1), counters[counted.length - 1]]
  if (last === undefined || counter === undefined || last.count <= counter.max) return undefined
  const { group, name, max, whom, of: limit } = counter
  const is_first = last.count === max + 1
  if (is_first) await noteLockout(storage, { group, name }, whom, last.ends_in)
  return { outcome: 'throttled', retry_after: Math.max(1, Math.ceil(last.ends_in / 1000)), limit, is_first }
}
