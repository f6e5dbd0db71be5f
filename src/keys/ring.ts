import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { SigningAlg } from '../core/algs.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import type { RecordStore } from '../storage/storage.ts'
import { FirstKeys } from './first-keys.ts'
import { type NewKeyPair, QUICK_ALGS } from './generate.ts'
import type { KeyStatus, SigningKeyRecord } from './key-record.ts'
import { Reloader } from './reloader.ts'
import { readRestoreMark } from './restore-mark.ts'
import { type Making, maintainSigningKeys, type RotationSettings } from './rotate.ts'
import { type VerificationKey, verificationKeyOf } from './verification-key.ts'
import { VerifiedTokens } from './verified-jws.ts'
import { unwrapPrivateKey } from './wrap.ts'

export interface SigningKey {
  kid: string
  alg: SigningAlg
  privateKey: KeyObject
}

/** Since when a key signs, or is published to sign next, in milliseconds since 1970. */
export interface KeyAge {
  readonly alg: SigningAlg
  readonly status: KeyStatus
  readonly since: number
}

export interface KeyRingOptions {
  store: SharedHash
  /** Where the restore mark is. */
  records: RecordStore['records']
  settings: RotationSettings
  log: Log
  report?: ReportEvent
  /** Milliseconds since 1970. */
  now: () => number
  /** Makes key pairs; for tests. */
  make?: NewKeyPair
}

/**
 * This replica's copy of the signing keys, read every RELOAD_INTERVAL seconds. If that fails for STALE_AFTER seconds,
 * the replica does not sign, verify or publish. Missing keys whose generation takes long are made in the background,
 * and nothing is published before every algorithm has its first key (docs/decisions/0002-key-ring.md).
 */
export class KeyRing {
  readonly #options: KeyRingOptions
  /** The tokens that were verified with keys of this ring. */
  readonly verified = new VerifiedTokens()
  #signing = new Map<SigningAlg, SigningKey>()
  #verification = new Map<string, VerificationKey>()
  #jwks: readonly JWK[] = []
  #notBefore = 0
  #ages: readonly KeyAge[] = []
  readonly #firstKeys: FirstKeys
  readonly #reloader: Reloader

  constructor(options: KeyRingOptions) {
    this.#options = options
    const { log, now } = options
    this.#reloader = new Reloader({ what: 'signing keys', load: () => this.#load(), log, now })
    this.#firstKeys = new FirstKeys({
      make: async (only_first) => {
        await this.#maintain({ only_first })
      },
      reload: () => this.reload(),
      log,
    })
  }

  /**
   * Reads the keys now and at each interval. Returns even if storage is unavailable, and then retries.
   * @throws StoredKeyError if the stored keys cannot be used; an operator must repair them
   */
  start(): Promise<void> {
    return this.#reloader.start()
  }

  close(): void {
    this.#firstKeys.close()
    this.#reloader.close()
  }

  /** Whether the keys were read within STALE_AFTER seconds, so that this replica may sign, verify and publish. */
  get fresh(): boolean {
    return this.#reloader.fresh
  }

  /** The keys that sign, and those that sign next, as they were read last. */
  get ages(): readonly KeyAge[] {
    return this.#ages
  }

  /** Whether the first key of `alg` is still to be made. */
  awaitsFirstKey(alg: SigningAlg): boolean {
    return this.#firstKeys.awaits(alg)
  }

  /**
   * Returns what to wait for while the first keys are made; undefined: no first key is awaited.
   * @throws the promise StorageUnavailable, if that takes too long
   */
  firstKeys(): Promise<void> | undefined {
    return this.#firstKeys.wait()
  }

  /**
   * Returns the key that signs with `alg`.
   * @throws StorageUnavailable if the keys are stale or there is no such key yet
   */
  signingKey(alg: SigningAlg): SigningKey {
    this.#reloader.assertFresh()
    const key = this.#signing.get(alg)
    if (key === undefined) throw new StorageUnavailable(`No signing key for ${alg} is in use yet.`)
    return key
  }

  /**
   * Returns the published key with this kid, or undefined if it is missing; the same object until the key changes.
   * @throws StorageUnavailable if the keys are stale, or first keys are awaited: another replica may have added the key
   */
  verificationKey(kid: string): VerificationKey | undefined {
    this.#reloader.assertFresh()
    const key = this.#verification.get(kid)
    if (key === undefined) this.#firstKeys.assertMade()
    return key
  }

  /** What was issued before this time, in seconds since 1970, is refused: the restore mark. */
  get notBefore(): number {
    return this.#notBefore
  }

  /**
   * Returns the public parts of all keys (RFC 7517 §5); the same array until the keys were read again.
   * @throws StorageUnavailable if the keys are stale, or first keys are awaited: a cache must not miss them
   */
  publicKeys(): readonly JWK[] {
    this.#reloader.assertFresh()
    this.#firstKeys.assertMade()
    return this.#jwks
  }

  /**
   * Maintains the stored keys and reads them now.
   * @throws StorageUnavailable, StoredKeyError
   */
  reload(): Promise<void> {
    return this.#reloader.reload()
  }

  async #load(): Promise<void> {
    const [records, notBefore] = await Promise.all([
      this.#maintain({ algs: QUICK_ALGS }),
      readRestoreMark(this.#options),
    ])
    const current = records.filter((record) => record.status === 'current')
    const signing = await Promise.all(current.map((record) => this.#toSigningKey(record)))
    const verification = records.map((record) => this.#toVerificationKey(record))
    this.#notBefore = notBefore
    const signedBefore = [...this.#signing.values()]
    this.#signing = new Map(signing.map((key) => [key.alg, key]))
    this.#verification = new Map(verification.map((key) => [key.kid, key]))
    this.#reportGone(signedBefore)
    this.#ages = records.filter(isInUse).map(({ alg, status, created_at, current_since = created_at }) => ({
      alg,
      status,
      since: Date.parse(current_since),
    }))
    // The same order in every replica, so that caches see the same bytes.
    this.#jwks = records.toSorted((a, b) => (a.kid < b.kid ? -1 : 1)).map((record) => record.public_jwk)
    this.#firstKeys.found(records)
  }

  /** A key that signed is retired before it is removed, unless somebody removed it, or Redis lost its data. */
  #reportGone(signedBefore: readonly SigningKey[]): void {
    const gone = signedBefore.filter(({ kid }) => !this.#verification.has(kid))
    if (gone.length === 0) return
    this.#options.log.error(
      { kids: gone.map(({ kid }) => kid) },
      'Keys that signed are gone from Redis, so what they signed is refused. If nobody removed them, Redis lost its data: look whether it was emptied, restarted without persistence, or restored.',
    )
  }

  async #maintain(wanted: Pick<Making, 'algs' | 'only_first'>): Promise<SigningKeyRecord[]> {
    const { store, settings, make, report } = this.#options
    return maintainSigningKeys(store, settings, new Date(await store.now()), {
      ...wanted,
      ...(make && { make }),
      report,
    })
  }

  #toVerificationKey(record: SigningKeyRecord): VerificationKey {
    const key = verificationKeyOf(record)
    const known = this.#verification.get(record.kid)
    return known?.alg === key.alg && known.publicKey.equals(key.publicKey) ? known : key
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
}

function isInUse({ status }: SigningKeyRecord): boolean {
  return status !== 'retired'
}
