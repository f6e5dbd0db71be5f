import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { Log } from '../core/log.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SigningKeyStore } from '../storage/signing-keys.ts'
import type { SigningKeyRecord } from './key-record.ts'
import { maintainSigningKeys, type RotationSettings } from './rotate.ts'
import { RELOAD_INTERVAL, STALE_AFTER } from './timing.ts'
import { unwrapPrivateKey } from './wrap.ts'

export interface SigningKey {
  kid: string
  alg: SigningAlg
  privateKey: KeyObject
}

export interface VerificationKey {
  alg: SigningAlg
  publicKey: KeyObject
}

export interface KeyRingOptions {
  store: SigningKeyStore
  settings: RotationSettings
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
}

const RETRY_MS = 1000

/**
 * This replica's copy of the signing keys, read every RELOAD_INTERVAL seconds. If that fails for STALE_AFTER seconds,
 * the replica does not sign, verify or publish.
 */
export class KeyRing {
  readonly #options: KeyRingOptions
  #signing = new Map<SigningAlg, SigningKey>()
  #verification = new Map<string, VerificationKey>()
  #jwks: readonly JWK[] = []
  #readAt = Number.NEGATIVE_INFINITY
  /** Whether it was logged that storage is unavailable. */
  #unavailable = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /**
   * Reads the keys now and at each interval. Returns even if storage is unavailable, and then retries.
   * @throws SigningKeyError if the stored keys cannot be used; an operator must repair them
   */
  async start(): Promise<void> {
    try {
      await this.reload()
      this.#schedule(RELOAD_INTERVAL * 1000)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      this.#reportUnavailable()
      this.#schedule(RETRY_MS)
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Whether the keys were read within STALE_AFTER seconds, so that this replica may sign, verify and publish. */
  get fresh(): boolean {
    return this.#options.now() - this.#readAt < STALE_AFTER * 1000
  }

  /**
   * Returns the key that signs with `alg`.
   * @throws StorageUnavailable if the keys are stale or there is no such key yet
   */
  signingKey(alg: SigningAlg): SigningKey {
    this.#assertFresh()
    const key = this.#signing.get(alg)
    if (key === undefined) throw new StorageUnavailable(`No signing key for ${alg} is in use yet.`)
    return key
  }

  /**
   * Returns the published key with this kid, or undefined if it is missing.
   * @throws StorageUnavailable if the keys are stale: the key may have been added or removed since
   */
  verificationKey(kid: string): VerificationKey | undefined {
    this.#assertFresh()
    return this.#verification.get(kid)
  }

  /**
   * Returns the public parts of all keys (RFC 7517 §5); the same array until the keys were read again.
   * @throws StorageUnavailable if the keys are stale
   */
  publicKeys(): readonly JWK[] {
    this.#assertFresh()
    return this.#jwks
  }

  /**
   * Maintains the stored keys and reads them now.
   * @throws StorageUnavailable, SigningKeyError
   */
  async reload(): Promise<void> {
    const { store, settings, now } = this.#options
    const startedAt = now()
    const records = await maintainSigningKeys(store, settings, new Date(startedAt))
    const signing = await Promise.all(
      records.filter((record) => record.status === 'current').map((record) => this.#toSigningKey(record)),
    )
    this.#signing = new Map(signing.map((key) => [key.alg, key]))
    this.#verification = new Map(records.map((record) => [record.kid, toVerificationKey(record)]))
    // The same order in every replica, so that caches see the same bytes.
    this.#jwks = records.toSorted((a, b) => (a.kid < b.kid ? -1 : 1)).map((record) => record.public_jwk)
    this.#readAt = startedAt
    this.#unavailable = false
  }

  async #toSigningKey(record: SigningKeyRecord): Promise<SigningKey> {
    const known = this.#signing.get(record.alg)
    if (known?.kid === record.kid) return known
    const jwk = await unwrapPrivateKey(record, this.#options.settings.key_encryption_key)
    return {
      kid: record.kid,
      alg: record.alg,
      privateKey: createPrivateKey({ key: { ...jwk }, format: 'jwk' }),
    }
  }

  #assertFresh(): void {
    if (!this.fresh) throw new StorageUnavailable('The signing keys could not be read for too long.')
  }

  #schedule(ms: number): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.#reloadAndSchedule(), ms).unref()
  }

  async #reloadAndSchedule(): Promise<void> {
    try {
      await this.reload()
      this.#schedule(RELOAD_INTERVAL * 1000)
    } catch (error) {
      if (error instanceof StorageUnavailable) this.#reportUnavailable()
      else this.#options.log.error({ err: error }, 'The signing keys could not be read. Trying again.')
      this.#schedule(RETRY_MS)
    }
  }

  /** Once until they can be read again: storage logs the cause itself. */
  #reportUnavailable(): void {
    if (this.#unavailable) return
    this.#unavailable = true
    this.#options.log.warn({}, 'The signing keys cannot be read: storage is unavailable. Trying again.')
  }
}

function toVerificationKey(record: SigningKeyRecord): VerificationKey {
  return { alg: record.alg, publicKey: createPublicKey({ key: { ...record.public_jwk }, format: 'jwk' }) }
}
