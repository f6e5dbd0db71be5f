import { compareIds } from './compare-ids.ts'

/**
 * What the lists hold: the ids of somebody's sessions, grants or consents, or who is told of somebody. Each is the first
 * part of a key.
 */
export const LIST_NAMES = [
  'sessions-of',
  'grants-of-user',
  'grants-of-client',
  'consents-of',
  'newest-sessions',
  'upstream-sessions',
  'receivers-of',
  'muted-subjects',
] as const
export type ListName = (typeof LIST_NAMES)[number]

/**
 * The list of one owner: of a user by username, of a client by client_id, of consents by sub, of a session
 * elsewhere by its digest; or of everybody.
 */
export interface ListKey {
  readonly list: ListName
  readonly owner: string
}

/** An entry to be written with a record, in the same step where a script may have keys of several slots. */
export interface Listing extends ListKey {
  /** What names the record; storage does not read it. */
  readonly id: string
  /** The latest end of the record, in milliseconds since 1970: the entry is dropped some time after it. */
  readonly until: number
  /** Whether the record ends before, it is not known when: an entry that is there stays as it is. */
  readonly is_guess?: boolean
}

/** An entry of a list. */
export interface ListedEntry {
  readonly id: string
  readonly until: number
}

/** A part of a list. */
export interface ListPage {
  /** Those that can live longest come first; with the same end, in falling order of the ids. */
  readonly entries: readonly ListedEntry[]
  /** Where the next part begins; undefined: this was the last one. */
  readonly next: string | undefined
}

/**
 * What belongs to somebody. An entry is a hint, and the record that it names decides: no live record is missing from its
 * lists, and an entry without a live record is removed by who meets it. Each call throws StorageUnavailable.
 */
export interface Lists {
  /**
   * Returns a part of a list, in one command. What is in the list all the time is in one part exactly, whatever is added
   * and removed meanwhile.
   * @param after where the part begins: `next` of the one before; absent: at the beginning
   */
  page(
    key: ListKey,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<ListPage>
  /** Returns the number of entries; those whose record is gone count, too. */
  count(key: ListKey): Promise<number>
  /** Returns those of some ids that are in a list, in one round trip. */
  among(key: ListKey, ids: readonly string[]): Promise<string[]>
  /** Adds entries, for records that were written by hand. Returns how many were missing. */
  add(...listings: readonly Listing[]): Promise<number>
  /** Removes entries. */
  remove(key: ListKey, ...ids: readonly string[]): Promise<void>
}

/** Whether a text can be where a part of a list begins. */
export function isListCursor(text: string): boolean {
  return /^\d{1,16} /.test(text)
}

/** Returns where the part after an entry begins. */
export function cursorAfter({ until, id }: ListedEntry): string {
  return `${until} ${id}`
}

/** Returns the entry that a cursor names. @throws TypeError if it is malformed */
export function entryBefore(cursor: string): ListedEntry {
  if (!isListCursor(cursor)) throw new TypeError('not the cursor of a list')
  const space = cursor.indexOf(' ')
  return { until: Number(cursor.slice(0, space)), id: cursor.slice(space + 1) }
}

/** Whether an entry comes after another one in its list. */
export function comesAfter(one: ListedEntry, other: ListedEntry): boolean {
  if (one.until !== other.until) return one.until < other.until
  return compareIds(one.id, other.id) < 0
}
