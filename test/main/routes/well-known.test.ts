// The metadata (RFC 8414) lists exactly what is supported; the key set (RFC 7517) contains public keys only.

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../src/clients/record/grant-types.ts'
import { SIGNING_ALGS } from '../../../src/core/algs.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { STANDARD_CLAIMS } from '../../../src/users/standard-claims.ts'
import { WITH_CERTIFICATES } from '../../support/certificates.ts'
import { populate, readTokens, redeem, tokensOf, userInfo } from '../../support/claims/sign-ins.ts'
import { allowDevice, DEVICE_GRANT, deviceOf, storeDevices } from '../../support/device.ts'
import { exchangeAs, ORDERS, signInFor } from '../../support/exchange.ts'
import { changeClient, createClient, createUser } from '../../support/records.ts'
import {
  type Answer,
  authorizationRequest,
  basic,
  CLIENTS,
  codeRequest,
  ISSUER,
  startService,
} from '../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  keySetOf,
} from '../../support/trusted-issuer.ts'
import { until } from '../../support/until.ts'

const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'
const JWKS = '/.well-known/jwks.json'

t.test('the metadata of RFC 8414 and of OpenID Connect Discovery', async (t) => {
  const { get } = await startService(t)
  const { status, json, headers } = await get(OPENID)
  t.equal(status, 200)
  t.match(headers['content-type'], /^application\/json/)
  t.same((await get(OAUTH)).json, json, 'both documents are the same')
  t.equal(json.issuer, ISSUER, 'exactly as configured')
  const required = [
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
  ]
  for (const name of required) t.ok(json[name], `${name} is required (OpenID Connect Discovery §3)`)
  t.equal((await get(`${OPENID}/`)).status, 404)
})

t.test('every URL is based on the issuer, whatever the Host header says', async (t) => {
  const { get } = await startService(t)
  const expected = (await get(OPENID)).json
  const forged = {
    host: 'evil.example.net',
    'x-forwarded-host': 'evil.example.net',
    'x-forwarded-proto': 'http',
  }
  const { json } = await get(OPENID, { ...forged, forwarded: 'host=evil.example.net' })
  t.same(json, expected)
  for (const value of Object.values(json)) {
    if (/^https?:/.test(String(value))) t.ok(String(value).startsWith(ISSUER), String(value))
  }
})

t.test('every URL in the metadata responds', async (t) => {
  const { get, post, fastify } = await startService(t)
  const { json } = await get(OPENID)
  const addresses = Object.entries(json).filter(([, value]) => String(value).startsWith(`${ISSUER}/`))
  t.same(addresses.map(([name]) => name).sort(), [
    'authorization_endpoint',
    'device_authorization_endpoint',
    'end_session_endpoint',
    'introspection_endpoint',
    'jwks_uri',
    'pushed_authorization_request_endpoint',
    'revocation_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
  ])
  for (const [name, address] of addresses) {
    const path = new URL(String(address)).pathname
    const answers = [await get(path), await post(path, {})]
    t.ok(
      answers.some(({ status }) => status !== 404 && status !== 405),
      `${name}: ${answers.map((a) => a.status)}`,
    )
  }
  t.ok(fastify.hasRoute({ method: 'POST', url: new URL(String(json.token_endpoint)).pathname }))
})

