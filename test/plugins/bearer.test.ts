// The bearer guard in an application that has registered redmint beside its own routes.
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import redmint from '../../app.ts'
import bearer from '../../plugins/bearer.ts'
import { formatClient } from '../../src/clients/client-record.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { basic, bearer as bearerHeader, CLIENTS, ISSUER, useTestKeys } from '../support/service.ts'

/** An application with redmint and an error handler of its own. */
async function makeHost(t: Test) {
  const host = Fastify()
  t.teardown(() => host.close())
  host.setErrorHandler((_error, _request, reply) => reply.status(418).send('of the host'))
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await storage.createClient('service', formatClient(CLIENTS.service))
  await host.register(redmint, { issuer: ISSUER, storage })
  return { host, storage }
}

/** The host's own routes: one for any token, one for a scope that the token has, one for a scope that it lacks. */
function addRoutes(host: FastifyInstance): void {
  const { requireToken, requireScope } = host
  host.get('/own', { onRequest: requireToken }, async ({ accessToken, subject, authorities }) => ({
    client_id: accessToken?.client_id,
    subject,
    authorities,
  }))
  host.get('/read', { onRequest: [requireToken, requireScope('api.read')] }, async () => 'read')
  host.get('/admin', { onRequest: [requireToken, requireScope('admin')] }, async () => 'admin')
  host.get('/open', async ({ accessToken }) => ({ accessToken }))
}

async function requestToken(host: FastifyInstance): Promise<string> {
  const { access_token } = (
    await host.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic('service') },
      payload: 'grant_type=client_credentials',
    })
  ).json()
  return access_token
}

const ask = (host: FastifyInstance, url: string, token: string) =>
  host.inject({ url, headers: bearerHeader(token) })

t.test("the guard protects the host's own routes, with the answers of /api/", async (t) => {
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

  const forbidden = await ask(host, '/admin', token)
  t.equal(forbidden.statusCode, 403)
  t.match(forbidden.headers['www-authenticate'], /error="insufficient_scope".* scope="admin"$/)

  const compare = async (what: string, headers: Record<string, string>, status: number) => {
    const [own, api] = await Promise.all(
      ['/own', '/api/resource'].map((url) => host.inject({ url, headers })),
    )
    t.equal(own?.statusCode, status, what)
    t.same([own?.statusCode, own?.body], [api?.statusCode, api?.body], what)
    for (const name of ['www-authenticate', 'cache-control', 'retry-after', 'content-type']) {
      t.same(own?.headers[name], api?.headers[name], `${what}: ${name}`)
    }
  }
  await compare('no token', {}, 401)
  await compare('an unknown token', bearerHeader('nothing'), 401)
  await compare('another scheme', basic('service'), 401)
  await storage.revokeToken(token)
  await compare('a revoked token', bearerHeader(token), 401)
  await storage.close()
  await compare('storage is away', bearerHeader(token), 503)
})

t.test('the guard can be registered for one scope of the host only', async (t) => {
  const { host } = await makeHost(t)
  await host.register(async (scope) => {
    await scope.register(bearer)
    scope.addHook('onRequest', scope.requireToken)
    scope.get('/own', async () => 'own')
  })
  host.get('/open', async () => 'open')
  const token = await requestToken(host)
  t.equal((await host.inject('/own')).statusCode, 401)
  t.equal((await ask(host, '/own', token)).body, 'own')
  t.equal((await host.inject('/open')).body, 'open')
  t.equal(host.hasDecorator('requireToken'), false)
  t.equal(host.hasRequestDecorator('accessToken'), false)
})

t.test('without redmint the guard says what is missing', async (t) => {
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
