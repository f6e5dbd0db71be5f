import type { Hash } from '../../../core/record-hash.ts'
import type { Fitted, FoundPage, KindName, Write } from '../../records.ts'
import { type FindRequest, isFound, MAX_LOOKED_AT, SMALL_KIND, textOf } from '../../words.ts'
import type { RedisAccess } from './access.ts'

/** What a script needs to keep the words of a record; a Cluster keeps them by scripts of their own. */
export interface WordArguments {
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

const NONE: WordArguments = { keys: [], args: [] }
/** So few that other requests of the process hardly wait. */
const PER_STEP = 100
const ENTRY = /^0([^\0]*)\0/

/** The words of a record, empty if it has none or is gone, and the fields from which they were made. */
export interface WordedRecord {
  readonly kind: KindName
  readonly id: string
  readonly text: string
  readonly read?: Hash
}

/** What the records of some kinds are found by: for each kind a sorted set, whose scores are equal. */
export class RedisWords {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  /** As `find` of Records. Entries that do not fit their records are mended. */
  async find(
    kind: KindName,
    readings: readonly (readonly string[])[],
    { after, limit }: FindRequest,
  ): Promise<FoundPage> {
    const words = readings.flatMap((one, i) => (i === 0 ? one : ['', ...one]))
    const looking = { max: limit, looks: MAX_LOOKED_AT, small: SMALL_KIND, after, words }
    const [next, all, ...ids] = await this.#access.run('find-words', [this.#keyOf(kind)], looking)
    const records = await this.#read(kind, ids)
    const stale: string[] = []
    const items = ids.flatMap((id) => {
      const hash = records.get(id)
      if (hash !== undefined && isFound(textOf(kind, id, hash), readings, all <= SMALL_KIND))
        return [{ id, hash }]
      stale.push(id)
      return []
    })
    await this.fit(kind, stale)
    return { items, of: all, ...(next !== '' && { next }) }
  }

  /** Makes the words of some records fit, which may exist or not. Returns how many did not. @throws StorageUnavailable */
  async fit(kind: KindName, ids: readonly string[]): Promise<number> {
    if (kind.words === undefined || ids.length === 0) return 0
    const records = await this.#read(kind, ids)
    const words = ids.map((id) => {
      const hash = records.get(id)
      return { kind, id, text: hash === undefined ? '' : textOf(kind, id, hash) }
    })
    return this.write(...words)
  }

  /** Makes the words of some records fit that were just read. Returns how many did not. @throws StorageUnavailable */
  async fitRead(
    kind: KindName,
    found: readonly { readonly id: string; readonly hash: Hash }[],
  ): Promise<number> {
    if (kind.words === undefined || found.length === 0) return 0
    const key = this.#keyOf(kind)
    const texts = found.map(({ id, hash }) => ({ id, text: textOf(kind, id, hash) }))
    const stored = await Promise.all(
      texts.map(({ id, text }) =>
        this.#access.command<string | null>('read-names', 'zscore', key, `0${id}\0${text}`),
      ),
    )
    // They are read once more: another process may have just changed both.
    return this.fit(
      kind,
      texts.flatMap(({ id, text }, i) => (stored[i] === null && text !== '' ? [id] : [])),
    )
  }

  /** Writes words. Returns how many were others. @throws StorageUnavailable */
  async write(...words: readonly WordedRecord[]): Promise<number> {
    const changed = await Promise.all(
      words.map(({ kind, id, text }) =>
        this.#access.write('write-words', [this.#keyOf(kind)], { words: ['1', id, text] }),
      ),
    )
    return changed.filter((one) => one === 1).length
  }

  /**
   * Drops the words of records that are gone; each step is short, and yields how many those were.
   * @param absent returns those of some ids that have no record
   */
  async *dropGone(
    kind: KindName,
    absent: (ids: readonly string[]) => Promise<string[]>,
  ): AsyncGenerator<Fitted> {
    if (kind.words === undefined) return
    for (let from = '[0'; ; ) {
      const entries = await this.#access.command<string[]>(
        'read-names',
        'zrangebylex',
        this.#keyOf(kind),
        ...([from, '(1', 'LIMIT', 0, PER_STEP] as const),
      )
      const last = entries.at(-1)
      if (last === undefined) return
      const ids = entries.map((entry) => ENTRY.exec(entry)?.[1] ?? '')
      yield { added: 0, removed: await this.fit(kind, await absent(ids)) }
      from = `(${last}`
    }
  }

  /**
   * Runs a script that writes a record, and keeps its words: by the same script where it may have keys of several slots,
   * otherwise by a script of its own after it.
   * @param run the script, with the key and arguments of the words
   * @param isWritten whether it has written, by its answer
   */
  with<T>(
    worded: WordedRecord | undefined,
    run: (words: WordArguments) => Promise<T>,
    isWritten: (answer: T) => boolean,
  ): Promise<T> {
    if (worded === undefined) return run(NONE)
    const { kind, id, text, read } = worded
    const fields = Object.entries(read ?? {}).flat()
    if (this.#access.connection.spansSlots)
      return run({ keys: [this.#keyOf(kind)], args: ['1', id, text, ...fields] })
    const written = run({ keys: [], args: read === undefined ? [] : ['', id, text, ...fields] })
    return written.then((answer) => (isWritten(answer) ? this.write(worded).then(() => answer) : answer))
  }

  #keyOf(kind: KindName): string {
    return this.#access.keys.words(kind)
  }

  async #read(kind: KindName, ids: readonly string[]): Promise<Map<string, Hash>> {
    const { keys } = this.#access
    const read = await this.#access.readHashes(ids.map((id) => keys.record(kind, id)))
    const prefix = keys.prefixOf(kind)
    return new Map(
      read.flatMap(({ key, hash }) => (hash === undefined ? [] : [[key.slice(prefix.length), hash]])),
    )
  }
}

/** Returns the words of what is written; undefined: it is found by none. @throws TypeError for several records */
export function wordsOf(writes: readonly Write[]): WordedRecord | undefined {
  const [first, ...others] = writes.filter(({ kind }) => kind.words !== undefined)
  if (others.length > 0) throw new TypeError('only one record that is found by words is written at a time')
  return first && { kind: first.kind, id: first.id, text: textOf(first.kind, first.id, first.hash) }
}
