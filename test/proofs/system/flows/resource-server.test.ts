// An API in another process than the server of its tokens: what it answers while that server rotates keys, is away, and
// revokes.
import Fastify from 'fastify'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import resourceServer from '../../../../plugins/resource-server.ts'
import type { ResourceServerOptions } from '../../../../src/resource-server/create.ts'
import { freePort, type ServerProcess, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, visit } from '../../../support/server.ts'
import { basic, bearer, CLIENTS, SECRET } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const INSECURE = { [oauth.allowInsecureRequests]: true }
const FORMATS = ['opaque', 'jwt'] as const

/** A server with a client for each format of tokens, and one that may introspect. */
async function startIssuer(t: Test) {
  const redis = await startRedis(t)
  for (const access_token_format of FORMATS) {
    await registerClient(redis, { ...CLIENTS.service, client_id: access_token_format, access_token_format })
    await registerClient(redis, {
      ...CLIENTS.app,
      client_id: `app ${access_token_format}`,
      access_token_format,
    })
  }
  await registerClient(redis, { ...CLIENTS.service, client_id: 'api', can_introspect: true })
  const port = await freePort()
  const environment = { PORT: String(port), REDIS_URL: redis.url, DEMO: 'true' }
  const issuer = `http://localhost:${port}`
  const { get } = visit(issuer)
  const start = async () => {
    const server = await startServer(t, environment)
    await until('it is ready', async () => (await get('/actuator/health/readiness')).status === 200)
    return server
  }
  const issue = async (format: (typeof FORMATS)[number], scope = 'api.read') => {
    const { json } = await visit(issuer).token({ grant_type: 'client_credentials', scope }, basic(format))
    return String(json.access_token)
  }
  return { redis, issuer, start, issue, ...visit(issuer) }
}

let shared: ReturnType<typeof startRunning> | undefined
/** The server of the tests that stop nothing; it runs. */
const running = () => {
  shared ??= startRunning()
  return shared
}
async function startRunning() {
  const issuer = await startIssuer(t)
  await issuer.start()
  return issuer
}

/** An API that listens, with a clock that can be moved on. */
async function startApi(t: Test, issuer: string, options: Partial<ResourceServerOptions> = {}) {
  const port = await freePort()
  const resource = `http://localhost:${port}`
  let ahead = 0
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  await fastify.register(resourceServer, {
    issuer,
    resource,
    audience: issuer,
    dev: 'allow',
    introspection: { client_id: 'api', client_secret: SECRET },
    now: () => Date.now() + ahead,
    ...options,
  })
  fastify.get('/', { onRequest: fastify.protect() }, async ({ accessToken }) => ({
    subject: accessToken?.subject,
    authorities: accessToken?.authorities,
  }))
  fastify.get(
    '/write',
    { onRequest: fastify.protect({ scopes: ['api.read', 'api.write'] }) },
    async () => 'written',
  )
  fastify.get('/recent', { onRequest: fastify.protect({ max_age: 60 }) }, async () => 'recent')
  await fastify.listen({ host: '127.0.0.1', port })
  const ask = (token: string, url = '/') => fastify.inject({ url, headers: bearer(token) })
  return {
    resource,
    ask,
    status: async (token: string) => (await ask(token)).statusCode,
    pass: (seconds: number) => {
      ahead += seconds * 1000
    },
  }
}

const introspections = ({ stdout }: ServerProcess) => stdout.split('"/oauth2/introspect"').length - 1

t.test('tokens of both formats, and what is not an access token for this API', async (t) => {
  const { issuer, issue, signIn } = await running()
  const { ask } = await startApi(t, issuer)
  const other = await startApi(t, issuer, { audience: 'https://other.example.com' })
  for (const format of FORMATS) {
    const own = await issue(format)
    t.same((await ask(own)).json(), { subject: '', authorities: ['SCOPE_api.read'] }, format)
    const lacking = await ask(own, '/write')
    t.equal(lacking.statusCode, 403)
    t.match(
      lacking.headers['www-authenticate'],
      /error="insufficient_scope".*, scope="api\.read api\.write"$/,
    )
    t.equal((await ask(await issue(format, 'api.read api.write'), '/write')).body, 'written')
    const aged = await ask(own, '/recent')
    t.equal(aged.statusCode, 401, 'a client has not signed in')
    t.match(aged.headers['www-authenticate'], /error="insufficient_user_authentication".*, max_age="60"$/)

    const tokens = await signIn({ client_id: `app ${format}` })
    t.equal((await ask(tokens.access_token)).json().subject, 'alice')
    for (const token of [tokens.id_token, tokens.refresh_token, `${own}x`, 'x'.repeat(4000)]) {
      t.match(await ask(token), { statusCode: 401 }, `${format}: ${token.slice(0, 20)}`)
    }
    t.match((await other.ask(own)).json(), { error: 'invalid_token' }, 'another audience')
  }
})

t.test('new keys of the server, its absence and its return', async (t) => {
  const { redis, issuer, start, issue } = await startIssuer(t)
  const first = await start()
  const { ask, status, pass } = await startApi(t, issuer)
  const [opaque, jwt] = [await issue('opaque'), await issue('jwt')]
  t.same([await status(opaque), await status(jwt)], [200, 200])

  await first.stop()
  t.equal(await status(jwt), 200, 'verified with the keys that are there')
  pass(301)
  t.equal(await status(jwt), 200, 'also if they are old')
  const away = await ask(opaque)
  t.equal(away.statusCode, 503)
  t.match(away.headers, { 'retry-after': /^[1-5]$/, 'www-authenticate': undefined })
  t.match(away.json(), { error: 'temporarily_unavailable' })

  // All keys are new: those of before are withdrawn.
  await redis.cli('DEL', 'redmint:signing-keys')
  await start()
  const renewed = await issue('jwt')
  t.equal(await status(opaque), 200)
  await until('the API has the new keys', async () => (await status(renewed)) === 200)
  t.equal(await status(jwt), 401, 'signed with a key that is withdrawn')
})

