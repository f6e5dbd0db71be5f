// The protected demo API and its bearer tokens (RFC 6750).
import Fastify, { type FastifyRequest } from 'fastify'
import t from 'tap'
import bearerTokens from '../../../../plugins/bearer.ts'
import context from '../../../../plugins/context.ts'
import errors from '../../../../plugins/errors.ts'
import pages from '../../../../plugins/pages.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { completeContext, createGround } from '../../../../src/context.ts'
import { demoResourceUri } from '../../../../src/demo/demo-resource.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { forEachService, spyOn } from '../../../support/matrix.ts'
import { basic, bearer, codeRequest, ISSUER, type Service, startService } from '../../../support/service.ts'

const NEVER_ISSUED = `${'A'.repeat(16)}.${'A'.repeat(43)}`
// RFC 9728 §5.1.
const METADATA = '/.well-known/oauth-protected-resource/api'
const ALGS = 'algs="ES256 RS256 PS256 EdDSA Ed25519"'
const PLACE = `realm="redmint", resource_metadata="${ISSUER}${METADATA}"`
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

async function tokensOf({ code, token }: Service) {
  const { json } = await token(codeRequest(await code()))
  return {
    access_token: String(json.access_token),
    refresh_token: String(json.refresh_token),
    id_token: String(json.id_token),
  }
}

forEachService(t, 'a valid token: 200 with message and subject', async (t, start) => {
  const service = await start()
  const { access_token } = await tokensOf(service)
  const { status, json } = await service.get('/api/resource', bearer(access_token))
  t.equal(status, 200)
  t.same(Object.keys(json).sort(), ['message', 'subject'])
  t.type(json.message, 'string')
  t.not(json.message, '')
  t.equal(json.subject, 'alice')

  const own = await service.token({ grant_type: 'client_credentials' }, basic('service'))
  const answer = await service.get('/api/resource', bearer(String(own.json.access_token)))
  t.equal(answer.status, 200)
  t.equal(answer.json.subject, '', "a client's own token has no subject")
})

t.test('no token: 401 with a challenge without an error', async (t) => {
  const { get } = await startService(t)
  const headers: (string | undefined)[] = [undefined, '', 'Bearer', 'Bearer ', 'Bearer    ', 'bearer\t']
  for (const authorization of [
    ...headers,
    basic('service').authorization,
    'Digest x',
    `Token ${NEVER_ISSUED}`,
  ]) {
    const answer = await get('/api/resource', authorization === undefined ? {} : { authorization })
    t.equal(answer.status, 401, `"${authorization}"`)
    t.equal(answer.headers['www-authenticate'], `Bearer ${PLACE}, DPoP ${PLACE}, ${ALGS}`, 'RFC 6750 §3.1')
    t.same(Object.keys(answer.json).sort(), ['error', 'error_description'])
  }
})

forEachService(t, 'an invalid token: 401 invalid_token', async (t, start) => {
  const service = await start()
  const { access_token, refresh_token, id_token } = await tokensOf(service)
  const code = await service.code()
  const bad: [name: string, token: string][] = [
    ['nonsense', 'nonsense'],
    ['a string that was never issued', NEVER_ISSUED],
    ['a refresh token', refresh_token],
    ['an id_token', id_token],
    ['a code', code],
    ['a token with an additional character', `${access_token}x`],
    ['a token without its last character', access_token.slice(0, -1)],
    ['a token in lower case', access_token.toLowerCase()],
    ['two tokens', `${access_token} ${access_token}`],
    ['a token in quotes', `"${access_token}"`],
    ['a long string', 'x'.repeat(8000)],
    ['two dots', '..'],
    ['a property of Object.prototype', '__proto__'],
  ]
  for (const [name, token] of bad) {
    const { status, json, headers } = await service.get('/api/resource', bearer(token))
    t.equal(status, 401, name)
    t.equal(json.error, 'invalid_token')
    const challenge = String(headers['www-authenticate'])
    t.ok(challenge.startsWith(`Bearer ${PLACE}, error="invalid_token", `), challenge)
    t.match(challenge, /, error_description="[^"]+"$/)
    t.equal(headers['cache-control'], 'no-store')
  }
  t.equal(
    (await service.get('/api/resource', bearer(access_token))).status,
    200,
    'the valid token is still accepted',
  )
})

t.test('a string that cannot be a token is refused without a call to storage', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { get } = await startService(t, { storage: spy.storage })
  spy.calls.length = 0
  for (const token of ['nonsense', `${NEVER_ISSUED}x`, `x${NEVER_ISSUED}`, 'a.b.c', '.', '..', '__proto__']) {
    t.equal((await get('/api/resource', bearer(token))).status, 401, token)
  }
  t.same(spy.calls, [])
  await get('/api/resource', bearer(NEVER_ISSUED))
  t.same(spy.calls, ['findTokenAndFamily'], 'a well-formed token costs one call')
})

t.test('the syntax of the Authorization header', async (t) => {
  const service = await startService(t)
  const { access_token } = await tokensOf(service)
  const status = async (authorization: string) =>
    (await service.get('/api/resource', { authorization })).status
  t.equal(await status(`bearer ${access_token}`), 200, 'the scheme is case-insensitive')
  t.equal(await status(`BEARER ${access_token}`), 200)
  t.equal(await status(`Bearer   ${access_token}  `), 200, 'the token is trimmed')
  t.equal(await status(`Bearer${access_token}`), 401, 'a space is required after the scheme')
  t.equal(await status(access_token), 401)
  t.equal(await status(` Bearer ${access_token}`), 401, 'nothing may come before the scheme')
  t.equal(await status(`Basic x, Bearer ${access_token}`), 401)
})

