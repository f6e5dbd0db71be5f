// The bearer guard in an application that registers redmint and its own routes.

import formbody from '@fastify/formbody'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import redmint, { type RedmintOptions } from '../../../app.ts'
import bearer, { accessTokenOf } from '../../../plugins/bearer.ts'
import resourceServer from '../../../plugins/resource-server.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createClient } from '../../support/records.ts'
import { basic, bearer as bearerHeader, CLIENTS, ISSUER, useTestKeys } from '../../support/service.ts'

const FORM = 'application/x-www-form-urlencoded'

/** An application with redmint and its own error handler. */
async function makeHost(t: Test, options: Partial<RedmintOptions> = {}) {
  const host = Fastify()
  t.teardown(() => host.close())
  host.setErrorHandler((_error, _request, reply) => reply.status(418).send('of the host'))
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await createClient(storage, 'service', formatClient(CLIENTS.service))
  await host.register(redmint, { issuer: ISSUER, storage, ...options })
  return { host, storage }
}

/** Routes of the host: one for any token, one for a scope of the token, one for a scope that it lacks. */
function addRoutes(host: FastifyInstance): void {
  const { protect } = host
  host.get('/own', { onRequest: protect() }, async ({ accessToken, subject, authorities }) => ({
    client_id: accessToken?.client_id,
    subject,
    authorities,
  }))
  host.get('/read', { onRequest: protect({ scopes: ['api.read'] }) }, async () => 'read')
  host.get('/admin', { onRequest: protect({ scopes: ['admin'] }) }, async () => 'admin')
  host.get('/forgotten', async (request) => accessTokenOf(request))
  host.get('/open', async ({ accessToken }) => ({ accessToken }))
}

async function requestToken(host: FastifyInstance): Promise<string> {
  const { access_token } = (
    await host.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers: { 'content-type': FORM, ...basic('service') },
      payload: 'grant_type=client_credentials',
    })
  ).json()
  return access_token
}

const ask = (host: FastifyInstance, url: string, token: string) =>
  host.inject({ url, headers: bearerHeader(token) })

t.test('the guard protects routes of the host, with the same responses as /api/', async (t) => {
  const { host, storage } = await makeHost(t)
  await host.register(bearer)
  addRoutes(host)
  const token = await requestToken(host)

  t.same((await ask(host, '/own', token)).json(), {
    client_id: 'service',
    subject: '',
    authorities: ['SCOPE_api.read', 'SCOPE_api.write'],
  })
  t.equal((await ask(host, '/read', token)).body, 'read')
  t.same((await ask(host, '/open', token)).json(), { accessToken: null }, 'other routes stay open')

  t.equal((await ask(host, '/forgotten', token)).statusCode, 418, 'no token was checked')

  const forbidden = await ask(host, '/admin', token)
  t.equal(forbidden.statusCode, 403)
  t.match(forbidden.headers['www-authenticate'], /error="insufficient_scope".* scope="admin"$/)

  const compare = async (what: string, headers: Record<string, string>, status: number) => {
    const [own, api] = await Promise.all(
      ['/own', '/api/resource'].map((url) => host.inject({ url, headers })),
    )
    t.equal(own?.statusCode, status, what)
    t.same([own?.statusCode, own?.body], [api?.statusCode, api?.body], what)
    const place = /, resource_metadata="[^"]+"/g
    t.equal(own?.headers['www-authenticate'], String(api?.headers['www-authenticate']).replace(place, ''))
    // Spread, so that clients do not come back together.
    t.match(own?.headers['retry-after'], status === 503 ? /^[1-9]$/ : undefined, `${what}: retry-after`)
    for (const name of ['cache-control', 'content-type']) {
      t.same(own?.headers[name], api?.headers[name], `${what}: ${name}`)
    }
  }
  await compare('no token', {}, 401)
  await compare('an unknown token', bearerHeader('nothing'), 401)
  await compare('another scheme', basic('service'), 401)
  await storage.families.revokeToken(token)
  await compare('a revoked token', bearerHeader(token), 401)
  await storage.close()
  await compare('unavailable storage', bearerHeader(token), 503)
})

