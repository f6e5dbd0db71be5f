import type { Hash } from '../../records/hash.ts'
import { isHeldBy } from '../common.ts'
import type { RedisKeys } from '../redis-keys.ts'
import { type Ended, type Holder, StorageUnavailable } from '../storage.ts'
import type { Found } from './scan.ts'
import type { RunScript, ScriptName } from './scripts.ts'

// The hash tag of a code, token or grant; what is named otherwise, nobody can present.
const GRANT = /^\{([A-Za-z0-9_-]{16})\}/

/**
 * Goes through all codes, grants and tokens, and revokes those of a holder, each by a script of its own.
 * @throws StorageUnavailable, at once; another fault when all else is revoked
 */
export async function revokeAllOf(
  { scan, run, keys }: { scan(prefix: string): AsyncIterable<Found>; run: RunScript; keys: RedisKeys },
  holder: Holder,
): Promise<Ended> {
  const ended = { grants: 0, codes: 0, tokens: 0 }
  const faults: unknown[] = []
  const revoke = async (
    kind: keyof Ended,
    isGood: (record: Hash) => boolean,
    script: ScriptName,
    keysOf: (key: string, family: string[]) => string[],
  ) => {
    for await (const { name, hash } of scan(keys[kind])) {
      const grant = GRANT.exec(name)?.[1]
      if (grant === undefined || !isHeldBy(hash, holder) || !isGood(hash)) continue
      const family = [keys.grant(grant), keys.grantTokens(grant)]
      try {
        if ((await run(script, keysOf(keys[kind] + name, family), [])) === 'ok') ended[kind] += 1
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        faults.push(error)
      }
    }
  }
  const isActive = ({ status }: Hash) => status === 'active'
  // A code that is redeemed meanwhile becomes a grant, and so grants are looked for later.
  await revoke('codes', isActive, 'revoke-code', (code) => [code])
  await revoke('grants', isActive, 'revoke-grant', (_, family) => family)
  await revoke(
    'tokens',
    ({ revoked }) => revoked === 'false',
    'revoke-token',
    (token, family) => [token, ...family],
  )
  if (faults.length > 0) throw faults[0]
  return ended
}
