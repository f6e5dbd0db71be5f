// The stored record of a token, and the effect of changing it.

import t from 'tap'
import { CODE } from '../../../../src/tokens/code-record.ts'
import { forEachService, forEachStorage, onRedis, type PlacedService } from '../../../support/matrix.ts'
import { basic, bearer, codeRequest, startService } from '../../../support/service.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const FIELDS = ['client_id', 'expires_at', 'jti', 'revoked', 'scope', 'subject', 'type']

/** Milliseconds until the instant that a record names. */
const left = (expires_at: unknown) => Date.parse(String(expires_at)) - Date.now()

async function tokensOf({ code, token }: Pick<PlacedService, 'code' | 'token'>) {
  const { json } = await token(codeRequest(await code()))
  return { access_token: String(json.access_token), refresh_token: String(json.refresh_token) }
}

forEachStorage(t, 'the fields of an access token record', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const service = await startService(t, { storage, access_token_format: 'opaque' })
  const { access_token } = await tokensOf(service)
  const record = await storage.families.findToken(access_token)
  t.same(Object.keys(record ?? {}).sort(), FIELDS)
  const { expires_at, ...rest } = record ?? {}
  t.same(rest, {
    jti: access_token,
    type: 'access_token',
    subject: 'alice',
    scope: 'openid api.read',
    revoked: 'false',
    client_id: 'app',
  })
  t.match(expires_at, ISO)
  t.ok(left(expires_at) > 890_000 && left(expires_at) <= 900_000, `${left(expires_at)} ms`)
})

forEachStorage(t, 'the fields of an access token record without a user', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const { token } = await startService(t, { storage, access_token_format: 'opaque' })
  const access_token = String(
    (await token({ grant_type: 'client_credentials' }, basic('service'))).json.access_token,
  )
  const record = await storage.families.findToken(access_token)
  t.same(Object.keys(record ?? {}).sort(), FIELDS)
  const { expires_at, ...rest } = record ?? {}
  t.same(rest, {
    jti: access_token,
    type: 'access_token',
    subject: '',
    scope: 'api.read api.write',
    revoked: 'false',
    client_id: 'service',
  })
  t.match(expires_at, ISO)
})

forEachService(
  t,
  'the fields of a refresh token record, with either access token format',
  async (t, start) => {
    const service = await start()
    const { refresh_token } = await tokensOf(service)
    const record = await service.storage.families.findToken(refresh_token)
    t.same(Object.keys(record ?? {}).sort(), FIELDS)
    t.has(record, { jti: refresh_token, type: 'refresh_token', subject: 'alice', revoked: 'false' })
    const days = left(record?.expires_at) / 86_400_000
    t.ok(days > 29.9 && days <= 30, `${days} days`)
  },
)

t.test('a JWT access token has no record', async (t) => {
  const { storage, token } = await startService(t, { access_token_format: 'jwt' })
  const saved: string[] = []
  const { families } = storage
  const saveClientToken = families.saveClientToken.bind(families)
  families.saveClientToken = async (token, ttl) => {
    saved.push(token.token)
    return saveClientToken(token, ttl)
  }
  t.equal((await token({ grant_type: 'client_credentials' }, basic('service'))).status, 200)
  t.same(saved, [])
})

forEachStorage(
  t,
  'a changed record takes effect, and malformed values are refused',
  async (t, makeStorage) => {
    const { storage, editToken } = await makeStorage()
    const service = await startService(t, { storage, access_token_format: 'opaque' })
    const { access_token, refresh_token } = await tokensOf(service)
    const status = async (path = '/api/resource') => (await service.get(path, bearer(access_token))).status
    const good = (await storage.families.findToken(access_token)) ?? {}
    t.equal(await status(), 200)

    const past = new Date(Date.now() - 1000).toISOString()
    const changes: [name: string, fields: Record<string, string | undefined>][] = [
      ['revoked', { revoked: 'true' }],
      ['expired', { expires_at: past }],
      ['a refresh token', { type: 'refresh_token' }],
      ['with an unknown type', { type: 'id_token' }],
      ['with a type in another case', { type: 'Access_Token' }],
      ['without a type', { type: undefined }],
      ['with an empty type', { type: '' }],
      ['with revoked in another case', { revoked: 'True' }],
      ['with revoked as 1', { revoked: '1' }],
      ['with revoked as 0', { revoked: '0' }],
      ['without revoked', { revoked: undefined }],
      ['with an empty revoked', { revoked: '' }],
      ['without expires_at', { expires_at: undefined }],
      ['with an empty expires_at', { expires_at: '' }],
      ['with an expires_at that is not an instant', { expires_at: 'tomorrow' }],
      ['with an expires_at in seconds', { expires_at: '4102444800' }],
      ['with an expires_at in milliseconds', { expires_at: '4102444800000' }],
      ['with words before a year', { expires_at: 'never before 2999' }],
      ['with only a year', { expires_at: '2999' }],
      ['without a time zone', { expires_at: '2999-01-01T00:00:00' }],
      ['with the jti of another token', { jti: refresh_token }],
      ['without a jti', { jti: undefined }],
      ['without a client_id', { client_id: undefined }],
    ]
    for (const [name, fields] of changes) {
      await editToken(access_token, fields)
      t.equal(await status(), 401, name)
      t.equal(await status('/userinfo'), 401, `${name}, at the UserInfo endpoint`)
      await editToken(access_token, good)
      t.equal(await status(), 200, 'accepted again')
    }
    await editToken(access_token, { expires_at: new Date(Date.now() + 60_000).toISOString() })
    t.equal(await status(), 200, 'an instant in the future')
  },
)

