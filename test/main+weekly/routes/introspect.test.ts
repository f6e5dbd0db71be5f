import { decodeJwt } from 'jose'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { failing, inactive, unavailable } from '../../support/expect.ts'
import { type ClientName, forEachService, onRedis, pass, tokensOf } from '../../support/lifecycle.ts'
import { changeClient } from '../../support/records.ts'
import { basic, ISSUER } from '../../support/service.ts'

forEachService('a client sees its own tokens, a resource server all access tokens', async (t, start) => {
  const service = await start()
  const { introspect } = service
  const before = Math.floor(service.now() / 1000)
  const { access_token, refresh_token } = await service.signIn('web', 'openid api.read')
  const user = { active: true, scope: 'openid api.read', client_id: 'web', sub: 'alice', iss: ISSUER }
  for (const client of ['web', 'gateway'] as ClientName[]) {
    const access = await introspect(client, access_token)
    const { exp, auth_time, ...rest } = access.json
    const shown = { ...user, token_type: 'Bearer', token_use: 'access_token' }
    t.strictSame(rest, shown, `${client}: an access token`)
    t.ok(Number(auth_time) >= before && Number(auth_time) <= Number(exp) - 900)
    t.ok(Number.isInteger(exp) && Number(exp) >= before + 900 && Number(exp) <= before + 905)
    t.equal(access.headers['cache-control'], 'no-store')
  }
  const { exp: end, ...others } = (await introspect('web', refresh_token)).json
  t.strictSame(others, { ...user, token_use: 'refresh_token' }, 'a refresh token has no token_type')
  t.ok(Number(end) >= before + 2592000 && Number(end) <= before + 2592005)
  const token = await service.clientToken('service')
  for (const client of ['service', 'gateway'] as ClientName[]) {
    const { exp: _, ...rest } = (await introspect(client, token)).json
    const own = { active: true, scope: 'api.read api.write', client_id: 'service', iss: ISSUER }
    const shown = { ...own, token_type: 'Bearer', token_use: 'access_token' }
    t.strictSame(rest, shown, `${client}: a token of the client itself has no sub`)
  }
  const app = await service.signIn('app')
  t.match((await introspect('gateway', app.access_token)).json, { client_id: 'app', active: true })
})

forEachService('a refresh token is inactive for every client but its own', async (t, start) => {
  const service = await start()
  const both = { set: { can_introspect: 'true' }, unset: [] }
  await changeClient(service.storage, 'web', both)
  const { refresh_token } = await service.signIn('web')
  const next = tokensOf(await service.refresh('web', refresh_token)).refresh_token
  for (const client of ['gateway', 'fixed', 'service'] as ClientName[]) {
    inactive(t, await service.introspect(client, next), client)
  }
  t.match((await service.introspect('web', next)).json, { active: true, token_use: 'refresh_token' })
  const app = await service.signIn('app')
  inactive(
    t,
    await service.introspect('web', app.refresh_token),
    'a public client cannot ask, others may not',
  )
})

forEachService('a token of another client is inactive', async (t, start) => {
  const service = await start()
  const { storage } = service
  const user = await service.signIn('app')
  const own = await service.clientToken('service')
  for (const client of ['web', 'fixed', 'service'] as ClientName[]) {
    inactive(t, await service.introspect(client, user.access_token), client)
    inactive(t, await service.introspect(client, user.refresh_token), client)
    if (client !== 'service') inactive(t, await service.introspect(client, own), client)
  }
  await changeClient(storage, 'gateway', { set: { can_introspect: 'false' }, unset: [] })
  const seen = async () => (await service.introspect('gateway', user.access_token)).json.active === true
  await pass(service, 0, async () => !(await seen()))
  inactive(t, await service.introspect('gateway', user.access_token), 'can_introspect was removed')
})

forEachService(
  'codes, id_tokens, forged, revoked and unknown tokens are inactive',
  async (t, start, _place, format) => {
    const service = await start()
    const { introspect } = service
    const first = await service.signIn('web')
    const second = tokensOf(await service.refresh('web', first.refresh_token))
    const code = await service.codeFor('web')
    const { access_token } = second
    const unknown = [
      newToken(newFamilyId()),
      newToken(access_token.slice(0, 16)),
      'x',
      '*',
      '__proto__',
      '{}',
    ]
    const spelled = [
      `${access_token}=`,
      ` ${access_token}`,
      access_token.slice(0, -1),
      `Bearer ${access_token}`,
    ]
    for (const token of [first.refresh_token, code, second.id_token, ...unknown, ...spelled]) {
      for (const client of ['web', 'gateway'] as ClientName[]) {
        inactive(t, await introspect(client, token), token.slice(0, 12))
      }
    }
    if (format === 'jwt') {
      inactive(t, await introspect('gateway', String(decodeJwt(access_token).jti)), 'a jti is not a token')
      const [header = '', payload = '', signature = ''] = access_token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
      const forged = Buffer.from(JSON.stringify({ ...claims, scope: 'admin' })).toString('base64url')
      const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
      for (const token of [
        `${header}.${forged}.${signature}`,
        `${none}.${payload}.`,
        `${header}.${payload}.`,
      ]) {
        inactive(t, await introspect('gateway', token), 'a forged token')
      }
    }
    t.match((await introspect('gateway', access_token)).json, { active: true })
    await service.revoke('web', access_token)
    inactive(t, await introspect('gateway', access_token), 'revoked')
    t.match((await introspect('web', second.refresh_token)).json, { active: true })
    await service.revoke('web', second.refresh_token)
    inactive(t, await introspect('web', second.refresh_token), 'revoked')
  },
)

