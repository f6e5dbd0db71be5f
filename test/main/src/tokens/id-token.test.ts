// The id_token of OpenID Connect Core §2, verified with the published keys as a client does.
import { createHash } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import t from 'tap'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { basic, codeRequest, ISSUER, type Service, startService } from '../../../support/service.ts'

type Overrides = Record<string, string | undefined>

/** The token response for a new code, its id_token verified with the published keys. */
async function issue({ code, token, get }: Service, overrides: Overrides = {}) {
  const { json } = await token(codeRequest(await code(overrides)))
  const keys = createLocalJWKSet((await get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet)
  const verified = await jwtVerify(String(json.id_token), keys, { issuer: ISSUER, audience: 'app' })
  return { access_token: String(json.access_token), ...verified }
}

t.test('the claims of an id_token', async (t) => {
  const before = Math.floor(Date.now() / 1000)
  const { payload, protectedHeader, access_token } = await issue(await startService(t))
  const after = Math.floor(Date.now() / 1000)

  t.same(Object.keys(payload).sort(), ['at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sub'])
  t.equal(payload.iss, ISSUER)
  t.equal(payload.sub, 'alice')
  t.equal(payload.aud, 'app')
  t.equal(payload.nonce, 'a nonce')
  const { iat = 0, exp = 0, auth_time = 0 } = payload as JWTPayload & { auth_time: number }
  t.ok(before <= iat && iat <= after, 'iat is the present')
  t.equal(exp - iat, 900)
  t.ok(before <= auth_time && auth_time <= iat, 'auth_time is the time of the sign-in')
  const half = createHash('sha256').update(access_token).digest().subarray(0, 16)
  t.equal(payload.at_hash, half.toString('base64url'), 'OpenID Connect Core §3.1.3.6')
  t.same(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ'])
  t.equal(protectedHeader.alg, 'RS256')
  t.equal(protectedHeader.typ, 'JWT')
})

t.test('the nonce is returned unchanged', async (t) => {
  const service = await startService(t)
  const nonces = [
    '0',
    ' ',
    ' leading and trailing ',
    '+%2B&=#?/\\"\'<>',
    '{"json":true}',
    'ünï ço∂é',
    '漢字',
    '😀👩‍👩‍👧',
    'e\u0301',
    '\u00a0\u2028\ufeff',
    '__proto__',
    'null',
    'x'.repeat(2000),
    'é'.repeat(1500),
  ]
  for (const nonce of nonces) t.equal((await issue(service, { nonce })).payload.nonce, nonce)
  for (const nonce of [undefined, '']) {
    t.notOk(
      Object.hasOwn((await issue(service, { nonce })).payload, 'nonce'),
      'no nonce claim without a nonce in the request',
    )
  }
})

t.test('no id_token without the scope openid or without a user', async (t) => {
  const { code, token } = await startService(t)
  for (const scope of ['api.read', 'api.read api.write']) {
    const { status, json } = await token(codeRequest(await code({ scope })))
    t.equal(status, 200)
    t.notOk(Object.hasOwn(json, 'id_token'))
  }
  const { json } = await token(codeRequest(await code({ scope: 'api.read openid' })))
  t.type(json.id_token, 'string', 'the position of openid does not matter')
  const own = await token({ grant_type: 'client_credentials' }, basic('web'))
  t.notOk(Object.hasOwn(own.json, 'id_token'), 'not for client_credentials')
})

t.test('each algorithm signs, and at_hash uses its hash function', async (t) => {
  for (const id_token_alg of SIGNING_ALGS) {
    const service = await startService(t, { id_token_alg })
    const { payload, protectedHeader, access_token } = await issue(service)
    t.equal(protectedHeader.alg, id_token_alg)
    const [hash, length] = id_token_alg === 'EdDSA' ? ['sha512', 32] : ['sha256', 16]
    const half = createHash(String(hash)).update(access_token).digest().subarray(0, Number(length))
    t.equal(payload.at_hash, half.toString('base64url'), id_token_alg)
  }
})

t.test('the lifetime comes from the configuration; auth_time is before iat', async (t) => {
  let now = Date.now()
  const service = await startService(t, { id_token_ttl: 60, now: () => now })
  const signedIn = Math.floor(now / 1000)
  const code = await service.code()
  now += 30_000
  const { json } = await service.token(codeRequest(code))
  const { payload } = await jwtVerify(
    String(json.id_token),
    createLocalJWKSet((await service.get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet),
    { currentDate: new Date(now) },
  )
  t.equal(payload.auth_time, signedIn)
  t.equal(payload.iat, signedIn + 30)
  t.equal(payload.exp, signedIn + 90)
})

t.test('an id_token is signed with a current key', async (t) => {
  const service = await startService(t)
  const { protectedHeader } = await issue(service)
  const stored = await service.storage.signing_keys.read()
  t.has(JSON.parse(String(stored[String(protectedHeader.kid)])), { status: 'current', alg: 'RS256' })
})
