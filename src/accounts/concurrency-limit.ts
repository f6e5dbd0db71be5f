import { overloaded } from '../core/errors.ts'
import { type Asker, FairQueue, type QueueLimits } from './fair-queue.ts'

/** Runs at most `max` tasks at the same time. More wait, within limits and in fair turns; further ones are refused. */
export class ConcurrencyLimit {
  readonly #max: number
  readonly #waiting: FairQueue<() => void>
  #running = 0

  constructor(max: number, waiting: QueueLimits) {
    this.#max = max
    this.#waiting = new FairQueue(waiting)
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Runs a task when a slot is free and it is the turn of `asker`.
   * @throws OAuthError `temporarily_unavailable` (503) if too many tasks wait, in all or of `asker`; an error of `work`
   */
  async run<T>(work: () => Promise<T>, asker?: Asker): Promise<T> {
    await this.#enter(asker)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(asker: Asker | undefined): Promise<void> {
    if (this.#running < this.#max) {
      this.#running += 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      if (!this.#waiting.add(resolve, asker)) reject(overloaded())
    })
  }

  // Pass the slot directly to the next in turn, so that a new call cannot overtake it.
  #leave(): void {
    const next = this.#waiting.next()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
