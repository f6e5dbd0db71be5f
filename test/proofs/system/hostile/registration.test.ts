// Registration under attack: floods, odd documents, tokens of others.

import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import t from 'tap'
import { collect } from '../../../support/contract/subject.ts'
import { listClients } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { APP, DAY, startRegistration } from '../../../support/registration.ts'
import { bearer } from '../../../support/service.ts'
import { untilAnswers } from '../../../support/until.ts'

const AT_ONCE = 20

t.test('a flood of registrations leaves as many clients as may register', async (t) => {
  const server = await startRedis(t)
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const storage = redisStorage(t, server)
  const limits = { client_registrations: 50, client_registrations_per_address: 10 }
  await untilAnswers(storage)
  const { register } = await startRegistration(t, { storage, ...limits })
  const kindsOf = async () => {
    const kinds: Record<string, number> = {}
    for (const key of await redis.keys('redmint:*')) {
      const kind = key.startsWith('redmint:client:self-') ? 'self' : (key.split(':')[1] ?? '')
      // That of the user of demo mode is written some moments after the start.
      if (kind !== 'probe' && !key.includes('activity:')) kinds[kind] = (kinds[kind] ?? 0) + 1
    }
    return kinds
  }
  const before = await kindsOf()
  const flood = async (addresses: number, requests: number) => {
    const statuses = new Map<number, number>()
    // Some at once: Redis has to answer within the time of a request, also on a busy machine.
    for (let start = 0; start < requests; start += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, i) => {
          const address = (start + i) % addresses
          const { status } = await register(APP, {}, `198.51.${address >> 8}.${address & 255}`)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }),
      )
    }
    return Object.fromEntries(statuses)
  }
  t.same(await flood(1, 300), { 201: 10, 429: 290 }, 'one address')
  t.same(await flood(1000, 1000), { 201: 40, 429: 960 }, 'a thousand')
  const forged = await Promise.all(
    Array.from({ length: AT_ONCE }, () => register(APP, bearer(randomBytes(32).toString('base64url')))),
  )
  t.ok(
    forged.every(({ status }) => status === 401),
    'made-up invitations',
  )
  t.same(await kindsOf(), {
    ...before,
    ...{ self: 50, registrations: 1, lockouts: 1, order: (before.order ?? 0) + 1 },
  })
  for (const key of await redis.keys('redmint:client:self-*')) {
    const left = await redis.ttl(key)
    t.ok(left > 0 && left <= DAY, `${left} seconds`)
  }
  t.ok((await redis.hlen('redmint:registrations:{clients}')) <= 51)
})

t.test('no document, however odd, is a server error or gives a right', async (t) => {
  const { fastify, storage, register, change } = await startRegistration(t, {
    client_registrations: 100_000,
    client_registrations_per_address: 100_000,
  })
  const { json: own } = await register(APP)
  const values: unknown[] = [
    ...[null, true, 0, -1, 1e308, '', 'x', '\0', '\ud800', 'a'.repeat(4000), [], {}, [null], [[]], [{}], [7]],
    ...[
      ['__proto__'],
      { __proto__: null, length: 3 },
      ['https://a.example/cb\r\nx: y'],
      ['http://[::1'],
      'true',
    ],
    Array.from({ length: 300 }, (_, i) => `https://a.example/${i}`),
  ]
  const members = [
    ...'redirect_uris client_name client_uri logo_uri policy_uri tos_uri scope contacts software_id'.split(
      ' ',
    ),
    ...'grant_types response_types token_endpoint_auth_method application_type id_token_signed_response_alg'.split(
      ' ',
    ),
    ...'post_logout_redirect_uris backchannel_logout_uri software_version jwks jwks_uri client_id'.split(' '),
    ...'first_party can_introspect registered_at lapses_at __proto__ constructor toString hasOwnProperty'.split(
      ' ',
    ),
  ]
  for (const member of members) {
    for (const value of values) {
      const document = { ...APP, [member]: value }
      const what = `${member}: ${JSON.stringify(value)?.slice(0, 40)}`
      const { status, json } = await register(document)
      t.ok([201, 400, 413].includes(status), `${what}: ${status}`)
      if (status === 400) t.match(json.error, /^invalid_(client_metadata|redirect_uri)$/, what)
      const changed = await change(own, { client_id: own.client_id, ...document })
      t.ok([200, 400, 413].includes(changed.status), `${what}: ${changed.status} when it changes`)
    }
  }
  const bodies = [
    '{"__proto__":{"first_party":true}}',
    '['.repeat(5000),
    '{"a":'.repeat(800),
    '\ufeff{}',
    '"\\ud800"',
  ]
  for (const payload of bodies) {
    const headers = { 'content-type': 'application/json' }
    const { statusCode } = await fastify.inject({ method: 'POST', url: '/oauth2/register', payload, headers })
    t.ok([400, 413].includes(statusCode), payload.slice(0, 20))
  }
  for (const { client_id, hash } of await collect(listClients(storage))) {
    if (!client_id.startsWith('self-')) continue
    t.match(hash.grant_types, /^authorization_code( refresh_token)?$/)
    const rights = [
      'first_party',
      'can_introspect',
      'demo',
      'managed_by',
      'claims',
      'require_pkce',
      'access_token_ttl',
    ]
    t.same(
      rights.filter((field) => field in hash),
      [],
      client_id,
    )
    t.equal(hash.allowed_scopes, 'openid profile email offline_access')
  }
  t.notOk('first_party' in {}, 'no prototype is polluted')
})
