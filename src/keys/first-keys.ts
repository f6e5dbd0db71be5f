import { setTimeout as pause } from 'node:timers/promises'
import type { SigningAlg } from '../core/algs.ts'
import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SigningKeyRecord } from './key-record.ts'
import { RETRY_MS } from './reloader.ts'
import { algsWithoutKey, lacksKeys } from './rotate.ts'

interface FirstKeysOptions {
  /** Makes missing keys: first keys alone, or all. @throws StorageUnavailable, StoredKeyError */
  readonly make: (only_first: boolean) => Promise<void>
  /** Reads the keys, and reports them to `found`. @throws StorageUnavailable, StoredKeyError */
  readonly reload: () => Promise<void>
  readonly log: Log
}

/** Milliseconds that a request waits for the first keys: it must be answered within a second. */
const WAIT_MS = 900

/**
 * Makes missing signing keys in the background, and knows which algorithms have no key yet
 * (docs/decisions/0002-key-ring.md).
 */
export class FirstKeys {
  readonly #options: FirstKeysOptions
  #unmade: readonly SigningAlg[] = []
  #is_making = false
  /** The last attempt, with the reading of what it made. */
  #attempt: Promise<void> | undefined
  #closed = false

  constructor(options: FirstKeysOptions) {
    this.#options = options
  }

  /** Takes note of the keys that are stored, and begins to make those that are missing. */
  found(records: readonly SigningKeyRecord[]): void {
    this.#unmade = algsWithoutKey(records)
    if (!lacksKeys(records) || this.#is_making) return
    this.#is_making = true
    this.#attempt = this.#make()
  }

  /** Makes no further attempt. */
  close(): void {
    this.#closed = true
  }

  /** Whether the first key of `alg` is still to be made. */
  awaits(alg: SigningAlg): boolean {
    return this.#unmade.includes(alg)
  }

  /** @throws StorageUnavailable if a first key is still to be made */
  assertMade(): void {
    if (this.#unmade.length > 0) throw new StorageUnavailable('The first signing keys are being made.')
  }

  /**
   * Returns what to wait for while the first keys are made; undefined: no first key is awaited.
   * @throws the promise StorageUnavailable, if that takes too long
   */
  wait(): Promise<void> | undefined {
    return this.#unmade.length === 0 ? undefined : this.#wait()
  }

  async #wait(): Promise<void> {
    await Promise.race([this.#attempt, pause(WAIT_MS)])
    this.assertMade()
  }

  // First keys, which requests wait for, before those that sign next.
  async #make(): Promise<void> {
    const { make, reload, log } = this.#options
    try {
      await make(this.#unmade.length > 0)
      // If keys are still missing, the reload begins anew.
      this.#is_making = false
      await reload()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        this.#is_making = false
        log.error({ err: error }, 'Missing signing keys could not be made. Trying again.')
        return
      }
      await pause(RETRY_MS, undefined, { ref: false })
      if (!this.#closed) await this.#make()
    }
  }
}
