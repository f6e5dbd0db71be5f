import type { PartyFault } from '../core/third-parties.ts'
import { type OutcomeStore, readOutcomes } from './outcome-keeper.ts'

/** For how many milliseconds a fault is recent, unless the party did its part since. */
const RECENT = 3_600_000

/** A fault of a third party, and when it was. */
export interface RecentFault extends PartyFault {
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * Returns the last fault of each third party that failed within an hour and did not do its part since, the newest first.
 * @param now milliseconds since 1970
 * @throws StorageUnavailable
 */
export async function readRecentFaults(store: OutcomeStore, now: number): Promise<RecentFault[]> {
  const found = await readOutcomes(store)
  return found
    .flatMap(({ party, name, success_at = 0, error }) =>
      error === undefined || error.at < success_at || error.at <= now - RECENT
        ? []
        : [{ party, name, ...error }],
    )
    .sort((one, other) => other.at - one.at)
}
