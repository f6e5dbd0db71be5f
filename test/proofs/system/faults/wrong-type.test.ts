// A key with a wrong type fails the request that needs it and no other; the log names the key.

import t from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import {
  createInitialAccessToken,
  INITIAL_ACCESS_TOKEN,
  idOf,
} from '../../../../src/clients/registration/initial-access-token.ts'
import type { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { CODE } from '../../../../src/tokens/code-record.ts'
import { exchangeAs, ORDERS, signInFor, storeChain } from '../../../support/exchange.ts'
import { type Lifecycle, placeOn, startReplica } from '../../../support/lifecycle.ts'
import { isWatching } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { APP } from '../../../support/registration.ts'
import { type Answer, basic, bearer, codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const INVITED = { uses: 5, ttl: 600 }

interface Spoiled {
  /** Its name in the log. */
  kind: string
  key: string
  requests: Record<string, () => Promise<Answer>>
}

/** Every kind of key that a request reads, with such a request. */
async function spoilable(service: Lifecycle, keys: RedisKeys): Promise<Spoiled[]> {
  const { get, post, authorize, token } = service
  const asWeb = (path: string, form: Record<string, string>) => post(path, form, basic('web'))
  const [code, grantCode, indexCode] = await Promise.all([1, 2, 3].map(() => service.codeFor('web')))
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => service.signIn('web')))
  if (!code || !grantCode || !indexCode || !first || !second || !third) throw new TypeError()
  const register = (headers: Record<string, string> = {}) =>
    service.request({ method: 'POST', url: '/oauth2/register', headers, payload: APP })
  const invitation = await createInitialAccessToken({ storage: service.storage, now: Date.now() }, INVITED)
  const { json: own } = await register()
  const registration = `/oauth2/register/${own.client_id}`
  const redeem = (value: string) => () => asWeb('/oauth2/token', codeRequest(value, { client_id: 'web' }))
  const refresh = (refresh_token: string) => () =>
    asWeb('/oauth2/token', { grant_type: 'refresh_token', refresh_token })
  const revoke = (value: string) => () => asWeb('/oauth2/revoke', { token: value })
  const introspect = (value: string) => () => asWeb('/oauth2/introspect', { token: value })
  const exchange = (value: string) => () => exchangeAs(service, 'orders', value)
  const acted_for = await signInFor(service, ORDERS, 'openid api.read')
  const grantOf = (value: string) => value.slice(0, 16)
  return [
    {
      kind: 'client',
      key: keys.record(CLIENT, 'service'),
      requests: {
        token: () => token({ grant_type: 'client_credentials' }, basic('service')),
        authorize: () => authorize({ client_id: 'service' }),
        introspect: () => post('/oauth2/introspect', { token: first.access_token }, basic('service')),
      },
    },
    { kind: 'registrations', key: keys.registrations, requests: { register: () => register() } },
    {
      kind: 'invitation',
      key: keys.record(INITIAL_ACCESS_TOKEN, idOf(invitation)),
      requests: { register: () => register(bearer(invitation)) },
    },
    {
      kind: 'client',
      key: keys.record(CLIENT, String(own.client_id)),
      requests: {
        'read a registration': () => get(registration, bearer(String(own.registration_access_token))),
      },
    },
    { kind: 'code', key: keys.record(CODE, code), requests: { redeem: redeem(code) } },
    { kind: 'grant', key: keys.family(grantOf(grantCode)), requests: { redeem: redeem(grantCode) } },
    {
      kind: 'grant-tokens',
      key: keys.familyIndex(grantOf(indexCode)),
      requests: { redeem: redeem(indexCode) },
    },
    {
      kind: 'token',
      key: keys.token(first.access_token),
      requests: {
        api: () => get('/api/resource', bearer(first.access_token)),
        userinfo: () => get('/userinfo', bearer(first.access_token)),
        introspect: introspect(first.access_token),
        revoke: revoke(first.access_token),
      },
    },
    {
      kind: 'token',
      key: keys.token(second.refresh_token),
      requests: {
        refresh: refresh(second.refresh_token),
        introspect: introspect(second.refresh_token),
        revoke: revoke(second.refresh_token),
      },
    },
    {
      kind: 'grant-tokens',
      key: keys.familyIndex(grantOf(third.refresh_token)),
      requests: { refresh: refresh(third.refresh_token), revoke: revoke(third.refresh_token) },
    },
    {
      kind: 'token',
      key: keys.token(acted_for.access_token),
      requests: { exchange: exchange(acted_for.access_token) },
    },
    {
      kind: 'derived-tokens',
      key: keys.derivedTokens(grantOf(acted_for.access_token)),
      requests: { exchange: exchange(acted_for.access_token) },
    },
  ]
}

t.test('a key of a wrong type is a server_error of that request only', async (t) => {
  const redis = await startRedis(t)
  const place = placeOn(redis)
  const service = await startReplica(t, place, {
    access_token_format: 'opaque',
    client_registration: 'open',
  })
  await until('client records are watched', () => isWatching(service.storage))
  if (place.redis === undefined) throw new TypeError()
  await storeChain(service.storage)
  for (const { kind, key, requests } of await spoilable(service, place.redis.keys)) {
    const exists = (await redis.cli('EXISTS', key)) === '1'
    if (exists) await redis.cli('RENAME', key, 'kept')
    await redis.cli('SET', key, 'of a wrong type')
    const { token } = requests
    if (token !== undefined) await until('no cache has it', async () => (await token()).status === 500)
    for (const [name, send] of Object.entries(requests)) {
      const what = `${kind}: ${name}`
      service.log.length = 0
      const { status, text, json, headers } = await send()
      t.equal(status, 500, `${what}: ${text}`)
      if (name === 'authorize') t.match(text, /<code>server_error<\/code>/, what)
      else
        t.strictSame(json, { error: 'server_error', error_description: 'Something went wrong on our side.' })
      t.equal(headers['retry-after'], undefined, what)
      const log = service.log.join('')
      t.match(log, new RegExp(`Redis answered WRONGTYPE about ([a-z-]+, )*${kind}\\b`), what)
      const [, secret = ''] = key.split('}.')
      if (secret !== '') t.notOk(log.includes(secret), `${what}: the log holds no token`)
      t.equal((await service.get('/health')).status, 200)
      t.equal((await service.signIn('web')).access_token.length > 0, true, 'others are served')
    }
    t.equal(await redis.cli('GET', key), 'of a wrong type', 'the foreign value is not changed')
    await (exists ? redis.cli('RENAME', 'kept', key) : redis.cli('DEL', key))
    for (const [name, send] of Object.entries(requests)) {
      if (kind === 'client') continue
      t.equal((await send()).status, name === 'register' ? 201 : 200, `${kind}: ${name}, mended`)
    }
  }
})
