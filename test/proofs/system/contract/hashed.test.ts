// Derived tokens where Redis has no token (TOKENS_AT_REST=hashed): records name each other by digests.

import t from 'tap'
import { derivedContract } from '../../../support/contract/derived-contract.ts'
import { derivedEndContract } from '../../../support/contract/derived-end-contract.ts'
import { derive, opaque, signInToDerive } from '../../../support/contract/deriving.ts'
import { onRedis } from '../../../support/contract/on-redis.ts'
import { keysOf } from '../../../support/contract/redis-subject.ts'
import { issueClientToken } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'

const redis = await startRedis(t)
const make = onRedis({ kind: 'single', url: redis.url }, [redis], 'hashed')

await t.test('derived tokens', (t) => derivedContract(t, make))
await t.test('ends of derived tokens', (t) => derivedEndContract(t, make))

t.test('no key and no record has the secret of a derived token or of what it came from', async (t) => {
  const { storage, redis } = await make(t)
  if (redis === undefined) throw new TypeError('this is about Redis')
  const { grant, subject } = await signInToDerive(storage)
  const actor = await issueClientToken(storage, { client_id: 'agent' })
  const derived = await derive(storage, subject, { actor_token: opaque(actor) })
  const keys = await keysOf(redis)
  const dump = [
    ...keys,
    ...(await Promise.all(
      keys.filter((key) => key.startsWith('token:')).map((key) => redis.cli('HGETALL', redis.prefix + key)),
    )),
    await redis.cli('ZRANGE', `${redis.prefix}derived-tokens:{${grant}}`, '0', '-1'),
  ].join('\n')
  for (const token of [subject.token, actor, derived.token]) t.notMatch(dump, token.slice(17))
  t.match(dump, /derived_from/)
})
