import type { Hash } from '../../core/record-hash.ts'
import { StorageUnavailable } from '../errors.ts'
import { CODE_KIND, type Holder, type Revoked } from '../families.ts'
import { isHeldBy } from '../family-ids.ts'
import type { RedisAccess } from './access.ts'

// The hash tag of a code, token or family. A key that is named otherwise cannot be presented.
const FAMILY = /^\{([A-Za-z0-9_-]{16})\}/

interface Walk {
  /** What the keys begin with. */
  prefix: string
  isGood(record: Hash): boolean
  /** Revokes one. @returns whether it was good until now */
  revoke(key: string, family: string): Promise<boolean>
}

/**
 * Goes through all codes, families and tokens, and revokes those of a holder, each by a script of its own.
 * @throws StorageUnavailable at once; any other error when all else is revoked
 */
export async function revokeAllOf(access: RedisAccess, holder: Holder): Promise<Revoked> {
  const { keys, run } = access
  const faults: unknown[] = []
  const walk = async ({ prefix, isGood, revoke }: Walk): Promise<number> => {
    let revoked = 0
    for await (const { name, hash } of access.scan(prefix)) {
      const family = FAMILY.exec(name)?.[1]
      if (family === undefined || !isHeldBy(hash, holder) || !isGood(hash)) continue
      try {
        if (await revoke(prefix + name, family)) revoked += 1
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        faults.push(error)
      }
    }
    return revoked
  }
  const isActive = ({ status }: Hash) => status === 'active'
  // A code that is redeemed meanwhile becomes a family, and so families are looked for later.
  const codes = await walk({
    prefix: keys.prefixOf(CODE_KIND),
    isGood: isActive,
    revoke: async (code) => (await run('revoke-code', [code], [])) === 'ok',
  })
  const families = await walk({
    prefix: keys.families,
    isGood: isActive,
    revoke: async (_, family) =>
      (await run('revoke-family', [keys.family(family), keys.familyIndex(family)], [])) === 'ok',
  })
  const tokens = await walk({
    prefix: keys.tokens,
    isGood: ({ revoked }) => revoked === 'false',
    revoke: async (token, family) =>
      (await run('revoke-token', [token, keys.family(family), keys.familyIndex(family)], [])) === 'ok',
  })
  if (faults.length > 0) throw faults[0]
  return { families, codes, tokens }
}
