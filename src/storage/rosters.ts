import type { AuditEntries } from '../core/audit-entries.ts'

/** The rosters. Each is the last part of a key; docs/shared-places.md says who writes them. */
export const ROSTER_NAMES = [
  'day-counts',
  'lockouts:address',
  'lockouts:client',
  'lockouts:unknown',
  'lockouts:user',
  'memory',
  'party-outcomes',
  'server-ids',
  'server-issuers',
] as const
export type RosterName = (typeof ROSTER_NAMES)[number]

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
  /**
   * How many entries the roster has at most: beyond, one of the owner who has most makes room, that which ends first. The
   * owner is what the name begins with, up to a space; a name without one is its own.
   */
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
  enter(roster: RosterName, name: string, text: string, entering: Entering): Promise<void>
  /** Returns the entries, in no order. */
  read(roster: RosterName): Promise<RosterEntry[]>
  /**
   * Removes an entry. Returns whether it was there: true to one caller only.
   * @param told what the audit trail says of it, in the same step
   */
  leave(roster: RosterName, name: string, told?: AuditEntries): Promise<boolean>
}