t.test('a token in the body is accepted in a form only', async (t) => {
  const { host } = await makeHost(t)
  await host.register(formbody)
  await host.register(bearer)
  host.post('/own', { preHandler: host.protect({ form: true }) }, async ({ body }) => body)
  host.post('/header', { preHandler: host.protect() }, async ({ body }) => body)
  const token = await requestToken(host)
  const post = (payload: string, type: string, headers = {}) =>
    host.inject({ method: 'POST', url: '/own', payload, headers: { 'content-type': type, ...headers } })

  for (const type of [FORM, `${FORM}; charset=utf-8`, 'Application/X-WWW-Form-URLencoded ;a=b']) {
    t.equal((await post(`access_token=${token}`, type)).statusCode, 200, type)
  }
  t.equal((await post('access_token=nothing', FORM)).statusCode, 401)
  const twice = await post(`access_token=${token}`, FORM, bearerHeader(token))
  t.equal(twice.statusCode, 400, 'in header and body (RFC 6750 §2)')
  t.equal((await post('access_token=', FORM, bearerHeader(token))).statusCode, 200, 'empty is absent')
  for (const headers of [{}, bearerHeader(token)]) {
    const several = await post(`access_token=${token}&access_token=${token}`, FORM, headers)
    t.equal(several.statusCode, 400, 'several in the body')
  }
  t.match(twice.headers['www-authenticate'], /^Bearer .*error="invalid_request", error_description="[^"]+"$/)

  const only = { method: 'POST', url: '/header', headers: { 'content-type': FORM } } as const
  const unread = await host.inject({ ...only, payload: `access_token=${token}` })
  t.equal(unread.statusCode, 401, 'only where the route says so')

  const json = JSON.stringify({ access_token: token })
  t.equal((await post(json, 'application/json')).statusCode, 401)
  const own = await post(json, 'application/json', bearerHeader(token))
  t.same([own.statusCode, own.json()], [200, { access_token: token }], 'a field of the host')
})

t.test('the guard can be registered for one Fastify scope of the host only', async (t) => {
  const { host } = await makeHost(t)
  await host.register(async (scope) => {
    await scope.register(bearer)
    scope.addHook('onRequest', scope.protect())
    scope.get('/own', async () => 'own')
  })
  host.get('/open', async () => 'open')
  const token = await requestToken(host)
  t.equal((await host.inject('/own')).statusCode, 401)
  t.equal((await ask(host, '/own', token)).body, 'own')
  t.equal((await host.inject('/open')).body, 'open')
  t.equal(host.hasDecorator('protect'), false)
  t.equal(host.hasRequestDecorator('accessToken'), false)
})

t.test('without redmint the guard fails with a message that names it', async (t) => {
  const before = Fastify()
  t.teardown(() => before.close())
  await t.rejects(async () => before.register(bearer), /needs redmint: register redmint first/)

  const beside = Fastify()
  t.teardown(() => beside.close())
  const outside = beside.register(async (scope) => {
    await scope.register(redmint, { issuer: ISSUER })
  })
  await outside
  await t.rejects(async () => beside.register(bearer), /on the same Fastify instance or on a parent/)
})

t.test('with check_grant a revoked JWT is refused', async (t) => {
  const { host } = await makeHost(t, { access_token_format: 'jwt' })
  await host.register(bearer)
  const { protect } = host
  host.get('/local', { onRequest: protect() }, async () => 'local')
  host.get('/asked', { onRequest: protect({ check_grant: true }) }, async () => 'asked')
  const token = await requestToken(host)
  const statuses = async () => [
    (await ask(host, '/local', token)).statusCode,
    (await ask(host, '/asked', token)).statusCode,
  ]
  t.strictSame(await statuses(), [200, 200])
  const revoke = { method: 'POST', url: '/oauth2/revoke', payload: `token=${token}` } as const
  await host.inject({ ...revoke, headers: { 'content-type': FORM, ...basic('service') } })
  t.strictSame(await statuses(), [200, 401])
})

t.test('a scope whose guards differ has both', async (t) => {
  const { host } = await makeHost(t)
  await host.register(bearer)
  await host.register(async (scope) => {
    scope.addHook('onRequest', scope.protect({ scopes: ['api.read'] }))
    scope.get('/read', async () => 'read')
    scope.get('/admin', { onRequest: scope.protect({ scopes: ['admin'] }) }, async () => 'admin')
  })
  const token = await requestToken(host)
  t.equal((await ask(host, '/read', token)).statusCode, 200)
  t.equal((await ask(host, '/admin', token)).statusCode, 403)
})

t.test('an API of another server lives beside it, whichever is registered first', async (t) => {
  const api = { issuer: 'https://other.example.com', resource: 'https://api.example.com' }
  for (const is_first of [true, false]) {
    const host = Fastify()
    t.teardown(() => host.close())
    const storage = new MemoryStorage()
    await createClient(storage, 'service', formatClient(CLIENTS.service))
    const addApi = async () => {
      await host.register(resourceServer, api)
      host.get('/other', { onRequest: host.protect() }, async () => 'other')
    }
    if (is_first) await addApi()
    await host.register(redmint, { issuer: ISSUER, storage })
    await host.register(async (scope) => {
      await scope.register(bearer)
      scope.get('/own', { onRequest: scope.protect({ form: true }) }, async () => 'own')
    })
    if (!is_first) await addApi()
    const token = await requestToken(host)
    t.equal((await ask(host, '/own', token)).body, 'own')
    t.equal((await ask(host, '/api/resource', token)).statusCode, 200)
    t.match((await host.inject('/other')).headers['www-authenticate'], /api\.example\.com/)
  }
})
