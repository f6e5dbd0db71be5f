import { overloaded } from '../core/errors.ts'

/** Lets so much work be done at one moment, so much more wait for its turn, and refuses what goes beyond that. */
export class Turns {
  readonly #max: number
  readonly #max_waiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(max: number, max_waiting: number) {
    this.#max = max
    this.#max_waiting = max_waiting
  }

  /**
   * Does the work when its turn has come, first come first served.
   * @throws OAuthError `temporarily_unavailable` (503) where too many wait already; whatever `work` throws
   */
  async take<T>(work: () => Promise<T>): Promise<T> {
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

  // A turn is handed on rather than given back: nobody who comes now gets ahead of those who wait.
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