forEachService('a token is active until it expires', async (t, start) => {
  const service = await start({ access_token_ttl: 2, refresh_token_ttl: 4 })
  const { access_token, refresh_token } = await service.signIn('web')
  const own = await service.clientToken('service')
  for (const [client, token, seconds] of [
    ['gateway', access_token, 2.1],
    ['gateway', own, 0],
    ['web', refresh_token, 2.1],
  ] as const) {
    const ends = async () => (await service.introspect(client, token)).json.active === false
    t.notOk(seconds > 0 && (await ends()))
    await pass(service, seconds, ends)
    inactive(t, await service.introspect(client, token), 'over')
  }
})

forEachService('only an authenticated client with a secret may introspect', async (t, start) => {
  const service = await start()
  const { post } = service
  const { access_token } = await service.signIn()
  for (const token of [access_token, 'unknown']) {
    for (const [who, fields, headers] of [
      ['a public client about its own token', { client_id: 'app' }, {}],
      ['nobody', {}, {}],
      ['an unknown client', { client_id: 'nobody' }, {}],
      ['a wrong secret', {}, basic('gateway', 'wrong')],
      ['a confidential client without its secret', { client_id: 'gateway' }, {}],
      ['a public client with a secret', { client_id: 'app', client_secret: 'x' }, {}],
      ['a bearer token', {}, { authorization: `Bearer ${access_token}` }],
    ] as const) {
      const {
        status,
        json,
        headers: answered,
      } = await post('/oauth2/introspect', { token, ...fields }, headers)
      t.strictSame([status, json.error], [401, 'invalid_client'], who)
      t.match(answered['www-authenticate'], /^Basic /)
      t.notOk('active' in json)
    }
  }
  for (const form of [{}, { token: '' }]) {
    const { status, json } = await post(
      '/oauth2/introspect',
      form as Record<string, string>,
      basic('gateway'),
    )
    t.strictSame([status, json.error], [400, 'invalid_request'])
  }
  await changeClient(service.storage, 'gateway', { set: { disabled: 'true' }, unset: [] })
  await pass(service, 0, async () => (await service.introspect('gateway', access_token)).status === 401)
})

forEachService('token_type_hint does not change the result', async (t, start) => {
  const service = await start()
  const { access_token, refresh_token } = await service.signIn('web')
  for (const token_type_hint of ['access_token', 'refresh_token', 'no such type']) {
    for (const token of [access_token, refresh_token]) {
      const { json } = await service.post('/oauth2/introspect', { token, token_type_hint }, basic('web'))
      t.equal(json.active, true)
    }
  }
})

forEachService(
  'while storage is unavailable the response is 503, never inactive',
  async (t, start, place) => {
    const control = failing(place.open(t))
    const service = await start({ storage: control.storage })
    const { access_token, refresh_token } = await service.signIn('web')
    const own = await service.clientToken('service')
    control.fault = 'before'
    for (const token of [access_token, refresh_token, own, newToken(newFamilyId())]) {
      unavailable(t, await service.introspect('gateway', token), 'away')
    }
    delete control.fault
    t.equal((await service.introspect('gateway', access_token)).json.active, true)
  },
)

onRedis('a token with a malformed record is inactive', async (t, start, { server, keys }) => {
  const service = await start()
  for (const [field, value] of [
    ['revoked', 'true'],
    ['revoked', 'no'],
    ['expires_at', 'never'],
    ['expires_at', '2001-09-09T01:46:40.000Z'],
    ['type', 'id_token'],
    ['jti', 'another'],
    ['client_id', ''],
  ] as const) {
    const { refresh_token } = await service.signIn('web')
    t.equal((await service.introspect('web', refresh_token)).json.active, true)
    await server.cli('HSET', keys.token(refresh_token), field, value)
    inactive(t, await service.introspect('web', refresh_token), `${field} ${value}`)
  }
  const { refresh_token } = await service.signIn('web')
  await server.cli('SET', keys.token(refresh_token), 'not ours', 'PX', '60000')
  t.match(await service.introspect('web', refresh_token), {
    status: 500,
    json: { error: 'server_error' },
  })
  t.equal((await service.get('/actuator/health/readiness')).status, 200)
})
