// The rules of the client_credentials grant (RFC 6749 §4.4), each with a request that meets it and one that breaks it.

import { decodeJwt } from 'jose'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { forEachService, type PlacedService } from '../../../support/matrix.ts'
import { createClient } from '../../../support/records.ts'
import { basic, bearer, CLIENTS, SECRET, startService } from '../../../support/service.ts'

const FORM = { grant_type: 'client_credentials' }
const IN_BODY = { ...FORM, client_id: 'service', client_secret: SECRET }

/** The claims or the record of an access token. */
async function contents({ storage, format }: PlacedService, access_token: unknown) {
  return format === 'jwt'
    ? decodeJwt(String(access_token))
    : await storage.families.findToken(String(access_token))
}

t.test('the client authenticates with Basic or in the body', async (t) => {
  const { token } = await startService(t)
  t.equal((await token(FORM, basic('service'))).status, 200)
  t.equal((await token(IN_BODY)).status, 200)

  const refused: [name: string, form: Record<string, string>, headers?: Record<string, string>][] = [
    ['no credentials', FORM],
    ['only an id', { ...FORM, client_id: 'service' }],
    ['only a secret', { ...FORM, client_secret: SECRET }],
    ['a wrong secret in the body', { ...IN_BODY, client_secret: `${SECRET}.` }],
    ['a wrong secret with Basic', FORM, basic('service', SECRET.slice(1))],
    ['an unknown client', FORM, basic('nobody')],
    ['the stored digest as secret', FORM, basic('service', CLIENTS.service.client_secret_hash)],
    ['a bearer token', FORM, bearer(SECRET)],
  ]
  for (const [name, form, headers] of refused) {
    const { status, json } = await token(form, headers)
    t.equal(status, 401, name)
    t.equal(json.error, 'invalid_client')
    t.notOk(Object.hasOwn(json, 'access_token'))
  }
})

