// A client with a profile gets tokens in the way that FAPI 2.0 demands, and in no other.

import { hash } from 'node:crypto'
import t, { type Test } from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { ASKS } from '../../../support/accounts.ts'
import { makeDpopKey, makeProof } from '../../../support/dpop.ts'
import { PAR } from '../../../support/pushing.ts'
import { createClient } from '../../../support/records.ts'
import { objectClaims } from '../../../support/request-objects.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest, codeRequest, ISSUER, REDIRECT_URI } from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
  keySetOf,
} from '../../../support/trusted-issuer.ts'
import { asDeparture } from '../../../support/visitor.ts'

const [EC, RSA] = [issuerKey(), issuerKey('rsa', 'RS256')]
const DPOP = makeDpopKey()
const CLIENT = 'bank'
type Form = Record<string, string>

/** A form with an assertion of the client. */
const proven = (form: Form, key = EC, claims: Claims = {}): Form => ({
  ...form,
  client_assertion_type: CLIENT_ASSERTION_TYPE,
  client_assertion: assertionOf(key, claimsOf(CLIENT, CLIENT, claims)),
})

function dpop(path: string, { key = DPOP, method = 'POST', token = '' } = {}) {
  const claims = { htm: method, htu: ISSUER + path, iat: Math.floor(Date.now() / 1000) }
  const ath = token === '' ? {} : { ath: hash('sha256', token, 'base64url') }
  return { dpop: makeProof(key, { ...claims, ...ath }) }
}

async function start(t: Test, options: Parameters<typeof scene>[1], profile: string) {
  const service = await scene(t, { ...options, code_ttl: 300 })
  await createClient(service.storage, CLIENT, {
    profile,
    grant_types: 'authorization_code refresh_token client_credentials',
    redirect_uris: REDIRECT_URI,
    allowed_scopes: 'openid profile api.read',
    jwks: keySetOf(EC, RSA),
  })
  const asked = { ...ASKS, client_id: CLIENT, scope: 'openid profile' }
  const push = (more: Record<string, string | undefined> = {}) =>
    service.post(PAR, proven(authorizationRequest({ ...asked, ...more })))
  const visit = async (request_uri: unknown) => {
    const alice = service.visitor()
    const query = new URLSearchParams({ client_id: CLIENT, request_uri: String(request_uri) })
    const next = await signInOn(alice, await alice.page(`/oauth2/authorize?${query}`))
    return 'location' in next ? next : asDeparture(await alice.submit(next, { decision: 'allow' }))
  }
  return { service, push, visit, asked }
}

t.test('the profile fapi2, from the request to the refreshed token', async (t) => {
  const { service, push, visit, asked } = await start(t, { storage: new MemoryStorage() }, 'fapi2')
  const unpushed = asDeparture(await service.visitor().open(requestUrl({ client_id: CLIENT })))
  t.match(unpushed.told.get('error_description'), /push/, 'a request that is not pushed is refused')
  t.match((await push({ code_challenge: undefined })).json, { error: 'invalid_request' }, 'without PKCE')
  const rs256 = makeDpopKey('RS256')
  const pushed_by_rsa = await service.post(
    PAR,
    proven(authorizationRequest(asked)),
    dpop(PAR, { key: rs256 }),
  )
  t.match(pushed_by_rsa.json, { error: 'invalid_dpop_proof' }, 'pushed with a proof by RS256')
  const { told } = await visit((await push()).json.request_uri)
  const code = codeRequest(String(told.get('code')), { client_id: CLIENT })
  const ask = (form: Form, headers: Form = dpop('/oauth2/token')) =>
    service.post('/oauth2/token', form, headers)
  t.match((await ask(proven(code), {})).json, { error: 'invalid_dpop_proof' }, 'without a proof')
  t.match((await ask(proven(code, RSA))).json, { error: 'invalid_client' }, 'an assertion by RS256')
  const by_rsa = dpop('/oauth2/token', { key: rs256 })
  t.match((await ask(proven(code), by_rsa)).json, { error: 'invalid_dpop_proof' }, 'a proof by RS256')
  t.match((await ask(proven(code, EC, { aud: `${ISSUER}/oauth2/token` }))).json, { error: 'invalid_client' })

  const tokens = await ask(proven(code))
  t.match(tokens, { status: 200, json: { token_type: 'DPoP' } })
  const { refresh_token, id_token, access_token } = tokens.json as Form
  const [header = ''] = String(id_token).split('.')
  t.match(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'ES256' })
  const refresh = { grant_type: 'refresh_token', refresh_token: String(refresh_token) }
  const again = await ask(proven(refresh))
  t.match(again, { status: 200, json: { token_type: 'DPoP', refresh_token } }, 'no rotation')
  const authorization = `DPoP ${access_token}`
  const own = dpop('/userinfo', { method: 'GET', token: String(access_token) })
  const about = await service.fastify.inject({ url: '/userinfo', headers: { authorization, ...own } })
  t.equal(about.statusCode, 200)
})

t.test('the profile fapi2-message-signing signs requests and answers', async (t) => {
  const { service, push, visit, asked } = await start(
    t,
    { storage: new MemoryStorage() },
    'fapi2-message-signing',
  )
  t.match((await push()).json, { error: 'invalid_request' }, 'a request without a signature')
  const pushSigned = (response_mode: string | undefined, key = EC) => {
    const claims = objectClaims(authorizationRequest({ ...asked, response_mode }))
    const request = assertionOf(key, claims, { typ: 'oauth-authz-req+jwt' })
    return service.post(PAR, proven({ client_id: CLIENT, request }))
  }
  for (const mode of [undefined, 'query', 'form_post']) {
    t.match((await pushSigned(mode)).json, { error: 'invalid_request' }, `response_mode ${mode}`)
  }
  t.match((await pushSigned('jwt', RSA)).json, { error: 'invalid_request_object' }, 'a request by RS256')
  const { told } = await visit((await pushSigned('jwt')).json.request_uri)
  t.strictSame([...told.keys()], ['response'])
  const [, payload = ''] = String(told.get('response')).split('.')
  const { code, iss, aud } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  t.strictSame({ iss, aud }, { iss: ISSUER, aud: CLIENT })
  const form = proven(codeRequest(code, { client_id: CLIENT }))
  const { json } = await service.post('/oauth2/token', form, dpop('/oauth2/token'))
  const found = await service.post('/oauth2/introspect', proven({ token: String(json.access_token) }))
  t.match(found.headers, { 'content-type': /^application\/token-introspection\+jwt/ })
})

t.test('codes of a client with a profile live for 60 seconds at most', async (t) => {
  const { push, visit, service } = await start(t, {}, 'fapi2')
  const { told } = await visit((await push()).json.request_uri)
  service.pass(61)
  const code = codeRequest(String(told.get('code')), { client_id: CLIENT })
  const iat = Math.floor(Date.now() / 1000) + 61
  const claims = { iat, exp: iat + 60 }
  const proof = { htm: 'POST', htu: `${ISSUER}/oauth2/token`, iat }
  const headers = { dpop: makeProof(DPOP, proof) }
  const { json } = await service.post('/oauth2/token', proven(code, EC, claims), headers)
  t.match(json, { error: 'invalid_grant' })
})