forEachStorage(t, 'responses use the current fields of the record', async (t, makeStorage) => {
  const { storage, editToken } = await makeStorage()
  const service = await startService(t, { storage, access_token_format: 'opaque' })
  const { access_token } = await tokensOf(service)
  await editToken(access_token, { subject: 'bob', scope: 'openid' })
  t.equal((await service.get('/api/resource', bearer(access_token))).json.subject, 'bob')
  await editToken(access_token, { scope: ' ' })
  t.equal((await service.get('/userinfo', bearer(access_token))).status, 403, 'without any scope')
})

forEachService(t, 'a token is refused from the instant of its expiry', async (t, start, format) => {
  let ahead = 0
  const issued = Math.ceil(Date.now() / 1000) * 1000
  // Shorter than the limit for unread keys: nothing reads them while the clock jumps.
  const access_token_ttl = 200
  const service = await start({ now: () => issued + ahead, access_token_ttl })
  const { access_token } = await tokensOf(service)
  const record = await service.storage.families.findToken(access_token)
  // The clock of storage differs from that of this test by a few milliseconds.
  const end = record === undefined ? access_token_ttl * 1000 : Date.parse(String(record.expires_at)) - issued
  const status = async () => (await service.get('/api/resource', bearer(access_token))).status

  ahead = end - 1
  t.equal(await status(), 200, 'before it')
  ahead = end
  // An opaque token is valid up to and including its expires_at; a JWT is not: "on or after" (RFC 7519 §4.1.4).
  t.equal(await status(), format === 'opaque' ? 200 : 401, 'at it')
  ahead = end + 1
  t.equal(await status(), 401, 'after it')
})

onRedis(t, 'every record expires with its token, under the documented key', async (t, place) => {
  const { storage, keys, server } = place
  const service = await startService(t, { storage, access_token_format: 'opaque' })
  const ttl = async (key: string) => Number(await server.cli('TTL', key))

  const code = await service.code({ client_id: 'web' })
  const [grant, secret] = code.split('.')
  t.equal(keys.record(CODE, code), `${keys.prefix}code:{${grant}}.${secret}`)
  t.ok((await ttl(keys.record(CODE, code))) > 50 && (await ttl(keys.record(CODE, code))) <= 60)

  const { json } = await service.token(codeRequest(code, { client_id: 'web' }), basic('web'))
  const lifetimes = { access_token: 900, refresh_token: 2_592_000 }
  for (const [name, limit] of Object.entries(lifetimes)) {
    const token = String(json[name])
    const key = `${keys.prefix}token:{${grant}}.${token.split('.')[1]}`
    t.equal(token.split('.')[0], grant, 'one family, one hash tag')
    t.equal(await server.cli('HGET', key, 'type'), name)
    const lifetime = await ttl(key)
    t.ok(lifetime > limit - 10 && lifetime <= limit, `${name}: ${lifetime} s`)
  }
  t.equal(await server.cli('HGET', `${keys.prefix}grant:{${grant}}`, 'subject'), 'alice')
  const all = (await server.cli('KEYS', `${keys.prefix}*{${grant}}*`)).split('\n')
  for (const key of all) t.ok((await ttl(key)) > 0, `${key} ends`)

  await server.cli('DEL', keys.token(String(json.access_token)))
  t.equal((await service.get('/api/resource', bearer(String(json.access_token)))).status, 401)
})
