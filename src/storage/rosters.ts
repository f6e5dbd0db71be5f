import type { Told } from '../core/told.ts'

/** An entry of a roster that has not ended. */
export interface RosterEntry {
  readonly name: string
  readonly text: string
  /** Milliseconds until it ends. */
  readonly ends_in: number
}

/** How an entry is made. */
export interface Entering {
  /** Milliseconds until the entry ends. */
  readonly ttl: number
  /** How many entries the roster has at most: beyond, the one that ends first makes room. */
  readonly max: number
  /** An entry of that name that has not ended stays as it is; absent: it is replaced. */
  readonly keep?: true
}

/**
 * Rosters, which all replicas share: small lists of texts by name, each with an end of its own. Each call is one atomic
 * step; it throws StorageUnavailable.
 */
export interface Rosters {
  /** Makes an entry. */
  enter(roster: string, name: string, text: string, entering: Entering): Promise<void>
  /** Returns the entries, in no order. */
  read(roster: string): Promise<RosterEntry[]>
  /**
   * Removes an entry. Returns whether it was there: true to one caller only.
   * @param told what the audit trail says of it, in the same step
   */
  leave(roster: string, name: string, told?: Told): Promise<boolean>
}
