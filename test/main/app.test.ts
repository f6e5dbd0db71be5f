import accepts from '@fastify/accepts'
import basicAuth from '@fastify/basic-auth'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import t from 'tap'
import redmint from '../../app.ts'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { createClient } from '../support/records.ts'
import { basic, bearer, CLIENTS, ISSUER, useTestKeys } from '../support/service.ts'
import { until } from '../support/until.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** An application with its own parsers, error handlers and hooks, which a plugin could disturb. */
async function makeHost(): Promise<FastifyInstance> {
  const host = Fastify()
  await host.register(formbody)
  host.addContentTypeParser('application/vnd.host+json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { host: String(body) }),
  )
  host.setErrorHandler((error: Error, _request, reply) => reply.status(418).send({ host: error.message }))
  host.setNotFoundHandler((request, reply) => reply.status(404).send({ host: `no ${request.method}` }))
  host.decorateRequest('user', null)
  host.get('/hello', async () => ({ hello: 'host' }))
  host.get('/fails', async () => {
    throw new Error('of the host')
  })
  return host
}

/** Routes of the host registered last, so that anything registered before could affect them. */
function addRoutes(host: FastifyInstance): void {
  host.post('/echo', async ({ body }) => ({ body }))
  host.get('/api/of-the-host', async () => ({ hello: 'api' }))
  host.get('/query', async ({ query }) => ({ query }))
}

async function withRedmint(host: FastifyInstance): Promise<MemoryStorage> {
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await createClient(storage, 'service', formatClient(CLIENTS.service))
  await host.register(redmint, { issuer: ISSUER, storage })
  return storage
}

const requestToken = (host: FastifyInstance) =>
  host.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: { ...FORM, ...basic('service') },
    payload: 'grant_type=client_credentials',
  })

const callApi = (host: FastifyInstance, token: string) =>
  host.inject({ url: '/api/resource', headers: bearer(token) })

const TO_THE_HOST: Record<string, InjectOptions> = {
  'a route': { url: '/hello' },
  'a HEAD request': { method: 'HEAD', url: '/hello' },
  'an OPTIONS request': { method: 'OPTIONS', url: '/hello' },
  'a preflight request': {
    method: 'OPTIONS',
    url: '/echo',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  },
  'a query with a repeated name': { url: '/query?a=1&a=2&b=' },
  'a form with a repeated name': { method: 'POST', url: '/echo', headers: FORM, payload: 'a=1&a=2&b=' },
  JSON: { method: 'POST', url: '/echo', payload: { a: [1, { b: null }] } },
  'broken JSON': {
    method: 'POST',
    url: '/echo',
    headers: { 'content-type': 'application/json' },
    payload: '{"a":',
  },
  text: { method: 'POST', url: '/echo', headers: { 'content-type': 'text/plain' }, payload: 'text' },
  'a media type of the host': {
    method: 'POST',
    url: '/echo',
    headers: { 'content-type': 'application/vnd.host+json' },
    payload: '{}',
  },
  'an unknown media type': { method: 'POST', url: '/echo', headers: { 'content-type': 'a/b' }, payload: 'x' },
  'a large body': { method: 'POST', url: '/echo', payload: { a: 'x'.repeat(100_000) } },
  'an error': { url: '/fails' },
  'an unknown path': { url: '/nowhere' },
  'an unknown method': { method: 'DELETE', url: '/hello' },
  'a route of the host below /api': { url: '/api/of-the-host' },
}

t.test('registering redmint does not change the responses of the host', async (t) => {
  const before = await makeHost()
  addRoutes(before)
  const after = await makeHost()
  await withRedmint(after)
  addRoutes(after)
  t.teardown(() => Promise.all([before.close(), after.close()]))

  for (const [what, request] of Object.entries(TO_THE_HOST)) {
    const [expected, found] = await Promise.all([before.inject(request), after.inject(request)])
    const { date: _, ...headers } = found.headers
    t.same([found.statusCode, found.body], [expected.statusCode, expected.body], what)
    t.match(expected.headers, headers, `${what}: no header is added`)
  }
})

