import { StorageUnavailable } from '../storage/errors.ts'
import { type EndingsContext, workOffEndings } from './endings.ts'

// In milliseconds: how often a server looks for work that no event announced.
const POLL = 5000

/** Ends in the background what operators ended at once by a mark. All replicas share the work. */
export class EndingWorker {
  readonly #context: EndingsContext
  /** Called after each part: notices may have been queued. */
  readonly #notify: () => void
  readonly #poll: number
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> | undefined
  #again = false
  #closed = false

  constructor(context: EndingsContext, notify: () => void, poll = POLL) {
    this.#context = context
    this.#notify = notify
    this.#poll = poll
  }

  /** Starts to look for work at intervals. */
  start(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), this.#poll).unref()
  }

  /** Looks for work now. */
  wake(): void {
    if (this.#closed) return
    this.#again = this.#work !== undefined
    if (this.#again) return
    clearTimeout(this.#timer)
    this.#work = this.#workOff().finally(() => {
      this.#work = undefined
      if (this.#closed) return
      if (this.#again) this.wake()
      else this.start()
    })
  }

  /** Stops after the part that is under way; another replica does the rest. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#work
  }

  async #workOff(): Promise<void> {
    try {
      await workOffEndings(this.#context, () => {
        this.#notify()
        return !this.#closed
      })
    } catch (error) {
      // What is unfinished is due again when its lease is over.
      if (error instanceof StorageUnavailable) return
      this.#context.log.error({ err: error }, 'Something that was ended could not be cleared away.')
    }
  }
}
