import { StorageUnavailable } from '../errors.ts'

/** Whether the storage is open. Every call checks it first. */
export class MemoryGate {
  #closed = false

  close(): void {
    this.#closed = true
  }

  /** @throws StorageUnavailable once the storage is closed */
  pass(): void {
    if (this.#closed) throw new StorageUnavailable('the storage is closed')
  }
}

/** What the parts of the storage share: a clock in milliseconds since 1970, and the gate. */
export interface Base {
  readonly now: () => number
  readonly gate: MemoryGate
}
