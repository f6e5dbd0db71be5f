// The plugin `redmint/resource-server` in Fastify, with tokens that are bound to a key.
import Fastify from 'fastify'
import t from 'tap'
import resourceServer from '../../../plugins/resource-server.ts'
import { createResourceServer } from '../../../src/resource-server/create.ts'
import { makeDpopKey, makeProof, sha256 } from '../../support/dpop.ts'
import { signWith, startAuthorizationServer } from '../../support/resource-server/authorization-server.ts'

const API = 'https://api.example.com'
const START = 1_800_000_000

t.test('a request with a proof, its URL, and the nonce for the next one', async (t) => {
  const { issuer, state } = await startAuthorizationServer(t)
  const clock = { now: START }
  const fastify = Fastify({ rewriteUrl: ({ url = '' }) => url.replace('/v1/', '/') })
  t.teardown(() => fastify.close())
  await fastify.register(resourceServer, {
    issuer,
    resource: API,
    now: () => clock.now * 1000,
    dpop: { nonce_secret: 's'.repeat(32) },
  })
  fastify.get(
    '/reports',
    { onRequest: fastify.protect() },
    async ({ accessToken }) => accessToken?.confirmation,
  )
  const key = makeDpopKey()
  const claims = { iss: issuer, aud: API, sub: 'app', client_id: 'app', jti: 'jti', iat: START }
  const [signing] = state.keys
  const cnf = { jkt: key.jkt }
  const token = signing === undefined ? '' : signWith(signing, { ...claims, exp: START + 600, cnf })
  const ask = async (nonce?: unknown, path = '/v1/reports') => {
    const proof = { htm: 'GET', htu: `${API}${path}`, iat: clock.now, ath: sha256(token), nonce }
    const headers = { authorization: `DPoP ${token}`, dpop: makeProof(key, proof) }
    const answer = await fastify.inject({ url: '/v1/reports', headers })
    return { status: answer.statusCode, json: answer.json(), nonce: answer.headers['dpop-nonce'] }
  }

  const first = await ask()
  t.match(first, { status: 401, json: { error: 'use_dpop_nonce' } })
  t.strictSame(await ask(first.nonce), { status: 200, json: cnf, nonce: undefined })
  t.match(await ask(first.nonce, '/reports'), { status: 401 }, 'the path is that of the client')
  clock.now += 60
  const renewed = await ask(first.nonce)
  t.match(renewed, { status: 200, json: cnf, nonce: /^[\w-]{43}$/ })
  t.match(await ask(renewed.nonce), { status: 200, nonce: undefined })
})

t.test('the metadata of a resource are at its path alone, whatever characters that has', async (t) => {
  const { issuer } = await startAuthorizationServer(t)
  const serve = async (path: string) => {
    const fastify = Fastify()
    t.teardown(() => fastify.close())
    await fastify.register(resourceServer, { issuer, resource: `${API}${path}` })
    return async (path: string) =>
      (await fastify.inject(`/.well-known/oauth-protected-resource${path}`)).statusCode
  }
  for (const path of ['/a:b', '/:id', '/a%20b', '/%C3%A4', '/a+b', '/a%25b', '/a(b)', '/a;b', '/a%253Ab']) {
    const ask = await serve(path)
    t.equal(await ask(path), 200, path)
    t.equal(await ask('/other'), 404, `${path} is not every path`)
    t.equal(await ask(`${path}/more`), 404)
  }
  for (const path of ['/*', '/a*b', '/%2A', '/a%2Fb', '/a%3Ab', '/a%3fb']) {
    await t.rejects(serve(path), { name: 'TypeError', message: /Fastify has no route/ }, path)
  }
})

t.test(
  'what TypeScript would refuse is refused when it is said, because it would let every token pass',
  async (t) => {
    const { issuer } = await startAuthorizationServer(t)
    const given = { issuer, resource: API }
    const fastify = Fastify()
    t.teardown(() => fastify.close())
    await fastify.register(resourceServer, given)
    const unsafe = (value: unknown) => value as never
    const needs: [unknown, RegExp][] = [
      [{ scope: ['reports.read'] }, /^scope is not known in the needs of a route: did you mean scopes\?$/],
      [{ roles: ['admin'] }, /roles is not known in .*: it may have scopes, acr_values, max_age/],
      ['reports.read', /An object is needed for the needs of a route: scopes, acr_values, max_age/],
      [['reports.read'], /An object is needed/],
      [{ scopes: '' }, /must be arrays/],
      [{ acr_values: '' }, /must be arrays/],
    ]
    const api = createResourceServer(given)
    for (const [value, message] of needs) {
      t.throws(() => fastify.protect(unsafe(value)), { name: 'TypeError', message }, JSON.stringify(value))
      await t.rejects(api.verify({ headers: {} }, unsafe(value)), { name: 'TypeError', message })
    }
    const options: [object, RegExp][] = [
      [{ dpop: { require: true } }, /^require is not known in dpop: did you mean required\?$/],
      [{ introspection: { sign: true } }, /^sign is not known in introspection: did you mean signed\?$/],
      [{ refuse: 'no' }, /^refuse must be a function\.$/],
      [{ certificate_of: () => '' }, /did you mean certificateOf\?/],
      [{ prefix: '/v1' }, /prefix is not known in the options of the resource server/],
    ]
    for (const [more, message] of options) {
      const other = Fastify()
      t.teardown(() => other.close())
      const wrong = unsafe({ ...given, ...more })
      const register = async () => void (await other.register(resourceServer, wrong))
      await t.rejects(register, { name: 'TypeError', message })
    }
  },
)

t.test('below a prefix the metadata would be at another address than challenges say', async (t) => {
  const { issuer } = await startAuthorizationServer(t)
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  const options = { issuer, resource: API }
  fastify.register(async (child) => void child.register(resourceServer, options), { prefix: '/v1' })
  const message = /^The instance has the prefix \/v1: /
  await t.rejects(async () => void (await fastify.ready()), { name: 'TypeError', message })
})
