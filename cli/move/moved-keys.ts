import { isObject, parseObject } from '../../src/core/json.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { parseSigningKeys, type SigningKeyRecord } from '../../src/keys/key-record.ts'
import { areStored, mergeKeys, type SigningInstallation } from '../../src/keys/merge-keys.ts'
import { replaceKeys } from '../../src/keys/rotate.ts'
import { StoredKeyError, storedPrivateKey, unwrapPrivateKey } from '../../src/keys/wrap.ts'
import type { CommandContext } from '../command-context.ts'
import { Refusal } from '../errors.ts'
import type { Content } from './kind.ts'

const FIELDS = new Set(
  'kid alg status created_at usable_at current_since published_until public_jwk'.split(' '),
)
const PUBLIC = ['kty', 'n', 'e', 'crv', 'x', 'y'] as const

/** Yields the signing keys with their private parts. @throws StoredKeyError with another KEY_ENCRYPTION_KEY */
export async function* allKeys({
  storage,
  config,
}: CommandContext): AsyncGenerator<{ id: string; content: Content }> {
  for (const record of parseSigningKeys(await storage.signing_keys.read())) {
    const { private_jwk: _plain, private_jwe: _wrapped, public_jwk, ...texts } = record
    const jwk = await unwrapPrivateKey(record, config.settings.key_encryption_key)
    const fields = { ...texts, public_jwk: JSON.stringify(public_jwk) }
    yield { id: record.kid, content: { fields, private_jwk: JSON.stringify(jwk) } }
  }
}

/** Returns what is wrong with a key that comes from elsewhere. */
export function keyProblems(kid: string, content: Content): string[] {
  const record = readKey(kid, content)
  const is_known = Object.keys(content.fields).every((name) => FIELDS.has(name))
  if (record === undefined || !is_known) return ['is not a signing key']
  const { private_jwk = {}, public_jwk } = record
  const fits =
    PUBLIC.every((name) => private_jwk[name] === public_jwk[name]) && typeof private_jwk.d === 'string'
  return fits && !('d' in public_jwk) ? [] : ['has a private part that is not that of its public key']
}

/** What was done, or would be done, with all keys of a file. */
export type KeysOutcome = 'created' | 'changed' | 'unchanged'

/**
 * Puts the keys of a file with those that are stored.
 * @param signing whose keys sign afterwards; undefined: those that are stored must not be others
 * @param write whether to write, or only to say what would be done
 * @throws Refusal if there are other keys; StoredKeyError if those that are stored have another KEY_ENCRYPTION_KEY
 */
export async function putKeys(
  { storage, config, report }: CommandContext,
  keys: ReadonlyMap<string, Content>,
  signing: SigningInstallation | undefined,
  write: boolean,
): Promise<KeysOutcome> {
  const { key_encryption_key } = config.settings
  const moved = [...keys].flatMap(([kid, content]) => readKey(kid, content) ?? [])
  for (;;) {
    const before = await storage.signing_keys.read()
    const stored = parseSigningKeys(before)
    if (areStored(stored, moved)) return 'unchanged'
    if (stored.length > 0 && signing === undefined) throw new Refusal(OTHER_KEYS)
    // A process with another key must not add some that the servers cannot use.
    for (const record of stored) await unwrapPrivateKey(record, key_encryption_key)
    const outcome = stored.length === 0 ? 'created' : 'changed'
    if (!write) return outcome
    const now = new Date(await storage.signing_keys.now())
    const merged = mergeKeys(stored, await Promise.all(moved.map(wrapped)), signing ?? 'moved', now)
    if (await replaceKeys(storage.signing_keys, before, merged, report, 'operator')) return outcome
  }

  async function wrapped({ private_jwk = {}, ...record }: SigningKeyRecord): Promise<SigningKeyRecord> {
    return { ...record, ...(await storedPrivateKey(private_jwk, record.kid, key_encryption_key)) }
  }
}

const OTHER_KEYS =
  'There are other signing keys here. --on-conflict keep lets them sign, and publishes those of the file for the tokens that they signed; --on-conflict replace lets those of the file sign, and publishes the present ones so.'

function readKey(kid: string, { fields, private_jwk = '' }: Content): SigningKeyRecord | undefined {
  const { public_jwk: json = '', ...texts }: Hash = fields
  const [public_jwk, jwk] = [parseObject(json), parseObject(private_jwk)]
  if (!isObject(public_jwk) || jwk === undefined) return undefined
  try {
    const [record] = parseSigningKeys({ [kid]: JSON.stringify({ ...texts, public_jwk, private_jwk: jwk }) })
    return record
  } catch (error) {
    if (error instanceof StoredKeyError) return undefined
    throw error
  }
}
