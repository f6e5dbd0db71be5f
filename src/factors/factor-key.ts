import type { Settings } from '../config/settings.ts'
import { parseObject } from '../core/json.ts'
import { FieldReader } from '../core/record-hash.ts'
import { kidOf, newSealingKey, openWith, type SealingKey, sealWith } from '../keys/seal.ts'
import { storedPrivateKey, unwrapPrivateKey, type WrappableKey } from '../keys/wrap.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** What it takes to seal what records of factors keep. */
export interface FactorKeyContext {
  readonly storage: RecordStore
  readonly settings: Pick<Settings, 'key_encryption_key'>
}

/**
 * The key that seals secrets of factors at rest. Those of the Sealer end after some months; what somebody's app has must
 * last as long as the app.
 */
const FACTOR_KEY: Kind<WrappableKey> = {
  name: 'factor-key',
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

/** The only one: it seals the secrets of authenticator apps. */
const ID = 'totp'
const PURPOSE = 'totp'

const known = new WeakMap<RecordStore['records'], SealingKey>()

/**
 * Seals a secret of an account for its record.
 * @throws StorageUnavailable; StoredKeyError if the key cannot be used
 */
export async function sealFactor(
  context: FactorKeyContext,
  username: string,
  secret: Buffer,
): Promise<string> {
  // Not a remembered one: storage may have lost it, and what it seals could not be opened after a restart.
  const key = (await readKey(context)) ?? (await createKey(context))
  return sealWith(key, PURPOSE, `${username} ${secret.toString('base64url')}`)
}

/**
 * Opens a secret of an account; undefined if it was sealed with a key that is gone, or for another account.
 * @throws as sealFactor
 */
export async function openFactor(
  context: FactorKeyContext,
  username: string,
  sealed: string,
): Promise<Buffer | undefined> {
  const kid = kidOf(sealed)
  const remembered = known.get(context.storage.records)
  const key = remembered?.kid === kid ? remembered : await readKey(context)
  if (key === undefined || key.kid !== kid) return undefined
  // A username has no spaces.
  const [owner, secret] = openWith(key, PURPOSE, sealed)?.split(' ') ?? []
  return owner === username && secret !== undefined ? Buffer.from(secret, 'base64url') : undefined
}

async function readKey({ storage, settings }: FactorKeyContext): Promise<SealingKey | undefined> {
  const record = recordOf(await storage.records.read(FACTOR_KEY, ID))
  if (record === undefined) return undefined
  const { k = '' } = await unwrapPrivateKey(record, settings.key_encryption_key)
  const key = { kid: record.kid, secret: Buffer.from(k, 'base64url') }
  known.set(storage.records, key)
  return key
}

async function createKey(context: FactorKeyContext): Promise<SealingKey> {
  const { kid, jwk } = newSealingKey()
  const stored = await storedPrivateKey(jwk, kid, context.settings.key_encryption_key)
  // Another replica may be the first.
  await context.storage.records.create(write(FACTOR_KEY, ID, { kid, ...stored }))
  const key = await readKey(context)
  if (key === undefined) throw new Error('The record factor-key:totp is malformed: restore it, or remove it.')
  return key
}
