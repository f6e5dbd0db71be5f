import type { AuditEntries } from '../core/audit-entries.ts'

/** The bounded lists. Each is the last part of a key; docs/shared-places.md says who writes them. */
export const BOUNDED_LIST_NAMES = [
  'activity',
  'asks',
  'connection-steps',
  'connection-steps:strangers',
  'day-counts',
  'explanations',
  'lockouts:address',
  'lockouts:client',
  'lockouts:unknown',
  'lockouts:user',
  'memory',
  'notices',
  'party-outcomes',
  'server-ids',
  'server-issuers',
] as const
export type BoundedListName = (typeof BOUNDED_LIST_NAMES)[number]

/**
 * A list; `activity_of`, `notices_of`: of a user, to which nothing is put once the user is gone; `asks_of`: what waits for
 * somebody, by sub.
 */
export type BoundedListId =
  | Exclude<BoundedListName, 'activity' | 'asks' | 'notices'>
  | { readonly activity_of: string }
  | { readonly notices_of: string }
  | { readonly asks_of: string }

/** A list of a user. */
export type ListOfUser = Exclude<BoundedListId, BoundedListName | { readonly asks_of: string }>

/** Whether a list is one of a user. */
export const isOfUser = (list: BoundedListId): list is ListOfUser =>
  typeof list !== 'string' && !('asks_of' in list)

/** Returns the name of a list of a user, and whose it is. */
export const userOf = (list: ListOfUser): { readonly name: BoundedListName; readonly user: string } =>
  'activity_of' in list
    ? { name: 'activity', user: list.activity_of }
    : { name: 'notices', user: list.notices_of }

/** An entry to be put into a list. */
export interface NewEntry {
  /** It must not begin with a space. */
  readonly name: string
  readonly text: string
  /** Who makes room if there is none, without spaces; absent: all such entries have one owner. */
  readonly owner?: string | undefined
  /** What is alike, without spaces: few of one kind are kept, and it pushes out no other. Absent: nothing is like it. */
  readonly kind?: string | undefined
}

/** What bounds a list. */
export interface ListLimits {
  /** Milliseconds until an entry ends. */
  readonly ttl: number
  /** How many entries there are at most. */
  readonly max: number
  /** How many of one kind; absent: `max`. */
  readonly of_kind?: number
  /** Of so many of an owner that end first, the kind of which there are most makes room; absent: the first one does. */
  readonly looked_at?: number
  /** An entry of that name that has not ended stays as it is; absent: it is replaced. */
  readonly keep?: true
}

/** An entry of a list that has not ended. */
export interface BoundedEntry {
  readonly name: string
  readonly text: string
  /** Milliseconds until it ends. */
  readonly ends_in: number
  /** How many more of its kind there were that were not put into the list. */
  readonly more: number
}

/**
 * Lists of texts by name, which all replicas share. Each entry has an end of its own, and their number is bounded: one
 * more replaces the one of its kind that ends first, if its kind has all that it may have; else, if there is no room, one
 * of the owner who has most, which is its own if nobody has more; of several that one whose first entry ends first. A kind
 * has the owner of its first entry, as long as there is one. Each call is one atomic step that costs the same however long
 * the list is, but for what `read` returns; it throws StorageUnavailable.
 */
export interface BoundedLists {
  /**
   * Puts entries into a list. Of a moment or a call, each ends a millisecond after the one before.
   * @param more how many more of a kind there were: they are counted, as long as there is an entry of the kind
   */
  put(
    list: BoundedListId,
    entries: readonly NewEntry[],
    bounds: ListLimits,
    more?: ReadonlyMap<string, number>,
  ): Promise<void>
  /** Returns the entries, those that end last first. @param wanted one entry, or how many; absent: all */
  read(
    list: BoundedListId,
    wanted?: { readonly name: string } | { readonly last: number },
  ): Promise<BoundedEntry[]>
  /**
   * Removes an entry, or the whole list. Returns whether it was there: true to one caller only.
   * @param told what the audit trail says of it, in the same step
   */
  drop(list: BoundedListId, name?: string, told?: AuditEntries): Promise<boolean>
}
