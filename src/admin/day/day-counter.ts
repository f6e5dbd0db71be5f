import { randomUUID } from 'node:crypto'
import type { Log } from '../../core/log.ts'
import { PollingWorker } from '../../core/worker.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import type { Storage } from '../../storage/storage.ts'
import { addCounts, formatCounts, type HourCounts, isNothing, noCounts } from './hour-counts.ts'

/** The counts of the last day: `<hour since 1970>.<process>` names those of one process in one hour. */

/** In milliseconds. */
export const HOUR = 3_600_000
/** For how many hours counts are kept: the last day, and the hour that goes on. */
export const HOURS_KEPT = 25
/** 40 processes for a day. Of more, or of processes that start again and again, the oldest hours are dropped. */
const MAX_ENTRIES = 1000
const EVERY = 60_000

interface DayCounterContext {
  readonly storage: Pick<Storage, 'bounded'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Writes every minute what this process counted in this hour, so that no request waits for it. A process replaces its own
 * counts, and adds to nobody's: written twice, they count once. While storage does not answer, they wait for it, for a day
 * at most; those of a process that ends meanwhile are lost.
 */
export class DayCounter extends PollingWorker {
  readonly #context: DayCounterContext
  /** Returns what the process counted since it started. */
  readonly #read: () => Promise<HourCounts>
  readonly #id = randomUUID()
  /** What was counted in each hour, and whether that is written. */
  readonly #hours = new Map<number, { counts: HourCounts; is_written: boolean }>()
  #before = noCounts()

  constructor(context: DayCounterContext, read: () => Promise<HourCounts>, every = EVERY) {
    super(
      () => this.#try(() => this.#count()),
      () => every,
    )
    this.#context = context
    this.#read = read
  }

  /** Writes what was counted until now. Resolves also if storage is unavailable. */
  override async close(): Promise<void> {
    await super.close()
    await this.#try(() => this.#count())
  }

  async #count(): Promise<void> {
    const hour = Math.floor(this.#context.now() / HOUR)
    const total = await this.#read()
    const counted = noCounts()
    addCounts(counted, total)
    addCounts(counted, this.#before, -1)
    this.#before = total
    if (!isNothing(counted)) {
      const own = this.#hours.get(hour) ?? { counts: noCounts(), is_written: false }
      addCounts(own.counts, counted)
      own.is_written = false
      this.#hours.set(hour, own)
    }
    for (const known of this.#hours.keys())
      if (known <= hour - HOURS_KEPT || known > hour) this.#hours.delete(known)
    await this.#write()
  }

  async #write(): Promise<void> {
    const { storage, now } = this.#context
    for (const [hour, own] of this.#hours) {
      if (own.is_written) continue
      const ttl = (hour + HOURS_KEPT) * HOUR - now()
      const entry = { name: `${hour}.${this.#id}`, text: formatCounts(own.counts) }
      await storage.bounded.put('day-counts', [entry], { ttl, max: MAX_ENTRIES })
      own.is_written = true
    }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // Storage logs why it is unavailable, and the next minute tries again.
      if (error instanceof StorageUnavailable) return
      this.#context.log.error({ err: error }, 'A bug prevented the counts of the last day.')
    }
  }
}
