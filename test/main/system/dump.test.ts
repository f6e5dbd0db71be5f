// A dump of Redis with TOKENS_AT_REST=hashed and KEY_ENCRYPTION_KEY has nothing that its reader could use.

import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import t from 'tap'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { PASSWORD } from '../../support/accounts.ts'
import { startRedis } from '../../support/redis-server.ts'
import { redisStorage } from '../../support/redis-storage.ts'
import { requestUrl, signInAndAgree } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { basic, codeRequest, SECRET } from '../../support/service.ts'
import { asDeparture } from '../../support/visitor.ts'

/** The names and values of all keys, whatever their type. */
async function dumpOf(redis: Redis): Promise<Map<string, string>> {
  const dump = new Map<string, string>()
  for (const key of await redis.keys('*')) {
    const read = {
      hash: () => redis.hgetall(key),
      string: () => redis.get(key),
      zset: () => redis.zrange(key, '0', '-1'),
      stream: () => redis.xrange(key, '-', '+'),
    }
    const type = (await redis.type(key)) as keyof typeof read
    dump.set(key, JSON.stringify(await read[type]()))
  }
  return dump
}

t.test('a dump of Redis has no secret that its reader could use', async (t) => {
  const server = await startRedis(t)
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const storage = redisStorage(t, server, new RedisKeys('redmint:', 'hashed'))
  const key_encryption_key = randomBytes(32)
  const { token, visitor } = await scene(t, { storage, key_encryption_key })
  const secrets = new Map([
    ['password', PASSWORD],
    ['client secret', SECRET],
  ])
  const keep = (what: string, text: unknown) => {
    t.type(text, 'string', what)
    secrets.set(what, String(text))
  }
  const secretOf = (text: unknown) => String(text).split('.')[1]

  const alice = visitor()
  const { told } = await signInAndAgree(alice)
  const code = told.get('code') ?? ''
  keep('code', secretOf(code))
  for (const [name, value] of alice.cookies) keep(name, value)
  const first = await token(codeRequest(code, { client_id: 'shop' }))
  keep('access token', secretOf(first.json.access_token))
  keep('refresh token', secretOf(first.json.refresh_token))
  const refresh = {
    grant_type: 'refresh_token',
    client_id: 'shop',
    refresh_token: String(first.json.refresh_token),
  }
  const second = await token(refresh)
  keep('second access token', secretOf(second.json.access_token))
  keep('second refresh token', secretOf(second.json.refresh_token))
  const retried = await token(refresh)
  t.equal(retried.json.refresh_token, second.json.refresh_token, 'the answer can be repeated')
  const own = await token({ grant_type: 'client_credentials' }, basic('service'))
  keep('token of a client', secretOf(own.json.access_token))
  const unused = asDeparture(await alice.open(requestUrl())).told.get('code')
  keep('code that was not redeemed', secretOf(unused))

  const dump = await dumpOf(redis)
  for (const kind of [
    'client',
    'user',
    'code',
    'token',
    'grant',
    'session',
    'signing-keys',
    'sealing-keys',
  ]) {
    t.ok(
      [...dump.keys()].some((key) => key.startsWith(`redmint:${kind}`)),
      `${kind} is in the dump`,
    )
  }
  const all = JSON.stringify([...dump])
  for (const [what, text] of secrets) t.notOk(all.includes(text), what)
  // The signing keys of the test service were made before.
  const sealing_keys = dump.get('redmint:sealing-keys') ?? ''
  t.match(sealing_keys, /private_jwe/)
  t.notMatch(sealing_keys, /private_jwk/)
})
