import type { Settings } from '../../config/settings.ts'
import { count } from '../../core/count.ts'
import { parseSigningKeys, type SigningKeyRecord } from '../../keys/key-record.ts'
import { readRestoreMark } from '../../keys/restore-mark.ts'
import { algsWithoutKey } from '../../keys/rotate.ts'
import { parseSealingKeys } from '../../keys/sealing-keys.ts'
import { StoredKeyError, unwrapPrivateKey } from '../../keys/wrap.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import type { Storage } from '../../storage/storage.ts'

const NO_START = 'Servers do not start before this is repaired.'
const DAY = 86_400_000

type Keys = Pick<Storage, 'signing_keys'>

/** Returns the findings about the signing keys. @param now milliseconds since 1970 */
export async function keyFindings(
  { signing_keys }: Keys,
  settings: Settings,
  now: number,
): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('signing keys')
  try {
    const keys = parseSigningKeys(await signing_keys.read())
    if (keys.length === 0) return [warning('there are none', 'Start a server: the first one makes them.')]
    for (const key of keys) await unwrapPrivateKey(key, settings.key_encryption_key)
    const lacking = algsWithoutKey(keys)
    if (lacking.length > 0)
      return [
        problem(`there is none for ${lacking.join(', ')}`, 'Look at the log of a server: it makes them.'),
      ]
    const current = keys.flatMap(({ current_since, status }) =>
      status === 'current' && current_since !== undefined ? [Date.parse(current_since)] : [],
    )
    const age = Math.floor((now - Math.min(...current)) / DAY)
    const found = `${count(keys.length, 'key')}, the oldest signs for ${count(age, 'day')}`
    const is_late = age > settings.key_rotation_days
    const ages = is_late
      ? warning(
          `${found}, and KEY_ROTATION_DAYS is ${settings.key_rotation_days}`,
          'Check whether a server runs; redmint keys rotate rotates them now.',
        )
      : ok(found)
    return [ages, wrapping(keys, settings.key_encryption_key !== undefined)]
  } catch (error) {
    if (!(error instanceof StoredKeyError)) throw error
    return [problem(error.message, NO_START)]
  }
}

/** Returns the problems of what else servers read when they start: none if they can use it. */
export async function startFindings(storage: Storage, settings: Settings): Promise<Finding[]> {
  const readSealingKeys = async () => {
    for (const key of parseSealingKeys(await storage.sealing_keys.read()))
      await unwrapPrivateKey(key, settings.key_encryption_key)
  }
  return [
    ...(await unusable('sealing keys', readSealingKeys)),
    ...(await unusable('restore mark', () => readRestoreMark(storage))),
  ]
}

async function unusable(check: string, read: () => Promise<unknown>): Promise<Finding[]> {
  try {
    await read()
    return []
  } catch (error) {
    if (!(error instanceof StoredKeyError)) throw error
    return [findingsOf(check).problem(error.message, NO_START)]
  }
}

function wrapping(keys: readonly SigningKeyRecord[], wraps: boolean): Finding {
  const { ok, warning } = findingsOf('keys at rest')
  const plain = keys.filter(({ private_jwk }) => private_jwk !== undefined).length
  if (plain === 0) return ok('every private key is encrypted')
  const found = `${plain} of ${count(keys.length, 'private key')} unencrypted: whoever reads Redis or a backup can sign`
  return wraps
    ? warning(found, 'They go with the next two rotations (redmint keys rotate).')
    : warning(found, 'Set KEY_ENCRYPTION_KEY in all servers (openssl rand -base64 32), then rotate twice.')
}

/** Returns the finding about TOKENS_AT_REST. */
export function tokenFinding({ tokens_at_rest }: Pick<Storage, 'tokens_at_rest'>): Finding {
  const { ok, warning } = findingsOf('tokens at rest')
  if (tokens_at_rest === 'hashed') return ok('hashed')
  return warning(
    'unhashed: whoever reads Redis or a backup can use them',
    'Set TOKENS_AT_REST=hashed in all servers; existing codes and tokens then become invalid.',
  )
}
