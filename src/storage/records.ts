import type { AuditEntries } from '../core/audit-entries.ts'
import { type Hash, type Parsed, setField } from '../core/record-hash.ts'
import type { Listing } from './lists.ts'
import type { FindRequest, Words } from './words.ts'

/** A record kind: the name, format and parser of one sort of record. Each is declared in the folder of its subject. */
export interface Kind<T> {
  /** The first part of the keys, after the common prefix: `client` for `client:<id>`. */
  readonly name: string
  /**
   * `family`: ids are code or token strings. Records whose ids have the same family id share a slot of a Redis Cluster,
   * and TOKENS_AT_REST decides how the secret part is stored. Absent: any string is an id.
   */
  readonly slot?: 'family'
  /** The field with the absolute expiry, in milliseconds since 1970; reading a record does not extend it. */
  readonly ends_at?: string
  /**
   * The field that notes when a reading last extended the record, to the minute in milliseconds since 1970, if it has
   * it.
   */
  readonly used_at?: string
  /** Only operators write it: writes do not wait for replicas, because no client depends on the answer. */
  readonly by_operators?: true
  /** Operators page through it, so storage keeps the ids of its records in order. Its slot is not that of a family. */
  readonly listed?: true
  /**
   * The name of another kind: records of both with the same id share a slot of a Redis Cluster, so one step can change
   * both.
   */
  readonly beside?: string
  /** Changes that are counted: the record says how many there were. */
  readonly counts?: Counts
  /** What its records are found by, word by word; absent: they are not. Such a kind is listed. */
  readonly words?: Words
  /** Formats a record as the hash to store. */
  format(record: T): Hash
  /** Parses a stored hash, or returns its problems. */
  parse(hash: Hash, id: string): Parsed<T>
}

/** Which changes of a record are counted, so that there and back again is two changes. */
export interface Counts {
  /** The field with the count, a whole number from 0 on; absent: 0. */
  readonly field: string
  /** Whether a change that sets or removes this field counts, in the same step. */
  isCounted(field: string): boolean
}

/** A kind without its format and parser, for stores that do not read their records. */
export type KindName = Pick<
  Kind<never>,
  'name' | 'slot' | 'ends_at' | 'used_at' | 'by_operators' | 'listed' | 'beside' | 'counts' | 'words'
>

/** A kind whose records have a number of uses. */
export interface UsableKind extends KindName {
  /** The field with the uses that are left. */
  readonly uses_left: string
  /** The record stays when none is left; absent: it ends with the last one. */
  readonly stays_used?: true
}

/** What it takes to read a record, or some of its fields. */
export type ReadableKind<T> = KindName & Pick<Kind<T>, 'parse'>

/** How a record is read. */
export interface Reading {
  /** Sets the remaining lifetime in seconds, at most until `ends_at`; absent: reading changes nothing. */
  readonly idle_ttl?: number
  /** Reads only these fields, so that it costs the same however many others there are; absent: all. */
  readonly fields?: readonly string[]
  /** Fails on a server that accepts no writes, which may be out of date: for answers that nothing else confirms. */
  readonly current?: true
  /** A record whose fields have other values counts as missing, and is not extended. */
  readonly expected?: Hash
}

/** A record to write. */
export interface Write {
  readonly kind: KindName
  readonly id: string
  readonly hash: Hash
  /** Lifetime in seconds; absent: until it is removed. */
  readonly ttl?: number
  /** The lists that it joins, or has joined. */
  readonly lists?: readonly Listing[]
  /** What the audit trail says of it, in the same step. */
  readonly told?: AuditEntries | undefined
}

/** A stored record: the hash, and the parsed record or its problems. */
export type Found<T> = Parsed<T> & { readonly hash: Hash }

/** Which records of a listed kind to read. */
export interface PageRequest {
  /** Only ids after this one. */
  readonly after?: string
  /** Only ids that begin with this text. */
  readonly prefix?: string
  /** How many records at most, 1 or more. */
  readonly limit: number
  /** Gets the id of each record whose key is not a hash; without it, they are left out. */
  readonly misfit?: (id: string) => void
}

/** Records that were found, and how many records were looked through: those of the kind that have words. */
export interface FoundPage extends RecordPage {
  readonly of: number
}

