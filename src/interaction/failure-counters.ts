import { type LockedOut, noteLockout } from '../limits/lockouts.ts'
import type { FailureGroup } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'

/** How many times more failures are allowed for all users of one address, and for all addresses of one user. */
export const WIDER = 10

/** A counter of failures with a limit. */
export interface FailureCounter<Of extends string> {
  /** What it counts the failures of. */
  readonly of: Of
  readonly group: FailureGroup
  /** A digest in hexadecimal. */
  readonly name: string
  readonly max: number
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
 * attempts cannot exceed a limit (docs/decisions/0012). If a counter is full, the next ones do not count the attempt, and
 * the first attempt that it refuses makes it a lockout that operators see.
 * @param window how long the counters run from their first failure, in seconds
 * @returns undefined if each counter has room
 * @throws StorageUnavailable
 */
export async function countAsFailed<Of extends string>(
  storage: CounterStore,
  counters: readonly FailureCounter<Of>[],
  window: number,
): Promise<Throttled<Of> | undefined> {
  for (const [index, { of, group, name, max, whom }] of counters.entries()) {
    const { count, ends_in } = await storage.counters.countFailure(group, name, window * 1000)
    if (count <= max) continue
    // Nothing was tried, so the earlier counters forget it: one full counter cannot exhaust another.
    const is_first = count === max + 1
    await Promise.all([
      forgive(storage, counters.slice(0, index)),
      is_first && noteLockout(storage, { group, name }, whom, ends_in),
    ])
    const retry_after = Math.max(1, Math.ceil(ends_in / 1000))
    return { outcome: 'throttled', retry_after, limit: of, is_first }
  }
  return undefined
}

/** Removes an attempt from its counters, because it did not fail. @throws StorageUnavailable */
export async function forgive(
  { counters: store }: Pick<Storage, 'counters'>,
  counters: readonly Pick<FailureCounter<string>, 'group' | 'name'>[],
): Promise<void> {
  await Promise.all(counters.map(({ group, name }) => store.forgiveFailure(group, name)))
}
