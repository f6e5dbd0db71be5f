// A code is bound to client, redirect_uri and code_challenge. A wrong attempt does not spend it; a second right one
// revokes everything issued for it.

import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { CODE } from '../../../../src/tokens/code-record.ts'
import { s256Challenge } from '../../../../src/tokens/pkce.ts'
import { forEachService, onRedis, type PlacedService } from '../../../support/matrix.ts'
import { changeClient, createClient } from '../../../support/records.ts'
import {
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  REDIRECT_URI,
  SECRET,
  startService,
  VERIFIER,
} from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const OTHER = { ...CLIENTS.app, client_id: 'other-app' }

const ATTEMPTS: [name: string, form: Record<string, string>, headers?: Record<string, string>][] = [
  ['another public client', { client_id: 'other-app' }],
  ['a confidential client by Basic', { client_id: 'web' }, basic('web')],
  ['another redirect_uri of the client', { redirect_uri: 'http://127.0.0.1/callback' }],
  ['the redirect_uri with an additional slash', { redirect_uri: `${REDIRECT_URI}/` }],
  ['the redirect_uri with a query', { redirect_uri: `${REDIRECT_URI}?` }],
  ['the redirect_uri in another case', { redirect_uri: REDIRECT_URI.replace('https', 'HTTPS') }],
  ['another verifier', { code_verifier: `${VERIFIER}.` }],
  ['the verifier in another case', { code_verifier: VERIFIER.toUpperCase() }],
  ['a verifier that differs only in the eighth bit', { code_verifier: VERIFIER.replace('a', '\u0161') }],
  ['a malformed verifier', { code_verifier: 'short' }],
  ['the challenge as verifier', { code_verifier: 'x'.repeat(43) }],
  [
    'all three wrong',
    { client_id: 'other-app', redirect_uri: 'https://x.example/', code_verifier: 'y'.repeat(43) },
  ],
]

forEachService(t, 'a wrong attempt is refused and does not spend the code', async (t, start) => {
  const { storage, code, token } = await start()
  await createClient(storage, OTHER.client_id, formatClient(OTHER))
  for (const [name, form, headers] of ATTEMPTS) {
    const value = await code()
    for (const attempt of ['first', 'again']) {
      const wrong = await token(codeRequest(value, form), headers)
      t.equal(wrong.status, 400, `${name}, ${attempt}`)
      t.equal(wrong.json.error, 'invalid_grant')
      t.notOk(Object.hasOwn(wrong.json, 'access_token'))
    }
    t.equal((await token(codeRequest(value))).status, 200, 'the right attempt succeeds')
  }
})

forEachService(
  t,
  'a malformed verifier is refused, even if it matches the code_challenge',
  async (t, start) => {
    const { code, token } = await start()
    for (const code_verifier of ['x'.repeat(42), 'x'.repeat(129), `${VERIFIER}+`]) {
      const value = await code({ code_challenge: s256Challenge(code_verifier) })
      t.equal((await token(codeRequest(value, { code_verifier }))).json.error, 'invalid_grant', code_verifier)
    }
    for (const code_verifier of ['x'.repeat(43), 'x'.repeat(128)]) {
      const value = await code({ code_challenge: s256Challenge(code_verifier) })
      t.equal((await token(codeRequest(value, { code_verifier }))).status, 200, code_verifier)
    }
  },
)

forEachService(t, 'another client cannot find out whether a code exists', async (t, start) => {
  const { storage, code, token } = await start()
  await createClient(storage, OTHER.client_id, formatClient(OTHER))
  const asOther = async (value: string) => (await token(codeRequest(value, { client_id: 'other-app' }))).text
  const unknown = await asOther(newToken(newFamilyId()))
  const spent = await code()
  await token(codeRequest(spent))
  t.equal(await asOther(await code()), unknown, 'of a valid code')
  t.equal(await asOther(spent), unknown, 'of a spent code')
  t.equal(await asOther('nonsense'), unknown, 'of an unknown code')
})

/** Where the tokens of one sign-in are still accepted. */
async function validityOf(service: PlacedService, json: Record<string, unknown>) {
  const { status } = await service.get('/api/resource', bearer(String(json.access_token)))
  const refresh = await service.storage.families.findToken(String(json.refresh_token))
  const family = await service.storage.families.findFamily(String(json.refresh_token).split('.')[0] ?? '')
  return { api: status, refresh_revoked: refresh?.revoked, grant: family?.status }
}

