import { overloaded } from '../core/errors.ts'

/** Runs at most `max` tasks at the same time. At most `max_waiting` more wait; further ones are refused. */
export class ConcurrencyLimit {
  readonly #max: number
  readonly #max_waiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(max: number, max_waiting: number) {
    this.#max = max
    this.#max_waiting = max_waiting
  }

  /**
   * Runs a task when a slot is free, in the order of the calls.
   * @throws OAuthError `temporarily_unavailable` (503) if too many wait already; any error of `work`
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#max) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= this.#max_waiting) throw overloaded()
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  // Pass the slot directly to the next in line, so that a new call cannot overtake it.
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
