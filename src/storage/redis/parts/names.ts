import { compareIds } from '../../compare-ids.ts'
import type { Fitted, KindName, PageRequest, RecordPage } from '../../records.ts'
import type { RedisAccess } from './access.ts'

// How often a page that meets ids without a record reads further ones.
const ROUNDS = 4
const IDS_PER_COMMAND = 500
/** So few that other requests of the process hardly wait. */
const IDS_PER_STEP = 100

/**
 * The ids of all records of a listed kind, in a sorted set. It may be in another slot than a record, so no script writes
 * both: an id is added after its record was written, and after each removal the record is looked for once more. So the
 * two fit after any calls at the same time. A call that fails between, and a record that was written by hand, are
 * repaired later.
 */
export class RedisNames {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  /** Adds ids whose records were written. @throws StorageUnavailable */
  async add(kind: KindName, ids: readonly string[]): Promise<void> {
    for (const some of chunks(ids)) {
      await this.#write('zadd', this.#access.keys.names(kind), ...some.flatMap((id) => [0, id]))
    }
  }

  /** Removes ids whose records are gone, but for those that are written again meanwhile. @throws StorageUnavailable */
  async drop(kind: KindName, ids: readonly string[]): Promise<void> {
    for (const some of chunks(ids)) {
      await this.#write('zrem', this.#access.keys.names(kind), ...some)
      const gone = new Set(await this.absent(kind, some))
      await this.add(
        kind,
        some.filter((id) => !gone.has(id)),
      )
    }
  }

  /** Those of the ids that are missing. @throws StorageUnavailable */
  async unlisted(kind: KindName, ids: readonly string[]): Promise<string[]> {
    const key = this.#access.keys.names(kind)
    const scores = await Promise.all(
      ids.map((id) => this.#access.command<string | null>('read-names', 'zscore', key, id)),
    )
    return ids.filter((_, i) => scores[i] === null)
  }

  /** Adds those of the ids that have a record, and drops the others. @throws StorageUnavailable */
  async fit(kind: KindName, ids: readonly string[]): Promise<void> {
    const gone = await this.absent(kind, ids)
    const is_gone = new Set(gone)
    await this.add(
      kind,
      await this.unlisted(
        kind,
        ids.filter((id) => !is_gone.has(id)),
      ),
    )
    await this.drop(kind, gone)
  }

  /** As `unlistGone` of Records. */
  async *dropGone(kind: KindName): AsyncGenerator<Fitted> {
    let ids: string[]
    for (let after: string | undefined; ; after = ids.at(-1)) {
      ids = await this.#read(kind, '', after, IDS_PER_STEP)
      if (ids.length === 0) return
      const gone = await this.absent(kind, ids)
      await this.drop(kind, gone)
      yield { added: 0, removed: gone.length }
    }
  }

  /** As `page` of Records. Ids without a record are dropped. @throws StorageUnavailable */
  async page(kind: KindName, { after, prefix = '', limit, misfit }: PageRequest): Promise<RecordPage> {
    const items: RecordPage['items'][number][] = []
    let next = after
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = limit - items.length
      // One more says whether there is another page.
      const found = await this.#read(kind, prefix.toWellFormed(), next, wanted + 1)
      const ids = found.slice(0, wanted)
      next = ids.at(-1)
      const missing = new Set(ids)
      for (const { id, hash } of await this.#records(kind, ids)) {
        missing.delete(id)
        if (hash !== undefined) items.push({ id, hash })
        else misfit?.(id)
      }
      await this.drop(kind, [...missing])
      if (found.length <= wanted || next === undefined) return { items }
      if (missing.size === 0) break
    }
    return next === undefined ? { items } : { items, next }
  }

  async #read(kind: KindName, prefix: string, after: string | undefined, limit: number): Promise<string[]> {
    const from = after !== undefined && compareIds(after, prefix) >= 0 ? `(${after}` : `[${prefix}`
    const key = this.#access.keys.names(kind)
    const ids = await this.#access.command<string[]>(
      'read-names',
      'zrangebylex',
      key,
      from,
      '+',
      'LIMIT',
      0,
      limit,
    )
    const end = ids.findIndex((id) => !id.startsWith(prefix))
    return end < 0 ? ids : ids.slice(0, end)
  }

  async #records(kind: KindName, ids: readonly string[]) {
    const { keys } = this.#access
    const read = await this.#access.readHashes(ids.map((id) => keys.record(kind, id)))
    const prefix = keys.prefixOf(kind)
    return read.map(({ key, hash }) => ({ id: key.slice(prefix.length), hash }))
  }

  /** As `absent` of Records. */
  async absent(kind: KindName, ids: readonly string[]): Promise<string[]> {
    const { keys, connection } = this.#access
    const [first, ...others] = ids.map((id) => keys.record(kind, id))
    if (first === undefined) return []
    // One command tells how many exist, so only where one is absent each is asked for.
    const can_count = others.length > 0 && connection.spansSlots
    if (can_count && (await this.#write('exists', first, ...others)) === ids.length) return []
    const exist = await Promise.all([first, ...others].map((key) => this.#write('exists', key)))
    return ids.filter((_, i) => exist[i] === 0)
  }

  #write(name: string, key: string, ...args: (string | number)[]): Promise<number> {
    return this.#access.command<number>('write-names', name, key, ...args)
  }
}

function* chunks(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += IDS_PER_COMMAND) yield ids.slice(at, at + IDS_PER_COMMAND)
}
