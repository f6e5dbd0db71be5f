// The host for which passkeys are.

import Fastify from 'fastify'
import t from 'tap'
import { checkHost, PasskeysOfAnotherHost } from '../../../../../src/factors/passkeys/settled-host.ts'
import { StorageUnavailable } from '../../../../../src/storage/errors.ts'
import { makePasskey, ORIGIN, replicasWithUsers } from '../../../../support/factors/passkeys/owners.ts'
import { startRedis } from '../../../../support/redis-server.ts'
import { registerRedmint } from '../../../../support/service.ts'

const redis = await startRedis(t)
const ELSEWHERE = 'https://login.example.com'

for (const on of ['memory', { redis: redis.url }] as const) {
  t.test(`B11 another host is refused at start (${on === 'memory' ? on : 'redis'})`, async (t) => {
    const { one, alice, bob } = await replicasWithUsers(t, on)
    const check = (issuer: string, passkeys_moved_from?: string) =>
      checkHost({
        ...one,
        settings: { issuer, ...(passkeys_moved_from !== undefined && { passkeys_moved_from }) },
      })
    await t.resolves(check(ELSEWHERE), 'before the first passkey')
    await makePasskey(one, alice)
    await makePasskey(one, bob)
    await t.resolves(check(ORIGIN))
    await t.resolves(check(`${ORIGIN}:8443/below`), 'another port and path are fine')
    const message = /auth\.example\.com.* 2 passkeys|2 passkeys were made for auth\.example\.com/
    await t.rejects(check(ELSEWHERE), message)
    await t.rejects(check(ELSEWHERE, 'www.example.com'), PasskeysOfAnotherHost)
    await t.resolves(check(ELSEWHERE, 'auth.example.com'))
    await t.resolves(check(ELSEWHERE), 'it is noted')
    await t.rejects(check(ORIGIN), PasskeysOfAnotherHost)
  })
}

t.test('B11 the server does not start with another host', async (t) => {
  const { one, alice } = await replicasWithUsers(t, 'memory')
  await makePasskey(one, alice)
  const start = async (issuer: string, more = {}) => {
    const fastify = Fastify()
    t.teardown(() => fastify.close())
    await registerRedmint(fastify, { issuer, storage: one.storage, ...more })
    await fastify.ready()
  }
  await t.rejects(start(ELSEWHERE), PasskeysOfAnotherHost)
  await t.resolves(start(ELSEWHERE, { passkeys: 'off' }))
  await t.resolves(start(ORIGIN))
})

t.test('while storage is away a server starts', async (t) => {
  const { one } = await replicasWithUsers(t, 'memory')
  one.storage.records.read = () => Promise.reject(new StorageUnavailable('away'))
  await t.resolves(checkHost({ ...one, settings: { issuer: ORIGIN } }))
})
