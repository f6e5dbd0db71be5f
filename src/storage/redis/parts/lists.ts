import {
  comesAfter,
  cursorAfter,
  entryBefore,
  type ListedEntry,
  type Listing,
  type ListKey,
  type ListPage,
  type Lists,
} from '../../lists.ts'
import type { RedisKeys } from '../keys.ts'
import type { RedisAccess } from './access.ts'

/**
 * An entry that ends so many milliseconds before its record is good enough: it is written with a code, and a code can be
 * redeemed for ten minutes.
 */
const TOLERANCE = 600_000
/** So many entries are added at once that Redis hardly waits. */
const AT_A_TIME = 100

/** The lists in Redis: a sorted set for each owner, scored by the latest end of a record in milliseconds. */
export class RedisLists implements Lists {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async page(
    key: ListKey,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<ListPage> {
    const before = after === undefined ? undefined : entryBefore(after)
    const found: ListedEntry[] = []
    // One more than the part has, to learn whether another part follows.
    const wanted = limit + 1
    let is_last = false
    for (let offset = 0; !is_last && found.length < wanted; offset += wanted) {
      const read = await this.#read(key, before?.until, offset, wanted)
      is_last = read.length < wanted
      // Entries with the end of the cursor may come before it.
      found.push(...read.filter((entry) => before === undefined || comesAfter(entry, before)))
    }
    const entries = found.slice(0, limit)
    const last = entries.at(-1)
    return { entries, next: found.length > limit && last !== undefined ? cursorAfter(last) : undefined }
  }

  async count(key: ListKey): Promise<number> {
    return this.#access.command('count-list', 'zcard', this.#access.keys.list(key))
  }

  async among(key: ListKey, ids: readonly string[]): Promise<string[]> {
    const ends = await Promise.all(ids.map((id) => this.#endOf(key, id)))
    return ids.filter((_, i) => ends[i] !== null)
  }

  async add(...listings: readonly Listing[]): Promise<number> {
    const ends = await Promise.all(listings.map((listing) => this.#endOf(listing, listing.id)))
    // What is there is not written again: a look at all of them costs no writes.
    const missing = listings.filter(({ until, is_guess }, i) =>
      is_guess ? ends[i] === null : Number(ends[i] ?? 0) + TOLERANCE < until,
    )
    let added = 0
    for (let at = 0; at < missing.length; at += AT_A_TIME) {
      const some = missing.slice(at, at + AT_A_TIME)
      const { connection } = this.#access
      added += sum(
        connection.spansSlots ? [await join(this.#access, some)] : await joinApart(this.#access, some),
      )
    }
    return added
  }

  async remove(key: ListKey, ...ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#access.command('leave-list', 'zrem', this.#access.keys.list(key), ...ids)
  }

  #endOf(key: ListKey, id: string): Promise<string | null> {
    return this.#access.command('read-list', 'zscore', this.#access.keys.list(key), id)
  }

  async #read(key: ListKey, from: number | undefined, offset: number, count: number): Promise<ListedEntry[]> {
    const name = this.#access.keys.list(key)
    const range = [from ?? '+inf', '-inf', 'WITHSCORES', 'LIMIT', offset, count]
    const flat = await this.#access.command<string[]>('read-list', 'zrevrangebyscore', name, ...range)
    const entries: ListedEntry[] = []
    for (let i = 0; i < flat.length; i += 2) entries.push({ id: flat[i] ?? '', until: Number(flat[i + 1]) })
    return entries
  }
}

/** The keys and arguments that a script needs to add entries; a Cluster adds them by commands of their own. */
export interface ListArguments {
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
}

const NONE: ListArguments = { keys: [], args: [] }

/** Returns keys and arguments of entries for a script that includes join_lists. */
function joined(keys: RedisKeys, listings: readonly Listing[]): ListArguments {
  const names: string[] = []
  const args: (string | number)[] = []
  const now = Date.now()
  let previous: Listing | undefined
  for (const listing of listings) {
    const { until, id } = listing
    names.push(keys.list(listing))
    // The lists of a grant have the same entry.
    if (previous?.until === until && previous.id === id) args.push('', '', '')
    else args.push(until, until - now, id)
    previous = listing
  }
  return { keys: names, args }
}

/**
 * Runs a script that writes records, and adds the entries of their lists: by the same script where it may have keys of
 * several slots, otherwise by scripts of their own that leave with it, in the same round trip, or before it.
 * @param run the script, with the keys and arguments of the lists
 * @param order `before`: of a record that somebody else finds, too: what could not be listed is not written
 * @throws StorageUnavailable also if only an entry could not be added
 */
export function withLists<T>(
  access: RedisAccess,
  listings: readonly Listing[],
  run: (lists: ListArguments) => Promise<T>,
  order: 'together' | 'before' = 'together',
): Promise<T> {
  if (listings.length === 0) return run(NONE)
  if (access.connection.spansSlots) return run(joined(access.keys, listings))
  if (order === 'before') return joinApart(access, listings).then(() => run(NONE))
  return Promise.all([run(NONE), joinApart(access, listings)]).then(([answer]) => answer)
}

/** Adds entries, each by a script of its own. @throws StorageUnavailable */
export function joinApart(access: RedisAccess, listings: readonly Listing[]): Promise<number[]> {
  return Promise.all(listings.map((listing) => join(access, [listing])))
}

function join(access: RedisAccess, listings: readonly Listing[]): Promise<number> {
  const { keys, args } = joined(access.keys, listings)
  return access.write('join-lists', keys, { lists: args })
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
