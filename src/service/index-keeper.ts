import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { FITTED, fitAll, fittedAt, type Index, noteFitted } from '../storage/indexes.ts'
import { paced } from '../storage/paced.ts'
import type { Storage } from '../storage/storage.ts'

/** When the indexes are repaired; in seconds. */
export interface IndexTiming {
  /** From a reported change to the repair of what it changed. */
  readonly delay: number
  /** From the start to the first look whether all has to be repaired, and between two looks. */
  readonly first_look: number
  readonly look: number
}

/** One look is so late that replicas that start together have settled. */
export const INDEX_TIMING: IndexTiming = { delay: 0.5, first_look: 10, look: 60 }

/** How many records are repaired at a time, and how many changes are kept: a flood of more is repaired as a whole. */
const AT_A_TIME = 50
/** How many of a kind are repaired after one delay: about a thousand a second. */
const A_TURN = 500
const MAX_WAITING = 10_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/**
 * For how many seconds one server repairs everything before another may begin: a million users take an hour on a busy
 * machine.
 */
const TURN = 7200
const TURN_ID = 'turn'

interface Options {
  readonly storage: Pick<Storage, 'records' | 'changes'>
  readonly indexes: readonly Index[]
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly timing: IndexTiming
}

/**
 * Keeps the indexes right, also after records were written by hand. Each server repairs what it learns of by reports of
 * changes. Every day one of them repairs everything, and within the hour after reports may have been lost.
 */
export class IndexKeeper {
  readonly #options: Options
  /** The ids of changed records. */
  readonly #waiting = new Map<Index, Set<string>>()
  /** Since when reports may have been lost, in milliseconds since 1970. */
  #gap: number
  #fit: Promise<void> | undefined
  #fit_timer: NodeJS.Timeout | undefined
  #look_timer: NodeJS.Timeout | undefined
  readonly #closing = new AbortController()

  constructor(options: Options) {
    this.#options = options
    this.#gap = options.now()
  }

  /** Watches changes from now on. */
  start(): void {
    const { indexes, storage, now, timing } = this.#options
    const lose = () => {
      this.#gap = now()
    }
    for (const index of indexes) {
      if (index.fit === undefined) continue
      const ids = new Set<string>()
      this.#waiting.set(index, ids)
      const changed = (id: string) => {
        if (ids.size < MAX_WAITING) ids.add(id)
        else lose()
        this.#expectFit()
      }
      storage.changes.watch(index.kind, { changed, allChanged: lose })
    }
    this.#lookIn(timing.first_look)
  }

  /** Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#fit_timer)
    clearTimeout(this.#look_timer)
    await this.#fit
  }

  #expectFit(): void {
    const { signal } = this.#closing
    if (this.#fit_timer !== undefined || signal.aborted) return
    this.#fit_timer = setTimeout(() => {
      this.#fit = this.#fitChanged().finally(() => {
        this.#fit_timer = undefined
        if ([...this.#waiting.values()].some((ids) => ids.size > 0)) this.#expectFit()
      })
    }, this.#options.timing.delay * 1000).unref()
  }

  async #fitChanged(): Promise<void> {
    for (const [index, ids] of this.#waiting) {
      for (let left = A_TURN; left > 0 && ids.size > 0; left -= AT_A_TIME) {
        const some = firstOf(ids, AT_A_TIME)
        for (const id of some) ids.delete(id)
        await this.#try(async () => index.fit?.(some))
      }
    }
  }

  #lookIn(seconds: number): void {
    const { timing } = this.#options
    if (this.#closing.signal.aborted) return
    this.#look_timer = setTimeout(async () => {
      await this.#try(() => this.#look())
      this.#lookIn(timing.look)
    }, seconds * 1000).unref()
  }

  /** Repairs everything if that is due and no other server does it. */
  async #look(): Promise<void> {
    const { storage, indexes, now } = this.#options
    const last = (await fittedAt(storage)) ?? Number.NEGATIVE_INFINITY
    const started = now()
    if (started < last + (this.#gap > last ? HOUR : DAY)) return
    const turn = { kind: FITTED, id: TURN_ID, hash: FITTED.format(started), ttl: TURN }
    if ((await storage.records.create(turn)) === 'exists') return
    // Requests hardly notice it.
    for await (const _ of paced(fitAll(storage, indexes), this.#closing.signal));
    await noteFitted(storage, started)
    await storage.records.take(FITTED, TURN_ID)
  }

  /** Reports lost meanwhile are made good by the next whole repair. */
  async #try(work: () => Promise<void>): Promise<void> {
    const { log, now } = this.#options
    try {
      await work()
    } catch (error) {
      this.#gap = now()
      if (error instanceof StorageUnavailable || this.#closing.signal.aborted) return
      log.error({ err: error }, 'The lists of records could not be repaired.')
    }
  }
}

/** Returns the first of some ids, at most so many. */
function firstOf(ids: ReadonlySet<string>, limit: number): string[] {
  const first: string[] = []
  for (const id of ids) {
    if (first.length === limit) break
    first.push(id)
  }
  return first
}
