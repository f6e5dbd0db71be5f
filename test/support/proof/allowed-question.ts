import type { Redis } from 'ioredis'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { familyEntryId } from '../../../src/storage/listed-family.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { ASKED, ASKED_KIND } from '../../../src/tokens/asked-record.ts'
import { allowedFields, waitingIdOf } from '../../../src/tokens/waiting-code.ts'
import type { History } from './history.ts'

const SIGN_IN = { subject: 'alice', username: 'alice', auth_time: 1_700_000_000 }

/** Where questions are asked. */
interface QuestionPlace {
  readonly redis: Redis
  readonly prefix: string
  readonly history: History
}

/** Stores what a client asked alice, and what she allowed, without a page. Returns what its client polls with. */
export async function allowedQuestion(
  { redis, prefix, history }: QuestionPlace,
  client_id: string,
  server: string,
): Promise<string> {
  const family = newFamilyId()
  const code = newToken(family)
  const [started_at, ends] = [String(Date.now()), Date.now() + 600_000]
  const asked = {
    ...{ kind: ASKED_KIND, client_id, asked: 'alice', address: '192.0.2.1', interval: '5' },
    asked_at: new Date().toISOString(),
    ...allowedFields({ ...SIGN_IN, started_at }, 'openid api.read'),
  }
  const keys = new RedisKeys(prefix)
  const key = keys.record(ASKED, waitingIdOf(code) ?? '')
  const id = familyEntryId(family, started_at)
  await redis
    .multi()
    .hset(key, asked)
    .pexpireat(key, ends)
    .zadd(keys.list({ list: 'grants-of-user', owner: 'alice' }), ends, id)
    .zadd(keys.list({ list: 'grants-of-client', owner: client_id }), ends, id)
    .exec()
  const by = { server, request: history.newRequest(), honest: true }
  await history.record({ kind: 'authorize' }, by, async () => ({ status: 200, code }))
  return code
}