forEachService(t, 'replaying a spent code revokes its family (RFC 6749 §10.5)', async (t, start, format) => {
  const service = await start()
  const { code, token, log } = service
  const value = await code()
  const { json } = await token(codeRequest(value))
  const { json: bystander } = await token(codeRequest(await code()))
  t.same(await validityOf(service, json), { api: 200, refresh_revoked: 'false', grant: 'active' })

  const replay = await token(codeRequest(value))
  t.equal(replay.status, 400)
  t.equal(replay.json.error, 'invalid_grant')
  // A JWT is verified without storage: it is accepted until it expires.
  const api = format === 'opaque' ? 401 : 200
  t.same(await validityOf(service, json), { api, refresh_revoked: 'true', grant: 'revoked' })
  t.same(await validityOf(service, bystander), { api: 200, refresh_revoked: 'false', grant: 'active' })
  t.match(log.join(''), /spent code was presented again/)

  t.equal((await token(codeRequest(value))).json.error, 'invalid_grant', 'it stays spent')
})

forEachService(t, 'a wrong attempt on a spent code revokes nothing', async (t, start) => {
  const service = await start()
  const { storage, code, token } = service
  await createClient(storage, OTHER.client_id, formatClient(OTHER))
  const value = await code()
  const { json } = await token(codeRequest(value))
  for (const [name, form, headers] of ATTEMPTS) {
    t.equal((await token(codeRequest(value, form), headers)).json.error, 'invalid_grant', name)
  }
  t.same(await validityOf(service, json), { api: 200, refresh_revoked: 'false', grant: 'active' })
})

forEachService(
  t,
  'of concurrent redemptions one succeeds, and its tokens are revoked',
  async (t, start, format) => {
    const service = await start()
    const value = await service.code()
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.token(codeRequest(value))))
    const good = answers.filter(({ status }) => status === 200)
    t.equal(good.length, 1)
    const errors = answers.filter(({ status }) => status !== 200).map(({ json }) => json.error)
    t.same([...new Set(errors)], ['invalid_grant'])
    const api = format === 'opaque' ? 401 : 200
    t.same(await validityOf(service, good[0]?.json ?? {}), { api, refresh_revoked: 'true', grant: 'revoked' })
  },
)

forEachService(
  t,
  'a scope that the client lost since the code was issued is not granted',
  async (t, start) => {
    const { storage, fastify, code, token, post } = await start()
    const { clients } = fastify.redmint
    const allow = async (scope: string) => {
      await changeClient(storage, 'web', { set: { allowed_scopes: scope } })
      await until('it counts', async () => (await clients.find('web'))?.allowed_scopes.join(' ') === scope)
    }
    for (const [kept, granted] of [
      ['api.write openid', 'openid'],
      ['api.read', 'api.read'],
      ['api.write', ''],
    ] as const) {
      await allow('openid api.read')
      const value = await code({ client_id: 'web', scope: 'openid api.read' })
      await allow(kept)
      const { json } = await token(codeRequest(value, { client_id: 'web', client_secret: SECRET }))
      t.equal(json.scope, granted)
      t.equal('id_token' in json, granted === 'openid', 'an id_token if openid is left')
      const found = await post('/oauth2/introspect', { token: String(json.access_token) }, basic('web'))
      t.equal(found.json.scope ?? '', granted)
      await allow('openid api.read')
      const refresh = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) }
      t.equal((await token(refresh, basic('web'))).json.scope, 'openid api.read', 'until it has it again')
    }
  },
)

onRedis(t, 'an expired code is refused', async (t, { storage, keys, server }) => {
  const { code, token } = await startService(t, { storage })
  const value = await code()
  await server.cli('PEXPIRE', keys.record(CODE, value), '0')
  const { json } = await token(codeRequest(value))
  t.equal(json.error, 'invalid_grant')
})

t.test('a code from before its client had to use PKCE needs a verifier (RFC 9700 §2.1.1)', async (t) => {
  const { storage, code, token } = await startService(t)
  await changeClient(storage, 'web', { set: { require_pkce: 'false' } })
  const without = { client_id: 'web', code_challenge: undefined, code_challenge_method: undefined }
  const value = await code(without)
  await changeClient(storage, 'web', { set: { require_pkce: 'true' } })
  const { code_verifier: _, client_id: __, ...form } = codeRequest(value)
  const { status, json } = await token(form, basic('web'))
  t.match(
    { status, ...json },
    { status: 400, error: 'invalid_grant', error_description: /code_verifier is missing/ },
  )
})

t.test('an expired code is refused (memory)', async (t) => {
  let ahead = 0
  const storage = new MemoryStorage({ now: () => Date.now() + ahead })
  const { code, token } = await startService(t, { storage, code_ttl: 60 })
  const [early, late] = [await code(), await code()]
  ahead = 59_000
  t.equal((await token(codeRequest(early))).status, 200)
  ahead = 61_000
  t.equal((await token(codeRequest(late))).json.error, 'invalid_grant')
})