t.test('a token is accepted in the header only', async (t) => {
  const service = await startService(t)
  const { access_token } = await tokensOf(service)
  t.equal((await service.get(`/api/resource?access_token=${access_token}`)).status, 401, 'not in the query')
  t.equal((await service.get('/api/resource', { cookie: `access_token=${access_token}` })).status, 401)
  t.equal((await service.post('/api/resource', { access_token })).status, 401, 'not in a form')
  const both = await service.get(`/api/resource?access_token=${access_token}`, bearer(access_token))
  t.equal(both.status, 400, 'in header and query (RFC 6750 §2)')
  t.equal(both.json.error, 'invalid_request')
})

t.test('every path below /api/ requires a token', async (t) => {
  const service = await startService(t)
  const { access_token } = await tokensOf(service)
  const paths = [
    '/api',
    '/api/',
    '/api/resource',
    '/api/resource/',
    '/api/unknown',
    '/api/a/b/c',
    '/api//resource',
  ]
  const spelled = ['/%61pi/resource', '/api/%72esource', '/api/../api/resource', '/api/resource?x']
  for (const url of [...paths, ...spelled]) {
    for (const method of METHODS) {
      const { statusCode } = await service.fastify.inject({ method, url })
      t.equal(statusCode, 401, `${method} ${url}`)
    }
    // No page of another origin calls this API, so a preflight request is one like any other (Fetch, CORS-preflight request).
    const preflight = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    const { statusCode } = await service.fastify.inject({ method: 'OPTIONS', url, headers: preflight })
    t.equal(statusCode, 401, `preflight ${url}`)
  }
  t.equal(
    (await service.get('/api%2Fresource')).status,
    404,
    'an encoded slash is not a path separator: not found',
  )
  for (const url of ['/api/unknown', '/api/', '/api/a/b/c']) {
    const { status, json } = await service.get(url, bearer(access_token))
    t.equal(status, 404, `${url} with a token`)
    t.equal(json.error, 'not_found')
  }
  t.match(await service.post('/api/resource', {}, bearer(access_token)), {
    status: 405,
    headers: { allow: 'GET, HEAD' },
    json: { error: 'method_not_allowed' },
  })
})

forEachService(t, 'scopes become authorities, and a route can require a scope', async (t, start) => {
  const service = await start()
  const { access_token } = await tokensOf(service)
  const own = await service.token({ grant_type: 'client_credentials' }, basic('service'))

  // An application with its own routes, on the same storage.
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  const settings = completeSettings({ issuer: ISSUER, demo: 'public' })
  await fastify.register(context, {
    context: completeContext(createGround({ settings, storage: service.storage }, fastify.log)),
    owns_storage: false,
  })
  await fastify.register(pages)
  await fastify.register(errors)
  await fastify.register(bearerTokens)
  const whoami = async ({ subject, authorities }: FastifyRequest) => ({ subject, authorities })
  const demand = (...scopes: string[]) => ({ onRequest: fastify.protect({ scopes }) })
  fastify.get('/whoami', demand(), whoami)
  fastify.get('/open', whoami)
  fastify.get('/write', demand('api.write'), whoami)

  const ask = (url: string, token: unknown) => fastify.inject({ url, headers: bearer(String(token)) })
  t.same((await ask('/whoami', access_token)).json(), {
    subject: 'alice',
    authorities: ['SCOPE_openid', 'SCOPE_api.read'],
  })
  t.same((await ask('/whoami', own.json.access_token)).json(), {
    subject: '',
    authorities: ['SCOPE_api.read', 'SCOPE_api.write'],
  })
  t.same(
    (await ask('/open', access_token)).json(),
    { subject: '', authorities: [] },
    'no other route was called',
  )
  t.equal((await ask('/write', own.json.access_token)).statusCode, 200)
  const lacking = await ask('/write', access_token)
  t.equal(lacking.statusCode, 403)
  t.equal(lacking.json().error, 'insufficient_scope')
  t.match(lacking.headers['www-authenticate'], /^Bearer .*error="insufficient_scope".*scope="api\.write"$/)
  t.equal((await fastify.inject('/write')).statusCode, 401)
})

t.test('the API keeps no session', async (t) => {
  const service = await startService(t)
  const { access_token } = await tokensOf(service)
  const answers = [
    await service.authorize(),
    await service.token({ grant_type: 'client_credentials' }, basic('service')),
    await service.get('/api/resource', bearer(access_token)),
    await service.get('/api/resource'),
  ]
  for (const { headers } of answers) t.equal(headers['set-cookie'], undefined)
  t.equal(answers[3]?.status, 401, 'each request is judged by its own token')
})

t.test(
  'the metadata of the API says who issues its tokens, to pages of any origin (RFC 9728 §3)',
  async (t) => {
    const service = await startService(t)
    const { status, json, headers } = await service.get(METADATA)
    t.equal(status, 200)
    t.strictSame(json, {
      resource: demoResourceUri(ISSUER),
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
    })
    t.equal(headers['access-control-allow-origin'], '*')
    t.equal(headers['cache-control'], 'public, max-age=300')
    const preflight = await service.fastify.inject({ method: 'OPTIONS', url: METADATA })
    t.match([preflight.statusCode, preflight.headers['access-control-allow-headers']], [200, '*'])
  },
)
