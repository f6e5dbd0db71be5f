import type { Hash } from '../../core/record-hash.ts'
import { isHeldBy, isSessionOf } from '../common.ts'
import { type Ended, type Holder, StorageUnavailable } from '../storage.ts'
import type { RedisKeys } from './keys.ts'
import type { Found } from './scan.ts'
import type { RunScript, ScriptName } from './scripts.ts'

// The hash tag of a code, token or grant; what is named otherwise, nobody can present.
const GRANT = /^\{([A-Za-z0-9_-]{16})\}/

/**
 * Goes through all sessions, codes, grants and tokens, and ends those of a holder, each by a script of its own.
 * @throws StorageUnavailable, at once; another fault when all else is revoked
 */
export async function revokeAllOf(
  { scan, run, keys }: { scan(prefix: string): AsyncIterable<Found>; run: RunScript; keys: RedisKeys },
  holder: Holder,
): Promise<Ended> {
  const ended = { sessions: 0, grants: 0, codes: 0, tokens: 0 }
  const faults: unknown[] = []
  const end = async (
    kind: keyof Ended,
    isWanted: (record: Hash) => boolean,
    script: ScriptName,
    keysOf: (key: string, name: string) => string[] | undefined,
  ) => {
    for await (const { name, hash } of scan(keys[kind])) {
      const named = isWanted(hash) ? keysOf(keys[kind] + name, name) : undefined
      if (named === undefined) continue
      try {
        if (isDone(await run(script, named, []))) ended[kind] += 1
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        faults.push(error)
      }
    }
  }
  const revoke = (
    kind: keyof Ended,
    isGood: (record: Hash) => boolean,
    script: ScriptName,
    keysOf: (key: string, family: string[]) => string[],
  ) =>
    end(
      kind,
      (record) => isHeldBy(record, holder) && isGood(record),
      script,
      (key, name) => {
        const grant = GRANT.exec(name)?.[1]
        return grant === undefined ? undefined : keysOf(key, [keys.grant(grant), keys.grantTokens(grant)])
      },
    )
  const isActive = ({ status }: Hash) => status === 'active'
  // Nothing can come of a session any more when codes are looked for.
  await end(
    'sessions',
    (session) => isSessionOf(session, holder),
    'end-session',
    (session) => [session],
  )
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

// A session that is ended by this is answered as a list; that of one that was gone is empty.
function isDone(answer: unknown): boolean {
  return answer === 'ok' || (Array.isArray(answer) && answer.length > 0)
}
