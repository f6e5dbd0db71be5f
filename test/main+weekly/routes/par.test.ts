// The pushed authorization request endpoint: who may push, what is judged there, and what is kept (RFC 9126 §2).

import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { dpopClient } from '../../support/dpop-client.ts'
import { forEachService, onRedis } from '../../support/matrix.ts'
import { withOtherCharacter } from '../../support/other-character.ts'
import { PAR, REQUEST_URI } from '../../support/pushing.ts'
import { createClient } from '../../support/records.ts'
import {
  authorizationRequest,
  basic,
  CLIENTS,
  codeRequest,
  SECRET,
  startService,
} from '../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  trust,
} from '../../support/trusted-issuer.ts'

const JKT = s256Challenge('a key')

forEachService(t, 'a client pushes a request, and gets a code by it', async (t, start) => {
  const { post, get, token } = await start()
  const senders = {
    app: [authorizationRequest(), {}],
    'web by Basic': [authorizationRequest({ client_id: undefined }), basic('web')],
    'web by client_secret': [authorizationRequest({ client_id: 'web', client_secret: SECRET }), {}],
  } as const
  for (const [name, [form, headers]] of Object.entries(senders)) {
    const client_id = name.slice(0, 3)
    const { status, headers: sent, json } = await post(PAR, form, headers)
    t.equal(status, 201, name)
    t.match(sent, { 'cache-control': 'no-store', 'content-type': /json/ })
    t.match(json, { request_uri: /^urn:ietf:params:oauth:request_uri:[\w-]{16}\.[\w-]{43}$/, expires_in: 60 })
    const query = new URLSearchParams({ client_id, request_uri: String(json.request_uri) })
    const { redirect } = await get(`/oauth2/authorize?${query}`)
    t.equal(redirect.get('state'), 'a state')
    const own = client_id === 'web' ? { client_secret: SECRET } : {}
    const redeemed = await token(codeRequest(String(redirect.get('code')), { client_id, ...own }))
    t.equal(redeemed.status, 200, name)
  }
})

t.test('a client that does not authenticate or lacks authorization_code may not push', async (t) => {
  const { post, storage } = await startService(t)
  const push = (overrides: Record<string, string | undefined>, headers = {}) =>
    post(PAR, authorizationRequest(overrides), headers)
  const refusals: [Record<string, string | undefined>, Record<string, string>, number, string][] = [
    [{ client_id: 'nobody' }, {}, 401, 'invalid_client'],
    [{ client_id: undefined }, {}, 401, 'invalid_client'],
    [{ client_id: 'web' }, {}, 401, 'invalid_client'],
    [{ client_id: 'web', client_secret: 'another-secret-of-some-length' }, {}, 401, 'invalid_client'],
    [{ client_id: 'app', client_secret: SECRET }, {}, 401, 'invalid_client'],
    [{ client_id: 'app' }, basic('web'), 400, 'invalid_request'],
    [{ client_id: 'service', client_secret: SECRET }, {}, 400, 'invalid_request'],
  ]
  for (const [overrides, headers, status, error] of refusals) {
    const answer = await push(overrides, headers)
    t.match({ status: answer.status, error: answer.json.error }, { status, error }, JSON.stringify(overrides))
    t.equal(answer.headers.location, undefined)
    t.equal(answer.headers['cache-control'], 'no-store')
  }
  await createClient(
    storage,
    'machine',
    formatClient({ ...CLIENTS.web, client_id: 'machine', grant_types: ['client_credentials'] }),
  )
  t.equal((await push({ client_id: 'machine' }, basic('machine'))).json.error, 'unauthorized_client')
})

