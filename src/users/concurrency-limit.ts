import { overloaded } from '../core/errors.ts'
import { type Asker, FairQueue, type QueueLimits } from './fair-queue.ts'

/** How many tasks may wait: of strangers, and of people who are known. */
export interface WaitingLimits extends QueueLimits {
  readonly known: QueueLimits
}

/**
 * Runs at most `max` tasks at the same time. More wait, within limits and in fair turns; further ones are refused.
 * Strangers and people who are known have a queue each, which take turns.
 */
export class ConcurrencyLimit {
  readonly #max: number
  /** The first one is next in turn. */
  #queues: readonly [FairQueue<() => void>, FairQueue<() => void>]
  readonly #known: FairQueue<() => void>
  readonly #strangers: FairQueue<() => void>
  #running = 0

  constructor(max: number, { known, ...strangers }: WaitingLimits) {
    this.#max = max
    this.#known = new FairQueue(known)
    this.#strangers = new FairQueue(strangers)
    this.#queues = [this.#known, this.#strangers]
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#known.length + this.#strangers.length
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
      const queue = asker?.is_known ? this.#known : this.#strangers
      if (!queue.add(resolve, asker)) reject(overloaded())
    })
  }

  // Pass the slot directly to the next in turn, so that a new call cannot overtake it.
  #leave(): void {
    const [first, second] = this.#queues
    this.#queues = [second, first]
    const next = first.next() ?? second.next()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
