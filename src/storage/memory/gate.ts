import { StorageUnavailable } from '../errors.ts'

/** Whether a storage in memory is still open. Every call passes it first. */
export class Gate {
  #closed = false

  close(): void {
    this.#closed = true
  }

  /** @throws StorageUnavailable once the storage is closed */
  pass(): void {
    if (this.#closed) throw new StorageUnavailable('the storage is closed')
  }
}

/** What the parts of a storage in memory share: a clock in milliseconds since 1970, and the gate. */
export interface Base {
  readonly now: () => number
  readonly gate: Gate
}