t.test('a request is judged as at the authorization endpoint, and no error is redirected', async (t) => {
  const { post } = await startService(t)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = `${part({ alg: 'none' })}.${part(authorizationRequest())}.`
  const wrong: [Record<string, string | undefined>, string, RegExp][] = [
    [{ redirect_uri: undefined }, 'invalid_request', /redirect_uri is missing/],
    [{ redirect_uri: 'https://evil.example/' }, 'invalid_request', /not one of those/],
    [{ request_uri: `${REQUEST_URI}x` }, 'invalid_request', /request_uri must not be pushed/],
    [{ request_uri: 'https://app.example.com/r' }, 'invalid_request', /request_uri must not be pushed/],
    [{ request: unsigned }, 'invalid_request_object', /its alg is none of/],
    [{ registration: '{}' }, 'registration_not_supported', /registration/],
    [{ response_type: 'token' }, 'unsupported_response_type', /code/],
    [{ response_mode: 'fragment' }, 'invalid_request', /response_mode/],
    [{ resource: 'https://other.example' }, 'invalid_target', /unknown/],
    [{ scope: 'admin' }, 'invalid_scope', /scope/],
    [{ state: 's'.repeat(5000) }, 'invalid_request', /too long/],
    [{ code_challenge: undefined }, 'invalid_request', /code_challenge/],
    [{ max_age: 'x' }, 'invalid_request', /max_age/],
    [{ prompt: 'none login' }, 'invalid_request', /prompt/],
    [{ claims: '[]' }, 'invalid_request', /claims/],
    [{ dpop_jkt: 'short' }, 'invalid_request', /dpop_jkt must be/],
  ]
  for (const [overrides, error, description] of wrong) {
    const { status, headers, json } = await post(PAR, authorizationRequest(overrides))
    t.match({ status, json }, { status: 400, json: { error, error_description: description } })
    t.equal(headers.location, undefined)
  }
  const twice = await post(`${PAR}?state=x`, authorizationRequest({ state: undefined }))
  t.equal(twice.status, 201, 'a query is not read')
})

t.test('a user who cannot be meant, and an acr that nobody can have, are refused', async (t) => {
  const { post, code, token } = await startService(t)
  const push = async (overrides: Record<string, string>) =>
    (await post(PAR, authorizationRequest(overrides))).json
  const own = String((await token(codeRequest(await code()))).json.id_token)
  const redeemed = await code({ client_id: 'web' })
  const foreign = (await token(codeRequest(redeemed, { client_id: 'web', client_secret: SECRET }))).json
    .id_token
  for (const id_token_hint of ['x', withOtherCharacter(own, -5), String(foreign)]) {
    const { error, error_description } = await push({ id_token_hint })
    t.equal(error, 'invalid_request')
    t.match(error_description, /id_token_hint is not an id_token that this server issued to this client/)
  }
  t.ok((await push({ id_token_hint: own })).request_uri, 'the session of the user is looked at afterwards')
  const acr = (...values: string[]) => ({
    claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
  })
  t.equal((await push(acr('3', '4'))).error, 'unmet_authentication_requirements')
  t.ok((await push(acr('2', '1'))).request_uri)
})

t.test('an assertion is used up by the request that is pushed, and by no other one', async (t) => {
  const issuer = 'https://cluster.example.com'
  const { post, storage } = await startService(t, { trusted_issuers: true })
  const key = issuerKey()
  await trust(storage, key, { issuer })
  const { client_secret_hash: _, ...client } = CLIENTS.web
  await createClient(storage, 'pod', formatClient({ ...client, client_id: 'pod', assertion_issuer: issuer }))
  const client_assertion = assertionOf(key, claimsOf(issuer, 'pod'))
  const proof = { client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion }
  const push = (more: Record<string, string> = {}) =>
    post(PAR, authorizationRequest({ client_id: 'pod', ...proof, ...more }))
  t.equal((await push({ scope: 'admin' })).json.error, 'invalid_scope')
  const answers = await Promise.all([1, 2, 3].map(() => push()))
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 401, 401])
})

onRedis(t, 'what is kept of a pushed request', async (t, { storage, server, keys }) => {
  const { post, get } = await startService(t, { storage, par_ttl: 30, sign_in_ttl: 100 })
  const form = authorizationRequest({ client_id: 'web', client_secret: SECRET, dpop_jkt: JKT, unknown: 'x' })
  const { json } = await post(PAR, form)
  t.equal(json.expires_in, 30)
  const id = String(json.request_uri).slice(REQUEST_URI.length)
  const key = `${keys.prefix}pushed:{${id.slice(0, 16)}}${id.slice(16)}`
  const [client_id, parameters, expires_at] = (
    await server.cli('HMGET', key, 'client_id', 'parameters', 'expires_at')
  ).split('\n')
  t.equal(client_id, 'web')
  const { client_secret: _, unknown: __, ...kept } = form
  t.strictSame(JSON.parse(parameters ?? ''), kept, 'no secret and nothing that is not read')
  t.ok(Math.abs(Date.parse(expires_at ?? '') - Date.now() - 30_000) < 25_000)
  const left = Number(await server.cli('TTL', key))
  t.ok(left > 100 + 60 && left <= 30 + 100 + 60, `${left} seconds: with the sign-in and a margin for clocks`)
  const query = new URLSearchParams({ client_id: 'web', request_uri: String(json.request_uri) })
  const code = String((await get(`/oauth2/authorize?${query}`)).redirect.get('code'))
  t.equal(await server.cli('EXISTS', key), '0', 'it is removed when it is spent')
  const written = `${keys.prefix}code:{${code.slice(0, 16)}}${code.slice(16)}`
  t.equal(await server.cli('HGET', written, 'dpop_jkt'), JKT, 'the code is bound to the key')
})