t.test('redmint works inside a host as it does alone', async (t) => {
  const host = await makeHost()
  const storage = await withRedmint(host)
  addRoutes(host)
  t.teardown(() => host.close())

  const { access_token } = (await requestToken(host)).json()
  t.match(await storage.families.findToken(access_token), { type: 'access_token', client_id: 'service' })
  t.match((await callApi(host, access_token)).json(), { subject: '' })
  t.equal((await host.inject('/.well-known/openid-configuration')).json().issuer, ISSUER)

  const refused = await callApi(host, 'nothing')
  t.equal(refused.statusCode, 401)
  t.match(refused.headers['www-authenticate'], /^Bearer .*error="invalid_token"/)
  t.equal((await host.inject('/api/nothing')).statusCode, 401, 'unknown paths below /api require a token')

  const json = await host.inject({ method: 'POST', url: '/oauth2/token', payload: { grant_type: 'x' } })
  t.match(json.json(), { error: 'invalid_request' }, 'redmint does not use the parsers of the host')
  const twice = await host.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: FORM,
    payload: 'grant_type=client_credentials&grant_type=client_credentials',
  })
  t.match(twice.json(), { error: 'invalid_request', error_description: /more than once/ })
  t.notOk(
    (await host.inject('/openapi.json')).json().paths['/hello'],
    'routes of the host are not in the description',
  )
})

t.test('the host may have schemas with the same names', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  for (const $id of ['TokenResponse', 'ErrorBody', 'https://host.example.com/other']) {
    host.addSchema({ $id, type: 'object', properties: { of_the_host: { type: 'string' } } })
  }
  const schemas = Object.keys(host.getSchemas())
  await withRedmint(host)
  const schema = { response: { 200: { $ref: 'TokenResponse#' } } }
  host.get('/hello', { schema }, async () => ({ of_the_host: 'x', access_token: 'y' }))

  t.match((await requestToken(host)).json(), { token_type: 'Bearer' })
  t.same((await host.inject('/hello')).json(), { of_the_host: 'x' })
  t.same(Object.keys(host.getSchemas()), schemas, 'no schemas are added to the host')
  t.notMatch(
    (await host.inject('/openapi.json')).body,
    'of_the_host',
    'schemas of the host are not in the description',
  )
})

t.test('the host may use the same plugins', async (t) => {
  const host = Fastify()
  await host.register(accepts)
  await host.register(cors, { origin: 'https://app.example.com' })
  await host.register(helmet)
  await host.register(formbody)
  await host.register(etag)
  await host.register(swagger)
  await host.register(basicAuth, { validate: async () => {} })
  await withRedmint(host)
  host.get('/hello', async () => ({ hello: 'host' }))
  t.teardown(() => host.close())

  const { access_token } = (await requestToken(host)).json()
  t.equal((await callApi(host, access_token)).statusCode, 200)
  t.same((await host.inject('/hello')).json(), { hello: 'host' })
  t.ok((await host.inject('/openapi.json')).json().paths['/oauth2/token'])
})

t.test('failed client authentications and the rate limit of the host are counted separately', async (t) => {
  for (const limited of [false, true]) {
    const host = Fastify()
    if (limited) await host.register(rateLimit, { global: false })
    const storage = new MemoryStorage()
    await useTestKeys(storage)
    await createClient(storage, 'service', formatClient(CLIENTS.service))
    await host.register(redmint, { issuer: ISSUER, storage, client_auth_failures: 3 })
    const config = { rateLimit: { max: 8, timeWindow: 60_000 } }
    host.get('/hello', { config }, async () => ({ hello: 'host' }))
    t.teardown(() => host.close())
    const guess = async () => {
      const headers = { ...FORM, ...basic('service', 'wrong') }
      const payload = 'grant_type=client_credentials'
      return (await host.inject({ method: 'POST', url: '/oauth2/token', headers, payload })).json().error
    }

    const errors = []
    for (let i = 0; i < 5; i += 1) errors.push(await guess())
    const [once, ended] = ['invalid_client', 'temporarily_unavailable']
    t.same(errors, [once, once, once, ended, ended], 'counted by redmint')
    for (let i = 0; i < 8; i += 1) t.equal((await host.inject('/hello')).statusCode, 200)
    const { statusCode, headers } = await host.inject('/hello')
    t.equal(statusCode, limited ? 429 : 200, 'counted by the host')
    t.equal(headers['x-ratelimit-limit'], limited ? '8' : undefined)
    t.equal(host.hasDecorator('createRateLimit'), limited)
    t.equal(host.hasRequestDecorator('caller'), false)
  }
})

t.test('another instance can answer what only operators need', async (t) => {
  const [host, management] = [Fastify(), Fastify()]
  t.teardown(() => Promise.all([host.close(), management.close()]))
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await host.register(redmint, { issuer: ISSUER, storage, management })
  await host.ready()
  for (const path of ['/actuator/info', '/actuator/prometheus', '/openapi.json']) {
    t.equal((await management.inject(path)).statusCode, 200, path)
    t.equal((await host.inject(path)).statusCode, 404, path)
  }
  for (const one of [host, management]) t.same((await one.inject('/health')).json(), { status: 'UP' })
  t.notOk(management.hasDecorator('redmint'), 'nothing is added to it')
})