t.test('introspection: once for a thousand requests, and 503 while storage is away', async (t) => {
  const { redis, issuer, start, issue } = await startIssuer(t)
  const server = await start()
  const { status } = await startApi(t, issuer)
  const token = await issue('opaque')
  const statuses = await Promise.all(Array.from({ length: 1000 }, () => status(token)))
  t.same([...new Set(statuses)], [200])
  await redis.stop()
  t.equal(await status(token), 503)
  await server.stop()
  t.equal(introspections(server), 2)
})

t.test('a kept answer outlives a revocation by the chosen seconds', async (t) => {
  const { issuer, issue } = await running()
  const introspection = { client_id: 'api', client_secret: SECRET, cache_seconds: 30 }
  const keeping = await startApi(t, issuer, { introspection })
  const asking = await startApi(t, issuer)
  const token = await issue('opaque')
  t.same([await keeping.status(token), await asking.status(token)], [200, 200])
  const body = new URLSearchParams({ token })
  const { status } = await fetch(`${issuer}/oauth2/revoke`, {
    method: 'POST',
    body,
    headers: basic('opaque'),
  })
  t.equal(status, 200)
  t.same([await keeping.status(token), await asking.status(token)], [200, 401])
  keeping.pass(30)
  t.equal(await keeping.status(token), 401)
})

t.test('an API reads signed answers, and no others', async (t) => {
  const { redis, issuer, issue } = await running()
  const signing = { can_introspect: true, introspection_signed_response_alg: 'ES256' } as const
  await registerClient(redis, { ...CLIENTS.service, ...signing, client_id: 'signed' })
  const options = (client_id: string, signed: boolean) => ({
    introspection: { client_id, client_secret: SECRET, signed },
  })
  const token = await issue('opaque')
  for (const client_id of ['signed', 'api']) {
    const { status } = await startApi(t, issuer, options(client_id, true))
    t.same([await status(token), await status(`${token}x`)], [200, 401], client_id)
  }
  const { status } = await startApi(t, issuer, options('signed', false))
  t.equal(await status(token), 503, 'a JWT that was not expected')
})

t.test('wrong credentials of the API are no answer about a token', async (t) => {
  const { issuer, issue } = await running()
  const introspection = { client_id: 'api', client_secret: 'wrong' }
  const { status } = await startApi(t, issuer, { introspection })
  t.equal(await status(await issue('opaque')), 503)
})

t.test('a foreign client finds the issuer by the challenge and the metadata of an API', async (t) => {
  const { issuer } = await running()
  const { resource } = await startApi(t, issuer)
  for (const [identifier, url] of [
    [resource, `${resource}/write`],
    [`${issuer}/api`, `${issuer}/api/resource`],
  ] as const) {
    const refusal = await oauth
      .protectedResourceRequest('token', 'GET', new URL(url), undefined, null, INSECURE)
      .then(
        () => undefined,
        (error: oauth.WWWAuthenticateChallengeError) => error,
      )
    const found = refusal?.cause[0]?.parameters.resource_metadata
    const id = new URL(identifier)
    const response = await oauth.resourceDiscoveryRequest(id, INSECURE)
    t.equal(found, response.url, 'the challenge names the document')
    const { authorization_servers } = await oauth.processResourceDiscoveryResponse(id, response)
    t.same(authorization_servers, [issuer])
  }
})

t.test('a foreign client presents bound tokens, with the nonce that the API asks for', async (t) => {
  const { issuer } = await running()
  const nonce_secret = 'a secret of 32 bytes or more, of this test'
  const { resource, ask } = await startApi(t, issuer, { dpop: { nonce_secret } })
  const as = await oauth.processDiscoveryResponse(
    new URL(issuer),
    await oauth.discoveryRequest(new URL(issuer), INSECURE),
  )
  for (const client_id of FORMATS) {
    const client: oauth.Client = { client_id }
    const keys = await oauth.generateKeyPair('ES256')
    const DPoP = oauth.DPoP(client, keys)
    const issued = await oauth.processClientCredentialsResponse(
      as,
      client,
      await oauth.clientCredentialsGrantRequest(
        as,
        client,
        oauth.ClientSecretBasic(SECRET),
        { scope: 'api.read' },
        { DPoP, ...INSECURE },
      ),
    )
    t.equal(issued.token_type, 'dpop')
    const call = (handle = DPoP, path = '/?a=b') =>
      oauth
        .protectedResourceRequest(issued.access_token, 'GET', new URL(path, resource), undefined, null, {
          DPoP: handle,
          ...INSECURE,
        })
        .then(
          ({ status }) => status,
          (error: oauth.WWWAuthenticateChallengeError) =>
            `${error.status} ${error.cause[0]?.scheme} ${error.cause[0]?.parameters.error}`,
        )
    t.equal(await call(), '401 dpop use_dpop_nonce', client_id)
    t.equal(await call(), 200)
    t.equal(await call(), 200)
    t.match((await ask(issued.access_token)).json(), { error: 'invalid_token' }, 'not without a proof')

    const other = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    t.equal(await call(other), '401 dpop use_dpop_nonce')
    t.equal(await call(other), '401 dpop invalid_dpop_proof', 'another key')
    t.equal(await call(DPoP, '/write'), '403 dpop insufficient_scope')
  }
})
