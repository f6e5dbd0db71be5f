import type { Log } from '../core/log.ts'
import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { ListKey } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import type { NewSession } from './session.ts'

/** The list of the newest sessions of everybody. */
export const NEWEST: ListKey = { list: 'newest-sessions', owner: 'all' }
/** How many sessions it has; somewhat more until it is cut. */
export const MAX_NEWEST = 1000
const SLACK = 100
/** How often what waits is written, in milliseconds. */
const EVERY = 500

interface NewestContext {
  readonly storage: Pick<Storage, 'lists'>
  readonly log: Log
}

/** Keeps a list of the newest sessions. No sign-in waits for it, and what storage does not take is not in the list. */
export class NewestSessions extends PollingWorker {
  readonly #context: NewestContext
  #waiting: NewSession[] = []

  constructor(context: NewestContext, every = EVERY) {
    super(
      () => this.#write(),
      () => every,
    )
    this.#context = context
  }

  note(session: NewSession): void {
    this.#waiting.push(session)
    // Older ones would be cut at once.
    if (this.#waiting.length > MAX_NEWEST + SLACK) this.#waiting = this.#waiting.slice(-MAX_NEWEST)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#write()
  }

  async #write(): Promise<void> {
    const { storage, log } = this.#context
    const listings = this.#waiting.map(({ id, ends_at }) => ({ ...NEWEST, id, until: ends_at }))
    this.#waiting = []
    if (listings.length === 0) return
    try {
      await storage.lists.add(...listings)
      await this.#cut()
    } catch (error) {
      // Storage logs why it is unavailable.
      if (!(error instanceof StorageUnavailable))
        log.error({ err: error }, 'A bug prevented the list of the newest sessions.')
    }
  }

  /** Removes what is over the limit: those that end first, which are the oldest. */
  async #cut(): Promise<void> {
    const { lists } = this.#context.storage
    if ((await lists.count(NEWEST)) <= MAX_NEWEST + SLACK) return
    let { next } = await lists.page(NEWEST, { limit: MAX_NEWEST })
    while (next !== undefined) {
      const { entries, next: rest } = await lists.page(NEWEST, { after: next, limit: MAX_NEWEST })
      await lists.remove(NEWEST, ...entries.map(({ id }) => id))
      next = rest
    }
  }
}
