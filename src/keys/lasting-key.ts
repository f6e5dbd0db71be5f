import type { Settings } from '../config/settings.ts'
import { parseObject } from '../core/json.ts'
import { FieldReader } from '../core/record-hash.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { kidOf, newSealingKey, openWith, type SealingKey, sealWith } from './seal.ts'
import { storedPrivateKey, unwrapPrivateKey, type WrappableKey } from './wrap.ts'

/** What it takes to seal what records keep. */
export interface LastingKeyContext {
  readonly storage: RecordStore
  readonly settings: Pick<Settings, 'key_encryption_key'>
}

/**
 * A key that seals secrets in records. Those of the Sealer end after some months; this one must last as long as the
 * records.
 */
export class LastingKey {
  readonly #kind: Kind<WrappableKey>
  readonly #purpose: string
  readonly #known = new WeakMap<RecordStore['records'], SealingKey>()

  /**
   * @param name of the kind of its record
   * @param purpose what it seals: the id of its record, too
   */
  constructor(name: string, purpose: string) {
    this.#kind = { name, ...RECORD }
    this.#purpose = purpose
  }

  /**
   * Seals a secret for its record.
   * @param owner what the secret belongs to, without spaces
   * @throws StorageUnavailable; StoredKeyError if the key cannot be used
   */
  async seal(context: LastingKeyContext, owner: string, secret: Buffer): Promise<string> {
    // Not a remembered one: storage may have lost it, and what it seals could not be opened after a restart.
    const key = (await this.#read(context)) ?? (await this.#create(context))
    return sealWith(key, this.#purpose, `${owner} ${secret.toString('base64url')}`)
  }

  /**
   * Opens a secret; undefined if it was sealed with a key that is gone, or for another owner.
   * @throws as seal; Error if the record of the key is malformed
   */
  async open(context: LastingKeyContext, owner: string, sealed: string): Promise<Buffer | undefined> {
    const kid = kidOf(sealed)
    const remembered = this.#known.get(context.storage.records)
    const key = remembered?.kid === kid ? remembered : await this.#read(context)
    if (key === undefined || key.kid !== kid) return undefined
    const [of, secret] = openWith(key, this.#purpose, sealed)?.split(' ') ?? []
    return of === owner && secret !== undefined ? Buffer.from(secret, 'base64url') : undefined
  }

  async #read({ storage, settings }: LastingKeyContext): Promise<SealingKey | undefined> {
    const found = await storage.records.read(this.#kind, this.#purpose)
    if (found === undefined) return undefined
    const record = recordOf(found)
    // Else every secret would be wrong, and counted.
    if (record === undefined) {
      throw new Error(`The record ${this.#place} is malformed: restore it, or remove it.`)
    }
    const { k = '' } = await unwrapPrivateKey(record, settings.key_encryption_key)
    const key = { kid: record.kid, secret: Buffer.from(k, 'base64url') }
    this.#known.set(storage.records, key)
    return key
  }

  async #create(context: LastingKeyContext): Promise<SealingKey> {
    const { kid, jwk } = newSealingKey()
    const stored = await storedPrivateKey(jwk, kid, context.settings.key_encryption_key)
    // Another replica may be the first.
    await context.storage.records.create(write(this.#kind, this.#purpose, { kid, ...stored }))
    const key = await this.#read(context)
    if (key === undefined) throw new Error(`The record ${this.#place} was removed just now.`)
    return key
  }

  get #place(): string {
    return `${this.#kind.name}:${this.#purpose}`
  }
}

const RECORD: Pick<Kind<WrappableKey>, 'format' | 'parse'> = {
  format: ({ kid, private_jwk, private_jwe }) => ({
    kid,
    ...(private_jwk && { private_jwk: JSON.stringify(private_jwk) }),
    ...(private_jwe !== undefined && { private_jwe }),
  }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const kid = fields.required('kid')
    const private_jwk = parseObject(fields.optional('private_jwk') ?? '')
    const private_jwe = fields.optional('private_jwe')
    if (private_jwk === undefined && private_jwe === undefined) fields.fail('private_jwk', 'is missing')
    if (fields.problems.length > 0) return { ok: false, problems: fields.problems }
    return {
      ok: true,
      record: { kid, ...(private_jwk && { private_jwk }), ...(private_jwe && { private_jwe }) },
    }
  },
}
