// With TOKENS_AT_REST=hashed reuse is recognised as well, and Redis has no part of a token that could be used.

import t from 'tap'
import { RedisKeys } from '../../../../../../src/storage/redis/keys.ts'
import {
  dumpOf,
  liveOf,
  MISSING,
  REUSED,
  refreshing,
  signIn,
  spentBy,
} from '../../../../../support/contract/family.ts'
import { keysOf } from '../../../../../support/contract/redis-subject.ts'
import { useRefreshToken } from '../../../../../support/contract/use-refresh-token.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { redisStorage } from '../../../../../support/redis-storage.ts'
import { PREFIX, writable } from '../../../../../support/storage/redis/support.ts'

t.test('reuse, retries and revocation of hashed refresh tokens; no part of a token is stored', async (t) => {
  const server = await startRedis(t)
  const storage = redisStorage(t, server, new RedisKeys(PREFIX, 'hashed'))
  await writable(storage)
  const cli = server.cli
  const redis = { prefix: PREFIX, cli, all: async (...command: string[]) => [await cli(...command)] }
  for (const end of ['reuse', 'revocation'] as const) {
    const { grant, code, refresh_token, access_token } = await signIn(storage)
    const [first, second] = [refreshing(grant, 'one'), refreshing(grant, 'two')]
    t.match(await useRefreshToken(storage, refresh_token, first), spentBy(first))
    t.match(await useRefreshToken(storage, refresh_token, refreshing(grant, 'retry')), spentBy(first))
    t.match(await useRefreshToken(storage, first.successor, second), spentBy(second))
    t.equal(await storage.families.findToken(refresh_token), undefined)

    const tokens = [refresh_token, first.successor, second.successor, access_token, first.access_token]
    const names = (await keysOf(redis)).filter((name) => name.includes(grant))
    const keys = names.map((name) => PREFIX + name)
    const dump = JSON.stringify([...(await dumpOf(redis, keys))])
    for (const token of [code, second.access_token, ...tokens]) {
      t.notOk(dump.includes(token.slice(17)), 'no secret')
    }
    t.notOk(dump.includes(refresh_token.slice(17, 38)), 'nor the part that the refresh tokens share')

    if (end === 'revocation') t.equal(await storage.families.revokeToken(refresh_token, 'app'), 'ok')
    else t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'thief')), REUSED)
    t.strictSame(await liveOf(storage, [...tokens, second.access_token]), [])
    t.strictSame(await useRefreshToken(storage, second.successor, refreshing(grant, 'late')), MISSING)
  }
})