t.test('no refresh_token and no id_token', async (t) => {
  const { token } = await startService(t)
  const { status, json } = await token(FORM, basic('web'))
  t.equal(status, 200)
  t.same(Object.keys(json).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
})

forEachService(
  t,
  'the subject of the access token is empty: no user is involved',
  async (t, start, format) => {
    const service = await start()
    const { token, get } = service
    const { access_token } = (await token({ ...IN_BODY, subject: 'alice' })).json
    const { sub, subject } = (await contents(service, access_token)) ?? {}
    // RFC 9068 §2.2 requires a sub in every JWT: without a user it is the client_id.
    t.equal(format === 'jwt' ? sub : subject, format === 'jwt' ? 'service' : '')
    const { status, json } = await get('/api/resource', bearer(String(access_token)))
    t.equal(status, 200)
    t.equal(json.subject, '')
  },
)

forEachService(t, 'the scope is the requested one, else allowed_scopes, else empty', async (t, start) => {
  const service = await start()
  const { token, storage } = service
  const narrow = { ...CLIENTS.service, client_id: 'narrow', allowed_scopes: [] }
  await createClient(storage, 'narrow', formatClient(narrow))
  const { allowed_scopes: _, ...unscoped } = formatClient({ ...narrow, client_id: 'unscoped' })
  await createClient(storage, 'unscoped', unscoped)

  const table: [client_id: string, requested: string | undefined, granted: string][] = [
    ['service', 'api.read', 'api.read'],
    ['service', undefined, 'api.read api.write'],
    ['service', '', 'api.read api.write'],
    ['service', ' ', 'api.read api.write'],
    ['service', '   ', 'api.read api.write'],
    ['narrow', undefined, ''],
    ['narrow', ' ', ''],
    ['unscoped', undefined, ''],
  ]
  for (const [client_id, scope, granted] of table) {
    const { json } = await token({ ...FORM, ...(scope === undefined ? {} : { scope }) }, basic(client_id))
    t.equal(json.scope, granted, `${client_id} requests "${scope}"`)
    t.equal((await contents(service, json.access_token))?.scope, granted, 'the token has the same scope')
  }
})

forEachService(
  t,
  'allowed_scopes is used literally, names about users included',
  async (t, start, format) => {
    const service = await start()
    const { token, get, storage } = service
    const personal = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access']
    const both = {
      ...CLIENTS.service,
      client_id: 'both',
      allowed_scopes: ['api.read', ...personal, 'groups'],
    }
    const none = { ...both, client_id: 'none', allowed_scopes: personal }
    for (const client of [both, none]) await createClient(storage, client.client_id, formatClient(client))

    for (const { client_id, allowed_scopes } of [both, none]) {
      const all = allowed_scopes.join(' ')
      const requests = [undefined, ' ', all, ...personal, ...personal.map((name) => `groups ${name}`)]
      for (const scope of requests) {
        const may =
          scope === undefined || scope.split(' ').every((name) => ['', ...allowed_scopes].includes(name))
        const { status, json } = await token({ ...FORM, ...(scope && { scope }) }, basic(client_id))
        if (!may) {
          t.match(
            { status, json },
            { status: 400, json: { error: 'invalid_scope' } },
            `${client_id}: ${scope}`,
          )
          continue
        }
        t.equal(json.scope, scope?.trim() || all, `${client_id}: ${scope}`)
        t.same(Object.keys(json).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
        const { sub, subject, scope: of_token } = (await contents(service, json.access_token)) ?? {}
        t.equal(of_token, json.scope)
        t.equal(format === 'jwt' ? sub : subject, format === 'jwt' ? client_id : '', 'no user')
      }
    }
    const { access_token } = (await token(FORM, basic('both'))).json
    t.match((await get('/api/resource', bearer(String(access_token)))).json, { subject: '' })
  },
)

t.test('a scope outside allowed_scopes is invalid_scope', async (t) => {
  const { token } = await startService(t)
  const refused = [
    'openid',
    'api.read openid',
    'openid api.read',
    'api.rea',
    'api.readx',
    'API.READ',
    'api.read,api.write',
    '*',
    'api.*',
    '"api.read"',
    'äpi.read',
    '__proto__',
    'length',
  ]
  for (const scope of refused) {
    const { status, json } = await token({ ...IN_BODY, scope })
    t.equal(status, 400, scope)
    t.equal(json.error, 'invalid_scope')
    t.notOk(Object.hasOwn(json, 'access_token'))
  }
  t.equal((await token({ ...IN_BODY, scope: 'api.write api.read' })).status, 200)
})

forEachService(t, 'the response reports exactly the granted scope, without duplicates', async (t, start) => {
  const service = await start()
  const { token } = service
  const table: [requested: string, reported: string][] = [
    ['api.read', 'api.read'],
    ['api.write', 'api.write'],
    ['api.write api.read', 'api.write api.read'],
    ['api.read api.read', 'api.read'],
    ['  api.read   api.write ', 'api.read api.write'],
  ]
  for (const [scope, reported] of table) {
    const { json } = await token({ ...IN_BODY, scope })
    t.equal(json.scope, reported)
    t.equal((await contents(service, json.access_token))?.scope, reported)
  }
})

t.test('a public client may not use the grant', async (t) => {
  const { token, storage } = await startService(t)
  const eager = { ...CLIENTS.app, client_id: 'eager', grant_types: ['client_credentials'] as const }
  await createClient(storage, 'eager', formatClient(eager))

  for (const client_id of ['app', 'eager']) {
    const { status, json } = await token({ ...FORM, client_id })
    t.equal(status, 400, client_id)
    t.equal(json.error, 'unauthorized_client')
    const withSecret = await token({ ...FORM, client_id, client_secret: SECRET })
    t.equal(withSecret.status, 401, 'a secret does not make it confidential')
    t.equal(withSecret.json.error, 'invalid_client')
  }
})

t.test('every request gets a new token', async (t) => {
  const { token } = await startService(t)
  const answers = await Promise.all(Array.from({ length: 20 }, () => token(IN_BODY)))
  t.equal(new Set(answers.map(({ json }) => json.access_token)).size, 20)
})
