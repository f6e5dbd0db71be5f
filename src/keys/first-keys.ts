import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../core/log.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SigningKeyRecord } from './key-record.ts'
import { RETRY_MS } from './reloader.ts'
import { algsWithoutKey, lacksKeys } from './rotate.ts'

interface FirstKeysOptions {
  /** Makes and reads all missing keys. @throws StorageUnavailable, StoredKeyError */
  readonly make: () => Promise<void>
  readonly log: Log
}

/** Milliseconds that a request waits for the first keys: it must be answered within a second. */
const WAIT_MS = 900

/**
 * Makes missing signing keys in the background, and knows which algorithms have no key yet
 * (docs/decisions/0038-first-keys.md).
 */
export class FirstKeys {
  readonly #options: FirstKeysOptions
  #unmade: readonly SigningAlg[] = []
  #making: Promise<void> | undefined
  #closed = false

  constructor(options: FirstKeysOptions) {
    this.#options = options
  }

  /** Takes note of the keys that are stored, and begins to make those that are missing. */
  found(records: readonly SigningKeyRecord[]): void {
    this.#unmade = algsWithoutKey(records)
    if (lacksKeys(records) && this.#making === undefined) {
      this.#making = this.#make().finally(() => {
        this.#making = undefined
      })
    }
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
    await Promise.race([this.#making, pause(WAIT_MS)])
    this.assertMade()
  }

  async #make(): Promise<void> {
    try {
      await this.#options.make()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        this.#options.log.error({ err: error }, 'Missing signing keys could not be made. Trying again.')
        return
      }
      await pause(RETRY_MS, undefined, { ref: false })
      if (!this.#closed) await this.#make()
    }
  }
}
