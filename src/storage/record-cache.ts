import type { Changes } from './changes.ts'
import type { KindName } from './records.ts'

const MAX_RECORDS = 10_000

/**
 * Parsed records of one kind, kept while storage reports every change of them; otherwise each look-up reads storage.
 * Keeps the records that were used last, and no missing ones.
 */
export class RecordCache<T extends object> {
  readonly #changes: Changes
  readonly #kind: KindName
  readonly #load: (id: string) => Promise<T | undefined>
  readonly #max: number
  /** In the order of their last use. */
  readonly #records = new Map<string, T>()
  /** The running reads by id. A change of the record removes its read, so that the result is not kept. */
  readonly #reads = new Map<string, Promise<T | undefined>>()

  /**
   * @param load reads a record from storage; undefined if there is none to keep
   * @param max how many records are kept
   */
  constructor(
    changes: Changes,
    kind: KindName,
    load: (id: string) => Promise<T | undefined>,
    max: number = MAX_RECORDS,
  ) {
    this.#changes = changes
    this.#kind = kind
    this.#load = load
    this.#max = max
    changes.watch(kind, {
      changed: (id) => {
        this.#records.delete(id)
        this.#reads.delete(id)
      },
      allChanged: () => {
        this.#records.clear()
        this.#reads.clear()
      },
    })
  }

  /** Returns the record from the cache, else from storage. @throws any error of `load` */
  async find(id: string): Promise<T | undefined> {
    return this.cached(id) ?? (await this.read(id))
  }

  /** Returns the record if it is in the cache. */
  cached(id: string): T | undefined {
    if (!this.#changes.isLive(this.#kind)) return undefined
    const record = this.#records.get(nameOf(id))
    if (record !== undefined) this.#keep(nameOf(id), record)
    return record
  }

  /** Reads the record from storage; concurrent reads of one record are one. @throws any error of `load` */
  read(given: string): Promise<T | undefined> {
    const id = nameOf(given)
    const running = this.#reads.get(id)
    if (running !== undefined) return running
    const read: Promise<T | undefined> = this.#load(id).then(
      (record) => {
        if (!this.#finish(id, read)) return record
        this.#records.delete(id)
        if (record !== undefined) this.#keep(id, record)
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

  #keep(id: string, record: T): void {
    this.#records.delete(id)
    const oldest = this.#records.keys().next()
    if (this.#records.size >= this.#max && !oldest.done) this.#records.delete(oldest.value)
    this.#records.set(id, record)
  }

  /** Whether the record did not change while it was read. */
  #finish(id: string, read: Promise<unknown>): boolean {
    return this.#reads.get(id) === read && this.#reads.delete(id)
  }
}

// Storage reports the name of a key, in which every lone surrogate is U+FFFD.
const nameOf = (id: string) => id.toWellFormed()
