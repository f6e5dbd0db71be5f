import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { RELOAD_INTERVAL, STALE_AFTER } from './timing.ts'

interface ReloaderOptions {
  /** What is read, for the log: "signing keys". */
  readonly what: string
  /** Reads it. @throws StorageUnavailable, StoredKeyError */
  readonly load: () => Promise<void>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long to wait before another attempt when storage did not answer, in milliseconds. */
export const RETRY_MS = 1000

/** Reads keys from storage every RELOAD_INTERVAL seconds, and knows whether the last ones may still be used. */
export class Reloader {
  readonly #options: ReloaderOptions
  #readAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  /** Whether the timer waits for the next interval: nothing is being read, and the last attempt succeeded. */
  #waits = false
  #closed = false

  constructor(options: ReloaderOptions) {
    this.#options = options
  }

  /**
   * Reads now and at each interval. Returns even if storage is unavailable, and then retries.
   * @throws StoredKeyError if the stored keys cannot be used; an operator must repair them
   */
  async start(): Promise<void> {
    try {
      await this.reload()
      this.#waitForInterval()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      this.#schedule(RETRY_MS)
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Whether the keys were read within STALE_AFTER seconds. */
  get fresh(): boolean {
    // After a clock was set back, nobody knows how long ago that was.
    return Math.abs(this.#options.now() - this.#readAt) < STALE_AFTER * 1000
  }

  /** @throws StorageUnavailable if the keys were not read for STALE_AFTER seconds */
  assertFresh(): void {
    if (this.fresh) return
    // The process was suspended, or its clock jumped: the timer does not know.
    if (this.#waits) {
      clearTimeout(this.#timer)
      void this.#reloadAndSchedule()
    }
    throw new StorageUnavailable(`The ${this.#options.what} could not be read for too long.`)
  }

  /** Reads now. @throws StorageUnavailable, StoredKeyError */
  async reload(): Promise<void> {
    const startedAt = this.#options.now()
    await this.#options.load()
    this.#readAt = startedAt
  }

  #waitForInterval(): void {
    this.#waits = true
    this.#schedule(RELOAD_INTERVAL * 1000)
  }

  #schedule(ms: number): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.#reloadAndSchedule(), ms).unref()
  }

  async #reloadAndSchedule(): Promise<void> {
    this.#waits = false
    try {
      await this.reload()
      this.#waitForInterval()
    } catch (error) {
      const { log, what } = this.#options
      // Storage logs the cause itself.
      if (!(error instanceof StorageUnavailable)) {
        log.error({ err: error }, `The ${what} could not be read. Trying again.`)
      }
      this.#schedule(RETRY_MS)
    }
  }
}
