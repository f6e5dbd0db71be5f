/** What works in the background while the service runs. */
export interface Worker {
  /** Begins to work. Absent: it works when it is told of something. */
  start?(): unknown
  /** Ends, with what is under way. It may be called more than once. */
  close(): unknown
  /** It closes while the last requests are answered, so that closing the service takes no longer. */
  readonly closes_early?: true
}

/** Does work that waits in storage: whenever it is told of some, and at intervals, because another process may add some. */
export class PollingWorker implements Worker {
  /** It must not reject. */
  readonly #work: () => Promise<void>
  /** Milliseconds until the next look. */
  readonly #poll: () => number
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #again = false
  #closed = false

  constructor(work: () => Promise<void>, poll: () => number) {
    this.#work = work
    this.#poll = poll
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Starts to look for work at intervals. */
  start(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), this.#poll()).unref()
  }

  /** Looks for work now. */
  wake(): void {
    if (this.#closed) return
    this.#again = this.#working !== undefined
    if (this.#again) return
    clearTimeout(this.#timer)
    this.#working = this.#work().finally(() => {
      this.#working = undefined
      if (this.#closed) return
      if (this.#again) this.wake()
      else this.start()
    })
  }

  /** Looks no more. Resolves when the work that is under way has ended. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#working
  }
}