t.test('public clients at one address push so many requests', async (t) => {
  let ahead = 0
  const now = () => Date.now() + ahead
  const storage = new MemoryStorage({ now })
  const limits = { par_requests: 2, par_ttl: 30, sign_in_ttl: 100 }
  const service = await startService(t, { ...limits, storage, now })
  const push = (client_id: string, headers = {}) =>
    service.post(PAR, authorizationRequest({ client_id }), headers)
  for (let i = 0; i < 2; i += 1) t.equal((await push('app')).status, 201)
  for (let i = 0; i < 2; i += 1) {
    const { status, headers, json } = await push('app')
    t.equal(status, 429)
    t.match(json, { error: 'temporarily_unavailable', error_description: /pushed from this address/ })
    t.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 190)
  }
  const events = service.log.join('').match(/"event":"pushing_limited"/g)
  t.equal(events?.length, 1, 'one event for all')
  t.equal((await push('web', basic('web'))).status, 201, 'a client that proves itself is not limited')
  const described = { ...CLIENTS.web, client_id: 'self-web', registered_at: '2026-11-22T08:00:00.000Z' }
  await createClient(storage, 'self-web', formatClient(described))
  t.equal((await push('self-web', basic('self-web'))).status, 429, 'one that described itself is')
  ahead += 191_000
  t.equal((await push('app')).status, 201)
})

t.test('a proof with the jti of an expired one shares nothing with it', async (t) => {
  let ahead = 0
  const now = () => Date.now() + ahead
  const service = await startService(t, { now, storage: new MemoryStorage({ now }) })
  const dpop = dpopClient(service, { now })
  const families = new Set<string>()
  for (let time = 0; time < 2; time += 1) {
    const proof = dpop.proof(PAR, { jti: 'the same' })
    const { status, json } = await service.post(PAR, authorizationRequest(), { dpop: proof })
    t.equal(status, 201)
    families.add(String(json.request_uri).slice(-60, -44))
    ahead += 3_600_000
  }
  t.equal(families.size, 2)
})

forEachService(t, 'a DPoP proof binds the code to its key (RFC 9449 §10.1)', async (t, start) => {
  const service = await start()
  const dpop = dpopClient(service)
  const jkt = dpop.key.jkt
  const push = (overrides: Record<string, string> = {}, proof = dpop.proof(PAR)) =>
    service.post(PAR, authorizationRequest(overrides), { dpop: proof })
  t.equal(
    (await push({ dpop_jkt: JKT })).json.error,
    'invalid_dpop_proof',
    'another key than that of dpop_jkt',
  )
  t.equal(
    (await push({}, dpop.proof('/oauth2/token'))).json.error,
    'invalid_dpop_proof',
    'for another endpoint',
  )
  const proof = dpop.proof(PAR)
  t.equal(
    (await push({ scope: 'admin' }, proof)).json.error,
    'invalid_scope',
    'a refused request uses up nothing',
  )
  const answers = await Promise.all([1, 2, 3].map(() => push({ dpop_jkt: jkt }, proof)))
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 400, 400], 'a proof is used once')
  const { json } = await push()
  const query = new URLSearchParams({ client_id: 'app', request_uri: String(json.request_uri) })
  const code = String((await service.get(`/oauth2/authorize?${query}`)).redirect.get('code'))
  t.equal((await service.token(codeRequest(code))).json.error, 'invalid_grant', 'without the key')
  t.match((await dpop.token(codeRequest(code))).json, { token_type: 'DPoP' })
})
