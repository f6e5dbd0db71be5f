import type { Hash } from '../../../core/record-hash.ts'
import { StorageUnavailable } from '../../errors.ts'
import { CODE_KIND, type RevokedCounts } from '../../families.ts'
import { isGrantedBefore } from '../../family-ids.ts'
import type { RedisAccess } from './access.ts'
import type { Marking } from './marking.ts'

// The hash tag of a code, token or family. A token with another key cannot be presented.
const FAMILY = /^\{([A-Za-z0-9_-]{16})\}/

interface Walk {
  /** The prefix of the keys. */
  prefix: string
  isActive(record: Hash): boolean
  /** Revokes one record. @returns whether it was active until now */
  revoke(key: string, family: string): Promise<boolean>
}

/**
 * Revokes all codes, families and tokens that were granted before a time, each by its own script. Scans all keys.
 * @param time in seconds since 1970
 * @returns how many were revoked
 * @throws StorageUnavailable at once; any other error after the remaining records are revoked
 */
export async function revokeGrantedBefore(
  access: RedisAccess,
  marking: Marking,
  time: number,
): Promise<RevokedCounts> {
  const { keys, run } = access
  const faults: unknown[] = []
  const walk = async ({ prefix, isActive, revoke }: Walk): Promise<number> => {
    let revoked = 0
    for await (const { name, hash } of access.scan(prefix)) {
      const family = FAMILY.exec(name)?.[1]
      if (family === undefined || !isGrantedBefore(hash, time) || !isActive(hash)) continue
      try {
        if (await revoke(prefix + name, family)) revoked += 1
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        faults.push(error)
      }
    }
    return revoked
  }
  const hasActiveStatus = ({ status }: Hash) => status === 'active'
  // Codes first: one that is redeemed meanwhile becomes a family, which the next walk finds.
  const codes = await walk({
    prefix: keys.prefixOf(CODE_KIND),
    isActive: hasActiveStatus,
    revoke: async (code) => (await run('revoke-code', [code], {})) === 'ok',
  })
  const families = await walk({
    prefix: keys.families,
    isActive: hasActiveStatus,
    revoke: async (_, family) => {
      const [outcome, more] = await run('revoke-family', [keys.family(family), keys.familyIndex(family)], {
        entries: [],
      })
      // Before the next walk, which would count tokens that are not marked.
      if (more === '1') await marking.all(family)
      return outcome === 'ok'
    },
  })
  const tokens = await walk({
    prefix: keys.tokens,
    isActive: ({ revoked }) => revoked === 'false',
    revoke: async (token, family) => {
      const [outcome] = await run('revoke-token', [token, keys.family(family), keys.familyIndex(family)], {
        digest: undefined,
        client: [],
        entries: [],
      })
      return outcome === 'ok'
    },
  })
  if (faults.length > 0) throw faults[0]
  return { families, codes, tokens }
}