t.test('a storage passed in by the host is not closed', async (t) => {
  const host = Fastify()
  const storage = await withRedmint(host)
  await host.ready()
  await host.close()
  await t.resolves(storage.probe())
})

t.test('two services in one process share nothing', async (t) => {
  // The same issuer, so that only storage and keys separate them.
  const make = async (access_token_format: 'opaque' | 'jwt') => {
    const host = Fastify()
    t.teardown(() => host.close())
    const storage = new MemoryStorage()
    await createClient(storage, 'service', formatClient({ ...CLIENTS.service, access_token_format }))
    await host.register(redmint, { issuer: ISSUER, storage, demo: access_token_format === 'jwt' && 'public' })
    return host
  }
  const [opaque, jwt] = [await make('opaque'), await make('jwt')]
  const kids = async (host: FastifyInstance) => {
    const keySet = () => host.inject('/.well-known/jwks.json')
    await until('the first keys are made', async () => (await keySet()).statusCode === 200)
    return (await keySet()).json().keys.map(({ kid }: { kid: string }) => kid)
  }
  const [some, others] = [await kids(opaque), await kids(jwt)]
  t.same(
    some.filter((kid: string) => others.includes(kid)),
    [],
    'the signing keys',
  )

  const tokens = { opaque: (await requestToken(opaque)).json().access_token, jwt: '' }
  const counted = (await jwt.inject('/actuator/prometheus')).body
  t.notMatch(counted, 'uri="/oauth2/token"', 'the metrics')
  tokens.jwt = (await requestToken(jwt)).json().access_token
  t.same([tokens.opaque.split('.').length, tokens.jwt.split('.').length], [2, 3], 'the clients')
  t.equal((await callApi(opaque, tokens.opaque)).statusCode, 200)
  t.equal((await callApi(opaque, tokens.jwt)).statusCode, 401)
  t.equal((await callApi(jwt, tokens.opaque)).statusCode, 401)
  t.equal((await opaque.inject('/docs')).statusCode, 404, 'demo mode')
  t.equal((await jwt.inject('/docs')).statusCode, 200)

  await opaque.close()
  t.equal((await callApi(jwt, tokens.jwt)).statusCode, 200, 'closing one does not affect the other')
})

t.test('every mistake in the options is reported before anything starts', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  const options = {
    dpop_nonce: 'Required',
    access_token_ttl: '300',
    storage: 'redis://127.0.0.1',
    home: 'false',
    reads_environment: 1,
    warn_of_leftovers: 0,
    drain: new AbortController(),
    management: {},
    gather: true,
    prefix: '/auth',
    now: Date.now,
  }
  await t.rejects(Promise.resolve(host.register(redmint, options as never)), {
    name: 'ConfigError',
    problems: [
      'dpop_nonce must be one of off, required',
      'access_token_ttl must be a whole number, not a string',
      'storage must be what openStorage returns',
      'home must be true or false',
      'reads_environment must be true or false',
      'warn_of_leftovers must be true or false',
      'drain must be an AbortSignal',
      'management must be another Fastify instance',
      'gather must be a function',
      /^prefix is not an option of redmint: /,
      /^now is not an option of redmint: /,
      /^issuer must be an origin /,
    ],
  })
  t.notOk(host.hasDecorator('redmint'))
})

t.test('problems of files are told by the option that names their folder', async (t) => {
  const languages_dir = t.testdir({ 'fr.json': '{"a":1}' })
  const registered = async () => Fastify().register(redmint, { issuer: ISSUER, languages_dir })
  await t.rejects(registered(), { message: /languages_dir: .*fr\.json: a: / })
})

t.test('pages of an application need an instance that finds the paths of challenges', async (t) => {
  const pages = {
    login_url: 'https://shop.example.com/login',
    consent_url: 'https://shop.example.com/consent',
  }
  for (const [field, url] of Object.entries(pages)) {
    for (const routerOptions of [undefined, { caseSensitive: true }, { maxParamLength: 16_383 }]) {
      const host = Fastify(routerOptions && { routerOptions })
      const registered = async () => host.register(redmint, { issuer: ISSUER, [field]: url })
      await t.rejects(registered(), { message: /maxParamLength: 16384/ })
    }
    const host = Fastify({ routerOptions: { maxParamLength: 16_384 } })
    t.teardown(() => host.close())
    await host.register(redmint, { issuer: ISSUER, [field]: url })
  }
})

t.test('the prefix of a parent is refused like one of its own', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  host.register(async (child) => void child.register(redmint, { issuer: ISSUER }), { prefix: '/auth' })
  await t.rejects(async () => void (await host.ready()), {
    name: 'ConfigError',
    problems: [/^the instance has the prefix \/auth: /],
  })
})
