import { LRUCache } from 'lru-cache'
import type { Changes } from './changes.ts'
import type { KindName } from './records.ts'

// About 25 MB of memory.
const MAX_SIZE = 16 * 1024 * 1024

/**
 * Parsed records of one kind, kept while storage reports every change of them; otherwise each look-up reads storage.
 * Keeps the records that were used last, and no missing ones.
 */
export class RecordCache<T extends object> {
  readonly #changes: Changes
  readonly #kind: KindName
  readonly #load: (id: string) => Promise<T | undefined>
  readonly #records: LRUCache<string, T>
  /** The running reads by id. A change of the record removes its read, so that the result is not kept. */
  readonly #reads = new Map<string, Promise<T | undefined>>()

  /**
   * @param load reads a record from storage; undefined if there is none to keep
   * @param max_size how many characters the kept records have as JSON; in memory each takes one to one and a half bytes
   */
  constructor(
    changes: Changes,
    kind: KindName,
    load: (id: string) => Promise<T | undefined>,
    max_size: number = MAX_SIZE,
  ) {
    this.#changes = changes
    this.#kind = kind
    this.#load = load
    this.#records = new LRUCache({
      maxSize: max_size,
      sizeCalculation: (record) => JSON.stringify(record).length,
    })
    changes.watch(kind, {
      changed: (id) => {
        this.#records.delete(id)
        this.#reads.delete(id)
      },
      allChanged: () => this.clear(),
    })
  }

  /** Forgets all records: what `load` makes of them has changed. */
  clear(): void {
    this.#records.clear()
    this.#reads.clear()
  }

  /** Returns the record from the cache, else from storage. @throws any error of `load` */
  find(id: string): Promise<T | undefined> {
    const record = this.cached(id)
    return record === undefined ? this.read(id) : Promise.resolve(record)
  }

  /** Returns the record if it is in the cache. */
  cached(id: string): T | undefined {
    return this.#changes.isLive(this.#kind) ? this.#records.get(nameOf(id)) : undefined
  }

  /** Reads the record from storage; concurrent reads of one record are one. @throws any error of `load` */
  read(given: string): Promise<T | undefined> {
    const id = nameOf(given)
    const running = this.#reads.get(id)
    if (running !== undefined) return running
    const isLive = () => this.#changes.isLive(this.#kind)
    const was_live = isLive()
    const read: Promise<T | undefined> = this.#load(id).then(
      (record) => {
        if (!this.#finish(id, read)) return record
        // A server whose changes are not reported may have answered.
        if (record === undefined || !was_live || !isLive()) this.#records.delete(id)
        else this.#records.set(id, record)
        return record
      },
      (error: unknown) => {
        this.#finish(id, read)
        throw error
      },
    )
    this.#reads.set(id, read)
    return read
  }

  /** Whether the record did not change while it was read. */
  #finish(id: string, read: Promise<unknown>): boolean {
    return this.#reads.get(id) === read && this.#reads.delete(id)
  }
}

// Storage reports the name of a key, in which every lone surrogate is U+FFFD.
const nameOf = (id: string) => id.toWellFormed()
