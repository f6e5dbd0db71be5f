// What is kept of a sign-in by a provider, in a real Redis.

import { Redis } from 'ioredis'
import t from 'tap'
import { comeBy, federate } from '../../../support/providers/federation.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'

t.test('F10 no token of a provider is kept or logged', async (t) => {
  const server = await startRedis(t, { args: ['--rdbcompression', 'no'] })
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const storage = redisStorage(t, server)
  const { person, claims, said, log } = await federate(t, { creates_users: true }, { storage })
  const answered = await claims(await comeBy(person(), 'bob'))
  const { sub } = answered
  const tokens = said.flatMap((text) => {
    const { access_token, refresh_token, id_token } = JSON.parse(text) as Record<string, string>
    return [access_token, refresh_token, id_token].filter((token) => token !== undefined)
  })
  t.ok(tokens.length >= 2, 'the provider gave some')
  // Nor handed to the application (CVE-2026-105302), which could only come from what is kept or from here.
  const kept = [...log, JSON.stringify(answered)]
  for (const key of await redis.keys('*')) kept.push(key, String(await redis.dump(key)))
  t.ok(kept.join('').includes(sub), 'the account is there')
  for (const token of tokens)
    for (const part of token.split('.')) t.notOk(kept.join('').includes(part), 'no part of it')
})