/** Records in the order of their ids. */
export interface RecordPage {
  readonly items: readonly { readonly id: string; readonly hash: Hash }[]
  /** Where the next page begins: its `after`; absent: this is the last page. */
  readonly next?: string
}

/** How many entries of a list or an index were added and removed, to make it fit. */
export interface Fitted {
  readonly added: number
  readonly removed: number
}

/** A record that a walk found; without a hash: its key has another type. */
export interface Walked {
  readonly kind: KindName
  readonly id: string
  readonly hash: Hash | undefined
}

/** The result of creating records. */
export type Created = 'ok' | 'exists'
/** The result of changing a record. */
export type Changed = 'ok' | 'missing'

/**
 * Fields to set and to remove in one step. With `expected`, a record whose fields have other values counts as
 * missing.
 */
export interface Change {
  readonly set: Hash
  readonly unset?: readonly string[]
  readonly expected?: Hash
  /** Fields that must be missing or empty. */
  readonly absent?: readonly string[]
  /** `expected` is the whole record: one with other fields besides counts as missing, too. */
  readonly whole?: true
  /** Another record in the slot of this one: both change, or neither. */
  readonly beside?: Beside
  /** Whether it counts, if the kind counts changes; absent: as the kind says of the fields. */
  readonly is_counted?: boolean
  /** Extends the remaining lifetime to this many seconds; never shortens it. Infinity: the record stays. */
  readonly ttl?: number
  /** The lists that it joins. */
  readonly lists?: readonly Listing[]
  /** What the audit trail says of it, in the same step. */
  readonly told?: AuditEntries | undefined
}

/** What a change says of another record of its slot. It is made if it does not exist, and `absent` allows that. */
export interface Beside extends Pick<Change, 'expected' | 'absent' | 'unset'> {
  readonly kind: KindName
  readonly id: string
  readonly set?: Hash
}

/** Whether a change is counted. */
export function isCounted({ counts }: KindName, { set, unset = [], is_counted }: Change): boolean {
  if (counts === undefined) return false
  return is_counted ?? [...Object.keys(set), ...unset].some((field) => counts.isCounted(field))
}

/** Returns the field with the count of changes after a change; nothing if it is not counted. */
export function countOf(kind: KindName, stored: Hash, change: Change): Hash {
  if (kind.counts === undefined || !isCounted(kind, change)) return {}
  const { field } = kind.counts
  const before = /^\d{1,15}$/.test(stored[field] ?? '') ? Number(stored[field]) : 0
  return { [field]: String(before + 1) }
}

/** @throws TypeError if two records that are to change together may be in different slots */
export function assertBeside(kind: KindName, id: string, beside: Beside): void {
  const is_near = beside.kind.beside === kind.name || kind.beside === beside.kind.name
  if (!is_near || beside.id !== id) throw new TypeError(`${beside.kind.name} is not beside ${kind.name}`)
}

/**
 * Records of any kind. Each call except `list`, `scan`, `forget` and `page` is one atomic step and one command; in Redis a
 * listed kind takes further commands for its ids. Calls throw StorageUnavailable if the outcome is unknown, and writes throw
 * TypeError for an id that is invalid for its kind. Returned hashes are copies.
 */
