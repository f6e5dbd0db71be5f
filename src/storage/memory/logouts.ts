import type { LogoutNotice, LogoutQueue } from '../storage.ts'
import { MemoryPending } from './pending.ts'

interface Queued {
  notice: LogoutNotice
  /** When it is due, in milliseconds since 1970. */
  due: number
}

/** Logouts in memory that clients have yet to hear of. */
export abstract class MemoryLogouts extends MemoryPending implements LogoutQueue {
  readonly #queue = new Map<string, Queued>()

  async queueLogouts(notices: readonly LogoutNotice[]): Promise<void> {
    this.assertOpen()
    for (const notice of notices) this.#queue.set(notice.id, { notice: { ...notice }, due: this.now() })
  }

  async claimLogouts(max: number, lease: number): Promise<LogoutNotice[]> {
    this.assertOpen()
    const now = this.now()
    const due = [...this.#queue.values()].filter((queued) => queued.due <= now)
    const claimed = due.sort((one, other) => one.due - other.due).slice(0, max)
    for (const queued of claimed) queued.due = now + lease * 1000
    return claimed.map(({ notice }) => ({ ...notice }))
  }

  async finishLogout(notice: LogoutNotice): Promise<void> {
    this.assertOpen()
    if (this.#isQueued(notice)) this.#queue.delete(notice.id)
  }

  async putOffLogout(notice: LogoutNotice, delay: number): Promise<void> {
    this.assertOpen()
    if (!this.#isQueued(notice)) return
    const later = { ...notice, attempts: notice.attempts + 1 }
    this.#queue.set(notice.id, { notice: later, due: this.now() + delay * 1000 })
  }

  // Whoever claimed it long ago knows nothing of the attempts since.
  #isQueued({ id, attempts }: LogoutNotice): boolean {
    return this.#queue.get(id)?.notice.attempts === attempts
  }
}