t.test('every listed OAuth feature works', async (t) => {
  const { get, post, token, authorize, code, storage } = await startService(t)
  const { json } = await get(OPENID)
  const list = (name: string) => json[name] as string[]

  for (const response_type of list('response_types_supported'))
    t.ok((await authorize({ response_type })).redirect.get('code'), response_type)
  t.same(list('response_modes_supported'), ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'])
  for (const response_mode of ['jwt', 'query.jwt'])
    t.ok((await authorize({ response_mode })).redirect.get('response'), response_mode)
  t.match((await authorize({ response_mode: 'form_post.jwt' })).text, /<input[^>]* name="response"/)
  t.ok((await authorize({ response_mode: 'query' })).redirect.get('code'))
  t.match((await authorize({ response_mode: 'form_post' })).text, /<input[^>]* name="code"/)
  for (const code_challenge_method of list('code_challenge_methods_supported'))
    t.ok((await authorize({ code_challenge_method })).redirect.get('code'), code_challenge_method)
  t.ok(json.authorization_response_iss_parameter_supported === (await authorize()).redirect.has('iss'))
  t.equal(json.request_uri_parameter_supported, false)
  t.equal((await authorize({ request_uri: 'x' })).redirect.get('error'), 'request_uri_not_supported')
  t.equal(json.request_parameter_supported, true)
  t.match((await authorize({ request: 'x' })).text, 'invalid_request_object')

  const ways: Record<string, () => Promise<Answer>> = {
    client_secret_basic: () => token({ grant_type: 'client_credentials' }, basic('service')),
    client_secret_post: async () =>
      token({
        grant_type: 'client_credentials',
        client_id: 'service',
        client_secret: 'a-secret-that-only-tests-know',
      }),
    private_key_jwt: async () => {
      const key = issuerKey()
      const { client_secret_hash: _, ...bare } = CLIENTS.service
      const client = { ...bare, client_id: 'signer', jwks: keySetOf(key) }
      const token_endpoint_auth_method = 'private_key_jwt' as const
      await createClient(storage, 'signer', formatClient({ ...client, token_endpoint_auth_method }))
      const client_assertion = assertionOf(key, claimsOf('signer', 'signer'))
      const proof = { client_assertion, client_assertion_type: CLIENT_ASSERTION_TYPE }
      return token({ grant_type: 'client_credentials', ...proof })
    },
    none: async () => token(codeRequest(await code())),
  }
  t.same(list('token_endpoint_auth_methods_supported'), Object.keys(ways))
  for (const [name, way] of Object.entries(ways)) t.equal((await way()).status, 200, name)

  const grants: Record<string, () => Promise<Answer>> = {
    authorization_code: async () => token(codeRequest(await code())),
    client_credentials: () => token({ grant_type: 'client_credentials' }, basic('service')),
    refresh_token: async () => {
      const { refresh_token } = (await token(codeRequest(await code()))).json
      return token({
        grant_type: 'refresh_token',
        refresh_token: String(refresh_token),
        client_id: 'app',
      })
    },
  }
  const exchange = async () => {
    await storage.records.put({ kind: RESOURCE, id: ORDERS, hash: { scopes: 'api.read' } })
    const set = { grant_types: `authorization_code ${TOKEN_EXCHANGE}`, exchange_mode: 'narrow' }
    await changeClient(storage, 'web', { set })
    const { access_token } = await signInFor({ get, token }, ORDERS, 'api.read')
    return exchangeAs({ token }, 'web', access_token, { resource: ORDERS })
  }
  t.same(list('grant_types_supported'), [...Object.keys(grants), DEVICE_GRANT, TOKEN_EXCHANGE])
  await storeDevices(storage)
  const { printer } = deviceOf({ post, token })
  const { device_code } = (await printer.ask()).json
  await allowDevice(storage, String(device_code))
  t.equal((await printer.poll(String(device_code))).status, 200, DEVICE_GRANT)
  for (const [name, way] of Object.entries(grants)) t.equal((await way()).status, 200, name)
  t.equal((await exchange()).status, 200, TOKEN_EXCHANGE)
  for (const grant_type of ['password', 'implicit']) {
    t.equal((await token({ grant_type }, basic('service'))).json.error, 'unsupported_grant_type')
  }

  t.equal((await post('/oauth2/authorize', authorizationRequest())).status, 303)
})

t.test('every listed OpenID Connect feature works', async (t) => {
  const service = await startService(t)
  const { get, authorize, storage } = service
  const { json } = await get(OPENID)
  const list = (name: string) => json[name] as string[]
  await populate(storage)
  const everything = Object.keys(STANDARD_CLAIMS).map((name) => [name, SAMPLES[name] ?? 'x'])
  await createUser(storage, 'full', { sub: 'full', ...Object.fromEntries(everything) })

  const scope = list('scopes_supported').join(' ')
  const asked = await authorize({ client_id: 'shop', subject: 'full', scope })
  t.ok(asked.redirect.get('code'), 'every scope')
  const user = { username: 'full', subject: 'full' }
  const full = await tokensOf(service, 'shop', { ...user, scope })
  const known = { ...full.claims, ...(await userInfo(service, full)).json }
  t.same(Object.keys(known).sort(), [...list('claims_supported')].sort(), 'exactly the listed claims')

  const keys = createLocalJWKSet((await get(JWKS)).json as unknown as JSONWebKeySet)
  for (const alg of list('id_token_signing_alg_values_supported')) {
    const set = { id_token_signed_response_alg: alg }
    await changeClient(storage, 'shop', { set, unset: [] })
    await until(`it is signed by ${alg}`, async () => {
      const { id_token } = await tokensOf(service, 'shop', user)
      return (await jwtVerify(id_token, keys)).protectedHeader.alg === alg
    })
  }
  t.same(list('subject_types_supported'), ['public'], 'pairwise needs a salt')

  t.equal(json.claims_parameter_supported, true)
  const claims = JSON.stringify({ userinfo: { email: { essential: true } } })
  const code = String(
    (await authorize({ client_id: 'shop', subject: 'full', scope: 'openid', claims })).redirect.get('code'),
  )
  const named = readTokens(await redeem(service, 'shop', code))
  t.same((await userInfo(service, named)).json, { sub: 'full', email: 'x' })
  t.same(list('claim_types_supported'), ['normal'])

  t.same(list('prompt_values_supported'), ['none', 'login', 'consent', 'select_account'])
  t.same(list('display_values_supported'), ['page'])
  t.same(list('acr_values_supported'), ['1', '2', 'phr'])
  for (const tag of list('ui_locales_supported')) {
    t.match((await authorize({ client_id: 'nobody', ui_locales: tag })).text, `<html lang="${tag}"`)
  }
  t.equal(json.backchannel_logout_supported, true)
  t.equal(json.backchannel_logout_session_supported, full.claims.sid !== undefined)
})

/** Claims that are not plain text, as records contain them. */
const SAMPLES: Readonly<Record<string, string>> = {
  email_verified: 'true',
  phone_number_verified: 'true',
  updated_at: '1',
  address: '{"locality":"x"}',
}

const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']

t.test('SIGNING_ALGS limits the key set and discovery', async (t) => {
  const algs = { signing_algs: ['RS256'], access_token_alg: 'RS256', id_token_alg: 'RS256' } as const
  const { get } = await startService(t, algs)
  const keys = (await get(JWKS)).json.keys as { alg: string; kty: string }[]
  t.strictSame([...new Set(keys.map(({ alg, kty }) => `${alg} ${kty}`))], ['RS256 RSA'])
  t.strictSame((await get(OPENID)).json.id_token_signing_alg_values_supported, ['RS256'])
})

t.test('the key set contains public keys, each with its own kid', async (t) => {
  const { get } = await startService(t)
  const { status, json, text } = await get(JWKS)
  const keys = json.keys as Record<string, unknown>[]
  t.equal(status, 200)
  t.ok(keys.length >= 2)
  for (const key of keys) {
    for (const member of PRIVATE) t.notOk(Object.hasOwn(key, member), `${key.kid} has no ${member}`)
    t.match(key.kid, /^[\w-]{43}$/)
    t.equal(key.use, 'sig')
    t.match(key.alg, /^(ES256|RS256|PS256|EdDSA)$/)
  }
  t.notMatch(text, /"private/)
  t.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length, 'unique kids')
  for (const alg of ['RS256', 'ES256'])
    t.ok(
      keys.some((key) => key.alg === alg),
      alg,
    )
})

t.test('the documents can be cached and revalidated', async (t) => {
  const { fastify, get } = await startService(t)
  for (const path of [OPENID, OAUTH, JWKS, '/openapi.json']) {
    const { headers } = await get(path)
    if (path !== '/openapi.json') t.equal(headers['cache-control'], 'public, max-age=300', path)
    t.match(headers.etag, /^(W\/)?"[^"]+"$/)
    const again = await fastify.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
    t.equal((await get(path, { 'if-none-match': '"another"' })).status, 200)
  }
})

t.test('CORS allows any origin at endpoints that need no cookie', async (t) => {
  const { get, token, fastify, authorize } = await startService(t)
  const origin = 'https://spa.example.com'
  for (const path of [OPENID, OAUTH, JWKS, '/userinfo']) {
    t.equal((await get(path, { origin })).headers['access-control-allow-origin'], '*', path)
  }
  const answer = await token({ grant_type: 'client_credentials' }, { ...basic('service'), origin })
  t.equal(answer.headers['access-control-allow-origin'], '*')
  const preflight = await fastify.inject({
    method: 'OPTIONS',
    url: '/userinfo',
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  })
  t.equal(preflight.statusCode, 204)
  t.equal(preflight.headers['access-control-allow-origin'], '*')
  t.equal(preflight.headers['access-control-allow-headers'], 'authorization')
  t.equal(
    (await get('/userinfo', { origin })).headers['access-control-expose-headers'],
    'DPoP-Nonce, WWW-Authenticate, Retry-After, X-Request-Id',
  )

  t.equal(
    (await authorize()).headers['access-control-allow-origin'],
    undefined,
    'not at the pages for signing in',
  )
  const forms = await get(`/oauth2/authorize?${new URLSearchParams(authorizationRequest())}`, { origin })
  t.equal(forms.headers['access-control-allow-origin'], undefined)
  t.equal((await get('/api/resource', { origin })).headers['access-control-allow-origin'], undefined)
})

t.test('issuer and algorithms come from the configuration', async (t) => {
  const issuer = 'http://localhost:3000'
  const { get, code, token } = await startService(t, { issuer, id_token_alg: 'EdDSA' })
  const { json } = await get(OPENID)
  t.equal(json.issuer, issuer)
  t.equal(json.token_endpoint, `${issuer}/oauth2/token`)
  t.same([...(json.id_token_signing_alg_values_supported as string[])].sort(), [...SIGNING_ALGS].sort())
  const keys = createLocalJWKSet((await get(JWKS)).json as unknown as JSONWebKeySet)
  const { id_token } = (await token(codeRequest(await code()))).json
  const { protectedHeader } = await jwtVerify(String(id_token), keys, { issuer, audience: 'app' })
  t.equal(protectedHeader.alg, 'EdDSA')
})

t.test('mutual TLS is listed where client certificates are on (RFC 8705 §3.3 and §5)', async (t) => {
  const methods = ['token', 'revocation', 'introspection'].map(
    (endpoint) => `${endpoint}_endpoint_auth_methods_supported`,
  )
  const off = (await (await startService(t)).get(OPENID)).json
  for (const name of ['tls_client_certificate_bound_access_tokens', 'mtls_endpoint_aliases']) {
    t.notOk(Object.hasOwn(off, name), name)
  }
  for (const name of methods) t.notMatch(JSON.stringify(off[name]), /tls_client_auth/)

  const on = (await (await startService(t, WITH_CERTIFICATES)).get(OPENID)).json
  t.equal(on.tls_client_certificate_bound_access_tokens, true)
  t.notOk(Object.hasOwn(on, 'mtls_endpoint_aliases'), 'the issuer asks for certificates')
  for (const name of methods) {
    const listed = on[name] as string[]
    t.ok(listed.includes('tls_client_auth') && listed.includes('self_signed_tls_client_auth'), name)
  }

  const mtls_origin = 'https://mtls.auth.example.com'
  const service = await startService(t, { ...WITH_CERTIFICATES, mtls_origin })
  const { json } = await service.get(OPENID)
  const aliases = json.mtls_endpoint_aliases as Record<string, string>
  t.same(Object.keys(aliases).toSorted(), [
    'device_authorization_endpoint',
    'introspection_endpoint',
    'pushed_authorization_request_endpoint',
    'revocation_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
  ])
  for (const [name, alias] of Object.entries(aliases)) {
    t.equal(alias.replace(mtls_origin, ISSUER), json[name], name)
  }
  t.equal(json.issuer, ISSUER)
})