export interface Records {
  /** Writes records of one slot, and replaces existing ones. */
  put(...writes: readonly Write[]): Promise<void>
  /** Writes records of one slot, unless one of them exists. */
  create(...writes: readonly Write[]): Promise<Created>
  /** Returns the record, or undefined if it is missing or expired, or has none of the fields that are read. */
  read<T>(kind: ReadableKind<T>, id: string, reading?: Reading): Promise<Found<T> | undefined>
  /** Sets and removes fields of a record that exists and is as expected; its expiry changes only by `ttl`. */
  change(kind: KindName, id: string, change: Change): Promise<Changed>
  /**
   * Removes and returns the record, to one caller only, and writes others of its slot in the same step. The first of them
   * may have the key of the record, and then replaces it.
   */
  take<T>(kind: Kind<T>, id: string, ...writes: readonly Write[]): Promise<Found<T> | undefined>
  /**
   * Takes a use from a record, or gives one back (`-1`), and writes others of its slot, without lists, in the same step.
   * @returns `missing`: there is no such record, or it has no use left; then nothing is written
   */
  use(
    kind: UsableKind,
    id: string,
    uses: 1 | -1,
    ...writes: readonly Omit<Write, 'lists'>[]
  ): Promise<Changed>
  /** Removes and returns the record, to one caller only. @param told what the audit trail says of it, in the same step */
  remove<T>(kind: Kind<T>, id: string, told: AuditEntries | undefined): Promise<Found<T> | undefined>
  /**
   * All records of a kind without a family slot, each once, in no order. Records added or removed meanwhile may be
   * missing. Scans all keys: for operators, not for requests.
   * @param misfit gets the id of each record whose key is not a hash; without it, they are left out
   */
  list(kind: KindName, misfit?: (id: string) => void): AsyncIterable<{ id: string; hash: Hash }>
  /** As `list` without misfits, but a record may be repeated: it needs no memory, so there may be very many records. */
  scan(kind: KindName): AsyncIterable<{ id: string; hash: Hash }>
  /**
   * Removes the records of a kind that a test names by their fields, one after the other, and returns how many. Scans all
   * keys: for a Redis that was restored from a backup.
   */
  forget(kind: KindName, isForgotten: (hash: Hash) => boolean): Promise<number>
  /**
   * A page of a listed kind. It costs the same however many records there are. Following `next` finds each record once
   * that is there all the time, whatever is added or removed meanwhile. A page may have fewer records than its limit, and
   * yet be followed by another one.
   */
  page(kind: KindName, request: PageRequest): Promise<RecordPage>
  /**
   * Records of a kind with words that have those of one of some readings, by their beginnings; of a kind with few records
   * also those that have them somewhere. Those come first that are found by their first word. It looks at a bounded number
   * of entries however many there are, so a page may have fewer records than its limit, or none, and yet be followed by
   * another one.
   * @param readings one or two, as readingsOf; none has more than six words
   */
  find(kind: KindName, readings: readonly (readonly string[])[], request: FindRequest): Promise<FoundPage>
  /** Those of the ids that have no record, in few commands if most have one. */
  absent(kind: KindName, ids: readonly string[]): Promise<string[]>
  /** Those of the ids of a listed kind that are missing in its list, as they may be if a record was written by hand. */
  unlisted(kind: KindName, ids: readonly string[]): Promise<string[]>
  /** Makes the list of a listed kind, and its words, fit the records with these ids, which may exist or not. */
  relist(kind: KindName, ids: readonly string[]): Promise<void>
  /** Makes the words fit records of a listed kind that were just read. Returns how many did not. */
  fitWords(kind: KindName, found: readonly { readonly id: string; readonly hash: Hash }[]): Promise<number>
  /** Drops the ids and words of a listed kind that have no record; each step is short, and yields how many it dropped. */
  unlistGone(kind: KindName): AsyncIterable<Fitted>
  /**
   * All records of some kinds, in one walk through all keys. Each step looks at a few keys, and yields the records that it
   * found, which may be none. A record may be repeated.
   */
  walk(kinds: readonly KindName[]): AsyncIterable<readonly Walked[]>
}

/** Returns a record to write. `ttl` in seconds; absent: until it is removed. `lists`: those that it joins. */
export function write<T>(
  kind: Kind<T>,
  id: string,
  record: T,
  ttl?: number,
  lists: readonly Listing[] = [],
): Write {
  return { kind, id, hash: kind.format(record), ...(ttl === undefined ? {} : { ttl }), lists }
}

/** Parses a stored hash of a kind. */
export function found<T>(kind: ReadableKind<T>, id: string, hash: Hash): Found<T> {
  return { hash, ...kind.parse(hash, id) }
}

/** Parses some fields of a stored hash, or all; undefined if it has none of them. */
export function readFields<T>(
  kind: ReadableKind<T>,
  id: string,
  hash: Hash,
  fields: readonly string[] = Object.keys(hash),
): Found<T> | undefined {
  const present: Record<string, string> = {}
  for (const field of fields) {
    const value = Object.hasOwn(hash, field) ? hash[field] : undefined
    if (value !== undefined) setField(present, field, value)
  }
  return Object.keys(present).length === 0 ? undefined : found(kind, id, present)
}

/** Returns the record, or undefined if it is missing or malformed. */
export function recordOf<T>(found: Found<T> | undefined): T | undefined {
  return found?.ok ? found.record : undefined
}
