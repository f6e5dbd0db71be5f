import type { Hash, Parsed } from '../core/record-hash.ts'

/** A kind of record, declared beside the subject that it belongs to. */
export interface Kind<T> {
  /** What the keys of its records begin with, behind the prefix of all keys: `client` for `client:<id>`. */
  readonly name: string
  /**
   * `family`: ids are code or token strings. Records whose ids have the same family part share a slot of a Redis
   * Cluster, and TOKENS_AT_REST decides how the secret part is stored. Absent: any string is an id.
   */
  readonly slot?: 'family'
  /** The field that holds when a record ends however much it is used, in milliseconds since 1970. */
  readonly ends_at?: string
  /** Whether operators write it, so that no client is told of a write and no replica is waited for. */
  readonly by_operators?: true
  /** Whether records are used up, so that a server that may be behind must not answer a read. */
  readonly single_use?: true
  /** The hash that stands for a record in storage. */
  format(record: T): Hash
  /** Reads a record from storage, or says what is wrong with it. */
  parse(hash: Hash, id: string): Parsed<T>
}

/** A kind as far as its records are named: what stores need of it that do not read what they hold. */
export type KindName = Pick<Kind<never>, 'name' | 'slot' | 'ends_at' | 'single_use' | 'by_operators'>

/** A record to be written. */
export interface Write {
  readonly kind: KindName
  readonly id: string
  readonly hash: Hash
  /** Seconds that it lives; absent: until it is removed. */
  readonly ttl?: number
}

/** A record as it was found: the hash, and what it says or what is wrong with it. */
export type Found<T> = Parsed<T> & { readonly hash: Hash }

/** Whether a record was written, or why not. */
export type Created = 'ok' | 'exists'
export type Changed = 'ok' | 'missing'

/**
 * Fields to set and to remove in one step; an empty hash and an empty list change nothing. With `expected`, a record
 * whose fields have other values counts as missing.
 */
export interface Change {
  readonly set: Hash
  readonly unset?: readonly string[]
  readonly expected?: Hash
}

/**
 * Records of any kind, by a few verbs. Each call but `list` is one atomic step and one command. Calls throw
 * StorageUnavailable if it is unknown what happened, and TypeError for an id that cannot be one of its kind where a
 * record would be written. Hashes that are returned are copies.
 */
export interface Records {
  /** Writes records of one slot, each in place of the one that is there. */
  put(...writes: readonly Write[]): Promise<void>
  /** Writes records of one slot, provided that none of them is there. */
  create(...writes: readonly Write[]): Promise<Created>
  /**
   * The record, or undefined if it is missing or its end is over.
   * @param idle_ttl seconds that it lives on by being read, but never past its end; absent: reading changes nothing
   */
  read<T>(kind: Kind<T>, id: string, idle_ttl?: number): Promise<Found<T> | undefined>
  /** Sets and removes fields of a record that is there and as expected; its end stays. */
  change(kind: KindName, id: string, change: Change): Promise<Changed>
  /** Removes the record, for one caller only, and writes others of its slot in the same step. */
  take<T>(kind: Kind<T>, id: string, ...writes: readonly Write[]): Promise<Found<T> | undefined>
  /**
   * All records of a kind whose ids are stored as they are, each once and in no order. One that is added or removed
   * meanwhile may be missed. Goes through all keys: for operators, not for requests.
   */
  list(kind: KindName): AsyncIterable<{ id: string; hash: Hash }>
  /** The same, and one may come again, as it is then: nothing is remembered, so there may be very many. */
  scan(kind: KindName): AsyncIterable<{ id: string; hash: Hash }>
}

/** A record of a kind, to be written. `ttl` in seconds; absent: until it is removed. */
export function write<T>(kind: Kind<T>, id: string, record: T, ttl?: number): Write {
  return { kind, id, hash: kind.format(record), ...(ttl === undefined ? {} : { ttl }) }
}

/** What a hash of a kind says, with the hash itself. */
export function found<T>(kind: Kind<T>, id: string, hash: Hash): Found<T> {
  return { ...kind.parse(hash, id), hash }
}

/** The record that was found; undefined if there is none, or if it is malformed. */
export function recordOf<T>(found: Found<T> | undefined): T | undefined {
  return found?.ok ? found.record : undefined
}
