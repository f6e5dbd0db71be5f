import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import { Reloader } from './reloader.ts'
import type { RotationSettings } from './rotate.ts'
import { kidOf, openWith, type SealingKey, sealWith } from './seal.ts'
import { maintainSealingKeys, parseSealingKeys, type SealingKeyRecord } from './sealing-keys.ts'
import { unwrapPrivateKey } from './wrap.ts'

/** What a sealed value is for. A value that was sealed for one purpose cannot be opened for another. */
export type SealPurpose =
  | 'account-list'
  | 'admin-answer'
  | 'admin-cursor'
  | 'arrival'
  | 'ask-ping'
  | 'browser'
  | 'console'
  | 'console-form'
  | 'console-start'
  | 'console-undo'
  | 'demo'
  | 'demo-device'
  | 'dpop'
  | 'forgot'
  | 'forward'
  | 'forward-start'
  | 'mail'
  | 'mail-request'
  | 'page'
  | 'passkey'
  | 'pending'
  | 'recovery-codes'
  | 'remembered'
  | 'second-step-setup'

export interface SealerOptions {
  readonly store: SharedHash
  readonly settings: Pick<RotationSettings, 'key_encryption_key'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Seals values that browsers and clients keep for us, with keys that all replicas share: nobody else can read, change or
 * make one. The keys are read every RELOAD_INTERVAL seconds.
 */
export class Sealer {
  readonly #options: SealerOptions
  readonly #reloader: Reloader
  #keys: readonly SealingKey[] = []
  /** The newest one that every replica has. */
  #current: SealingKey | undefined

  constructor(options: SealerOptions) {
    this.#options = options
    const { log, now } = options
    this.#reloader = new Reloader({ what: 'sealing keys', load: () => this.#load(), log, now })
  }

  /**
   * Reads the keys now and at each interval. Returns even if storage is unavailable, and then retries.
   * @throws StoredKeyError if the stored keys cannot be used; an operator must repair them
   */
  start(): Promise<void> {
    return this.#reloader.start()
  }

  close(): void {
    this.#reloader.close()
  }

  /** Whether the keys were read within STALE_AFTER seconds, so that none is missing. */
  get fresh(): boolean {
    return this.#reloader.fresh
  }

  /** Maintains the stored keys and reads them now. @throws StorageUnavailable, StoredKeyError */
  reload(): Promise<void> {
    return this.#reloader.reload()
  }

  /**
   * Returns a text, sealed: `<kid>.<salt, ciphertext and tag>`, 63 characters and four for every three bytes.
   * @throws StorageUnavailable if no key could be read yet
   */
  seal(purpose: SealPurpose, text: string): string {
    if (this.#current === undefined) throw new StorageUnavailable('There is no sealing key yet.')
    return sealWith(this.#current, purpose, text)
  }

  /**
   * Returns the text of a sealed value; undefined if it was not sealed here for this purpose, or was changed.
   * @throws StorageUnavailable if its key is unknown, and the keys could not be read for too long
   */
  open(purpose: SealPurpose, sealed: string): string | undefined {
    const kid = kidOf(sealed)
    if (kid === undefined) return undefined
    const key = this.#keys.find((known) => known.kid === kid)
    if (key === undefined) {
      this.#reloader.assertFresh()
      return undefined
    }
    return openWith(key, purpose, sealed)
  }

  async #load(): Promise<void> {
    const { store, settings } = this.#options
    const now = await store.now()
    const records = await maintainSealingKeys(store, settings, now)
    this.#keys = await Promise.all(records.map((record) => this.#toKey(record)))
    this.#current = this.#keys[usableAt(records, now)]
  }

  async #toKey(record: SealingKeyRecord): Promise<SealingKey> {
    const { kid } = record
    const known = this.#keys.find((key) => key.kid === kid)
    return known ?? (await sealingKey(record, this.#options.settings))
  }
}

/**
 * Returns a text, sealed with the stored keys, for a process that has no Sealer; undefined if there are no keys yet.
 * @throws StorageUnavailable, StoredKeyError
 */
export async function sealOnce(
  { store, settings }: { store: Pick<SharedHash, 'read' | 'now'>; settings: SealerOptions['settings'] },
  purpose: SealPurpose,
  text: string,
): Promise<string | undefined> {
  const records = parseSealingKeys(await store.read())
  const record = records[usableAt(records, await store.now())]
  return record && sealWith(await sealingKey(record, settings), purpose, text)
}

/** Returns the place of the newest key that every replica has. */
function usableAt(records: readonly SealingKeyRecord[], now: number): number {
  const usable = records.findLastIndex(({ usable_at }) => Date.parse(usable_at) <= now)
  // If the clock of storage was set back, not even the first key may be usable yet.
  return Math.max(0, usable)
}

async function sealingKey(
  record: SealingKeyRecord,
  { key_encryption_key }: SealerOptions['settings'],
): Promise<SealingKey> {
  const { k = '' } = await unwrapPrivateKey(record, key_encryption_key)
  return { kid: record.kid, secret: Buffer.from(k, 'base64url') }
}
