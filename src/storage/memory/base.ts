import { StorageUnavailable } from '../storage.ts'

/** What all of the storage in memory works with: a clock, and whether it is still open. */
export abstract class MemoryBase {
  protected closed = false
  /** Milliseconds since 1970. */
  protected readonly now: () => number

  /** @param now the clock, in milliseconds since 1970 */
  constructor({ now = Date.now }: { now?: () => number } = {}) {
    this.now = now
  }

  protected assertOpen(): void {
    if (this.closed) throw new StorageUnavailable('the storage is closed')
  }
}
