// Every reason of src/core/reasons.ts happens here, at the endpoint where requests meet it.

import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createInstance } from '../../../../instance.ts'
import ownBearer from '../../../../plugins/bearer.ts'
import { MAX_WAIT_MS } from '../../../../plugins/turns.ts'
import { ADMIN_REQUESTS } from '../../../../src/admin/door/budget.ts'
import { DESCRIBED_ASSERTIONS } from '../../../../src/clients/authentication/own-assertion.ts'
import { previewRecord } from '../../../../src/clients/previews/new-preview.ts'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { newPreviewId } from '../../../../src/clients/record/preview-fields.ts'
import { overloaded } from '../../../../src/core/errors.ts'
import { REASONS, type Reason } from '../../../../src/core/reasons.ts'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { DETAIL_TYPE } from '../../../../src/details/detail-type.ts'
import { checkSecondStep, MAX_FAILURES } from '../../../../src/factors/check-second-step.ts'
import type { SignInMethod } from '../../../../src/interaction/sign-in-method.ts'
import { maintainSigningKeys } from '../../../../src/keys/rotate.ts'
import type { Fetched, FetchFailure } from '../../../../src/outbound/public-get.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { MAX_DERIVED } from '../../../../src/storage/derivation.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { PASSWORD, userRecord } from '../../../support/accounts.ts'
import { actingTokens } from '../../../support/acting-token.ts'
import { createAdministrator, startAdmin } from '../../../support/admin.ts'
import { answerFirst, asker, BANK, startWithAsks } from '../../../support/asks.ts'
import { appCode, wrongCode } from '../../../support/authenticator.ts'
import { WITH_CERTIFICATES } from '../../../support/certificates.ts'
import {
  AWAY,
  DOCUMENT,
  documentRequest,
  fetched,
  redeem,
  startWithDocuments,
} from '../../../support/clients/document-clients.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { allowDevice, answerDevice, DEVICE_GRANT, startWithDevices } from '../../../support/device.ts'
import { personNamed, resultOf, startFakeDirectory } from '../../../support/directory/fake-directory.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { BILLING, exchangeAs, ORDERS, signInFor, startChain } from '../../../support/exchange.ts'
import { bare, happensAt, planted, seen } from '../../../support/explain/happen.ts'
import { askAs, startIssuing } from '../../../support/identity.ts'
import { OTHER_METHODS } from '../../../support/interaction/other-methods.ts'
import { startReplica } from '../../../support/lifecycle.ts'
import { observed } from '../../../support/observed.ts'
import { leave as leaveToLogin, startWithLogin } from '../../../support/own-login/application.ts'
import { freePort } from '../../../support/process.ts'
import { federate, leave, type Meddle, signInThere, UPSTREAM } from '../../../support/providers/federation.ts'
import { listen, request as rawRequest } from '../../../support/raw-http.ts'
import { startSignals } from '../../../support/receivers.ts'
import { changeClient, changeUser, createClient, createUser, readClient } from '../../../support/records.ts'
import { APP, startRegistration } from '../../../support/registration.ts'
import { giveKeys, requestObject } from '../../../support/request-objects.ts'
import { keyOn } from '../../../support/scene/pages.ts'
import { pathOf, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  CLIENTS,
  callers,
  codeRequest,
  DEMO_HERE,
  ISSUER,
  REDIRECT_URI,
  registerRedmint,
  SECRET,
  startService,
  type TestOptions,
  useTestKeys,
  VERIFIER,
} from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  keySetOf,
  trust,
} from '../../../support/trusted-issuer.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const EXPLAINED: TestOptions = { explain: { delay: 1 } }
const FORM = 'application/x-www-form-urlencoded'
const OWN = { grant_type: 'client_credentials' }

/**
 * They happen only in the process of an API that has redmint/resource-server, which keeps no explanations, or take a provider that says when
 * somebody signed in there (test/main/src/providers/session.test.ts).
 */
const ELSEWHERE: readonly Reason[] = ['issuer_away', 'proofs_away', 'sign_in_not_fresh']
/** Those that say nothing beside their sentence: what went wrong in the server is in the log alone, by the id of the request. */
const NOTHING_TO_SHOW: readonly Reason[] = ['server_fault']
/** Only if a client is removed between the two readings of one request. */
const RACES: readonly Reason[] = ['token_client_gone']

async function start(t: Test, options: TestOptions = {}) {
  const service = await startService(t, { ...EXPLAINED, ...options })
  return { ...service, ...happensAt(t, service) }
}

t.test('what is wrong before anything is read', async (t) => {
  const { request, get, post, token, happens } = await start(t, {
    webfinger_hosts: ['auth.example.com'],
    forward_auth_clients: ['intranet'],
    client_registration: 'open',
    ...WITH_CERTIFICATES,
  })
  const send = (type: string, payload: string, url = '/oauth2/token') =>
    request({ method: 'POST', url, headers: { 'content-type': type }, payload })
  await happens('body_too_large', '413 invalid_request', send(FORM, 'a'.repeat(2e6)))
  await happens('body_not_a_form', '400 invalid_request', send('application/json', '{}'))
  await happens('body_not_json', '400 invalid_client_metadata', send('text/plain', '{}', '/oauth2/register'))
  await happens(
    'request_malformed',
    '400 invalid_request',
    request({
      method: 'POST',
      url: '/oauth2/token',
      headers: { 'content-type': FORM, 'content-length': '3' },
      payload: 'a=bcd',
    }),
  )
  await happens(
    'certificate_header_untrusted',
    '400 invalid_request',
    token(OWN, { ...basic('service'), 'client-cert': ':AAAA:' }),
  )
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`p${i}`, '1']))
  await happens('parameters_too_many', '400 invalid_request', post('/oauth2/token', many))
  await happens('parameter_missing', '400 invalid_request', token({}))
  await happens('parameter_repeated', '400 invalid_request', send(FORM, 'grant_type=a&grant_type=b'))
  await happens('parameter_unreadable', '400 invalid_request', send(FORM, 'grant_type=%FF'))
  await happens('webfinger_resource', '400 invalid_request', get('/.well-known/webfinger'))
  await happens('forward_auth_answer', '400', get('/.redmint/callback?state=x&code=x'))
  await happens('language_unknown', '400', post('/oauth2/language', { language: 'xx', kept: 'x' }))
})

t.test('clients that do not prove who they are', async (t) => {
  const service = await start(t, { client_auth_failures: 3 })
  const { token, post, authorize, happens, storage } = service
  const key = issuerKey()
  const { client_secret_hash: _, ...keyed } = { ...CLIENTS.service, client_id: 'keyed' }
  await createClient(storage, 'keyed', {
    ...formatClient({ ...keyed, is_public: true }),
    is_public: 'false',
    token_endpoint_auth_method: 'private_key_jwt',
  })
  await giveKeys(storage, 'keyed', [key])
  const assertion = (claims = {}, header = {}, by = key) => {
    const made = assertionOf(by, claimsOf('keyed', 'keyed', claims), header)
    planted.add(made)
    return made
  }
  const asserted = (client_assertion: string) =>
    token({ ...OWN, client_assertion, client_assertion_type: CLIENT_ASSERTION_TYPE })
  await happens('client_unknown', '400', authorize({ client_id: 'nobody' }))
  await happens('client_unnamed', '401 invalid_client', token(OWN))
  await happens(
    'client_is_public',
    '401 invalid_client',
    post('/oauth2/introspect', { token: 'a', client_id: 'app' }),
  )
  await happens(
    'client_authentications_several',
    '400 invalid_request',
    token({ ...OWN, client_secret: 'b' }, basic('web')),
  )
  await happens('client_ids_differ', '400 invalid_request', token({ ...OWN, client_id: 'app' }, basic('web')))
  await happens(
    'client_credentials_malformed',
    '401 invalid_client',
    token(OWN, { authorization: 'Basic %%%' }),
  )
  await happens('client_credentials_wrong', '401 invalid_client', token(OWN, basic('web', 'wrong')))
  for (let i = 0; i < 3; i++) await token(OWN, basic('web', 'wrong'))
  await happens('client_authentication_limited', '429 temporarily_unavailable', token(OWN, basic('web')))
  await happens(
    'client_assertion_incomplete',
    '400 invalid_request',
    token({ ...OWN, client_assertion: 'a' }),
  )
  await happens('client_assertion_malformed', '401 invalid_client', asserted('a.b.c'))
  await happens(
    'client_assertion_claims',
    '401 invalid_client',
    asserted(assertion({ aud: 'https://other.example' })),
  )
  await happens('client_assertion_clock', '401 invalid_client', asserted(assertion({ exp: 1_000_000_000 })))
  await happens(
    'client_assertion_unproven',
    '401 invalid_client',
    asserted(assertion({}, {}, issuerKey(key.kid))),
  )
  const used = assertion()
  await asserted(used)
  await happens('client_assertion_used', '401 invalid_client', asserted(used))
  await happens(
    'client_assertion_issuer',
    '401 invalid_client',
    asserted(assertion({ iss: 'https://ci.example.com' })),
  )
})

t.test('authorization requests', async (t) => {
  const { authorize, get, post, happens, storage } = await start(t)
  const key = issuerKey()
  await giveKeys(storage, 'app', [key])
  const url = (parameters: Record<string, string>) =>
    get(`/oauth2/authorize?${new URLSearchParams(parameters)}`)
  const object = (claims = {}, by = key) => url({ client_id: 'app', request: requestObject(by, claims) })
  await happens(
    'redirect_uri_unregistered',
    '400',
    authorize({ redirect_uri: `${REDIRECT_URI}?token=${SECRET}` }),
  )
  await happens('request_and_request_uri', '400', authorize({ request: 'a', request_uri: 'b' }))
  await happens(
    'request_uri_unusable',
    '400',
    authorize({ request_uri: `urn:ietf:params:oauth:request_uri:${newToken(newFamilyId())}` }),
  )
  await happens(
    'request_uri_foreign',
    '302 request_uri_not_supported',
    authorize({ request_uri: 'https://app.example.com/request' }),
  )
  await happens('request_object_malformed', '400', url({ client_id: 'app', request: 'a.b.c' }))
  await happens('request_object_claims', '400', object({ aud: 'https://other.example' }))
  await happens('request_object_clock', '400', object({ exp: 1_000_000_000 }))
  await happens('request_object_unproven', '400', object({}, issuerKey(key.kid)))
  await happens(
    'request_unsupported',
    '302 request_not_supported',
    authorize({ request: `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.` }),
  )
  await happens(
    'registration_unsupported',
    '302 registration_not_supported',
    authorize({ registration: '{}' }),
  )
  await happens(
    'response_type_unsupported',
    '302 unsupported_response_type',
    authorize({ response_type: 'token' }),
  )
  await happens('response_mode_unsupported', '302 invalid_request', authorize({ response_mode: 'fragment' }))
  await happens(
    'pkce_challenge_missing',
    '302 invalid_request',
    authorize({ code_challenge: undefined, code_challenge_method: undefined }),
  )
  await happens('pkce_method', '302 invalid_request', authorize({ code_challenge_method: 'plain' }))
  await happens('pkce_challenge_malformed', '302 invalid_request', authorize({ code_challenge: 'short' }))
  await happens('dpop_jkt_malformed', '302 invalid_request', authorize({ dpop_jkt: 'short' }))
  await happens('max_age_malformed', '302 invalid_request', authorize({ max_age: 'soon' }))
  await happens('prompt_malformed', '302 invalid_request', authorize({ prompt: 'none login' }))
  const preview = await previewOfApp(storage)
  await happens('preview_silent', '302 consent_required', authorize({ ...preview, prompt: 'none' }))
  await happens('claims_malformed', '302 invalid_request', authorize({ claims: '{' }))
  await happens('id_token_hint_foreign', '302 invalid_request', authorize({ id_token_hint: 'a.b.c' }))
  await happens(
    'acr_impossible',
    '302 unmet_authentication_requirements',
    authorize({ claims: '{"id_token":{"acr":{"essential":true,"value":"gold"}}}' }),
  )
  await happens('scope_not_allowed', '302 invalid_scope', authorize({ scope: 'openid admin' }))
  await happens('request_too_long', '302 invalid_request', authorize({ state: 'a'.repeat(5000) }))
  await happens('demo_subject_malformed', '302 invalid_request', authorize({ subject: 'ü' }))
  await happens('subject_is_client', '302 invalid_request', authorize({ subject: 'app' }))
  await happens(
    'request_uri_pushed',
    '400 invalid_request',
    post('/oauth2/par', authorizationRequest({ request_uri: 'urn:x' })),
  )
  await changeClient(storage, 'app', { set: { require_signed_request_object: 'true' } })
  await happens('request_unsigned', '302 invalid_request', authorize())
  await changeClient(storage, 'app', {
    set: { require_signed_request_object: 'false', require_pushed_authorization_requests: 'true' },
  })
  await happens('request_not_pushed', '302 invalid_request', authorize())
})

t.test('what a provider says', async (t) => {
  const { post, happens } = await start(t, { sign_in: 'providers' })
  await happens(
    'logout_token_refused',
    '400 invalid_request',
    post('/sign-in/acme/backchannel-logout', { logout_token: 'x' }),
  )
})

t.test('what others say is over', async (t) => {
  const { storage, token, request, happens } = await start(t, {
    sign_in: 'providers',
    receive_signals: 'on',
    global_token_revocation: 'on',
  })
  await happens(
    'signal_refused',
    '400',
    request({
      method: 'POST',
      url: '/signals/acme',
      headers: { 'content-type': 'application/secevent+jwt' },
      payload: 'x',
    }),
  )
  const scope = 'global_token_revocation'
  await createClient(storage, 'siem', {
    ...formatClient({ ...CLIENTS.service, client_id: 'siem', allowed_scopes: [scope] }),
  })
  const { json } = await token({ ...OWN, scope }, basic('siem'))
  const end = (payload: string) =>
    request({
      method: 'POST',
      url: '/oauth2/global-token-revocation',
      headers: { ...bearer(String(json.access_token)), 'content-type': 'application/json' },
      payload,
    })
  await happens('revocation_subject_malformed', '400 invalid_request', end('{}'))
  const nobody = '{"sub_id":{"format":"opaque","id":"nobody"}}'
  await happens('revocation_subject_unknown', '404 invalid_request', end(nobody))
})

t.test('resources', async (t) => {
  const { authorize, token, request, code, happens, storage } = await start(t)
  const put = (id: string, hash: Record<string, string>) =>
    storage.records.put({ kind: { name: 'resource' }, id, hash: { resource: id, ...hash } })
  const [api, off, other] = [
    'https://api.example.com',
    'https://off.example.com',
    'https://other.example.com',
  ]
  await put(api, { scopes: 'api.read' })
  await put(off, { scopes: 'api.read', disabled: 'true' })
  await put(other, { scopes: 'other.read' })
  await happens('resource_malformed', '302 invalid_target', authorize({ resource: `${api} ${other}` }))
  await happens(
    'resource_unknown',
    '302 invalid_target',
    authorize({ resource: 'https://unknown.example.com' }),
  )
  await happens('resource_disabled', '302 invalid_target', authorize({ resource: off }))
  await happens(
    'resource_without_scope',
    '302 invalid_target',
    authorize({ resource: other, scope: undefined }),
  )
  await happens(
    'scope_not_of_resource',
    '302 invalid_scope',
    authorize({ resource: api, scope: 'api.write' }),
  )
  const several = new URLSearchParams({ ...OWN, resource: api })
  several.append('resource', 'https://one.example.com')
  await put('https://one.example.com', { scopes: 'api.read' })
  const headers = { 'content-type': FORM, ...basic('service') }
  await happens(
    'resources_several',
    '400 invalid_target',
    request({ method: 'POST', url: '/oauth2/token', headers, payload: several.toString() }),
  )
  const granted = await code({ resource: api, scope: 'api.read' })
  await happens(
    'resource_not_granted',
    '400 invalid_target',
    token(codeRequest(granted, { resource: 'https://one.example.com' })),
  )
})

t.test('exchanges of tokens', async (t) => {
  const service = await startChain(() => startReplica(t, { open: () => new MemoryStorage() }, EXPLAINED))
  const { token, storage } = service
  const { happens } = happensAt(t, service)
  const { access_token: own } = await signInFor(service, ORDERS)
  const exchange = (client: string, subject: string, given: Record<string, string | undefined> = {}) =>
    exchangeAs(service, client, subject, given)
  const refused = '400 invalid_request'
  await happens('resource_missing', '400 invalid_target', exchange('orders', own, { resource: undefined }))
  await happens('resource_own', '400 invalid_target', exchange('orders', own, { resource: ISSUER }))
  const id_token = { subject_token_type: TOKEN_TYPE.id_token }
  await happens('exchange_type', refused, exchange('orders', own, id_token))
  await happens('exchange_type', refused, exchange('orders', own, { subject_token_type: own }))
  await happens('exchange_subject', refused, exchange('orders', 'nonsense'))
  const { json } = await token(OWN, basic('orders'))
  await happens('exchange_subject_client', refused, exchange('orders', String(json.access_token)))
  await happens('exchange_tie', refused, exchange('billing', own))
  const actor = { actor_token: own, actor_token_type: TOKEN_TYPE.access_token }
  await happens('exchange_actor', refused, exchange('orders', own, actor))
  const derived = String((await exchange('orders', own)).json.access_token)
  await happens('exchange_chain', refused, exchange('orders', derived))
  const bound = await dpopClient(service).token(
    codeRequest(await service.codeFor('web'), { client_id: 'web' }),
    basic('web'),
  )
  const all = { grant_types: `authorization_code ${TOKEN_EXCHANGE}`, exchange_mode: 'narrow' }
  await changeClient(storage, 'web', { set: all })
  await happens('exchange_other_key', refused, exchange('web', String(bound.json.access_token)))
  await exchange('orders', own)
  for (let i = 2; i < MAX_DERIVED; i += 2)
    await actingTokens(service, own, { client_id: 'orders', scope: 'api.read', audience: BILLING })
  await happens('exchange_limited', '429 temporarily_unavailable', exchange('orders', own))
  await changeClient(storage, 'orders', { set: { allowed_groups: 'staff' } })
  await happens('exchange_user', refused, exchange('orders', own))
  await changeClient(storage, 'orders', { set: {}, unset: ['exchange_mode'] })
  await happens('exchange_off', '400 unauthorized_client', exchange('orders', own))
})

t.test('details', async (t) => {
  const { authorize, token, code, happens, storage } = await start(t)
  await storePayments(storage, {}, ['app', 'service'])
  const refused = '302 invalid_authorization_details'
  const asking = (authorization_details: string, more = {}) => authorize({ authorization_details, ...more })
  await happens('details_malformed', refused, asking('{}'))
  await happens('details_type_not_allowed', refused, asking(detailsOf({ type: 'other' })))
  await happens('details_schema', refused, asking(detailsOf({ ...PAYMENT, amount: -1 })))
  const granted = await code({ authorization_details: detailsOf() })
  await happens(
    'details_not_granted',
    '400 invalid_authorization_details',
    token(codeRequest(granted, { authorization_details: detailsOf({ ...PAYMENT, amount: 99 }) })),
  )
  await happens(
    'details_without_person',
    '400 invalid_authorization_details',
    token({ grant_type: 'client_credentials', authorization_details: detailsOf() }, basic('service')),
  )
  await storage.records.change(DETAIL_TYPE, 'payment', { set: { pushed: 'true' } })
  await happens('details_not_pushed', refused, asking(detailsOf()))
  await storage.records.change(DETAIL_TYPE, 'payment', { set: { disabled: 'true' } })
  await happens('details_type_unknown', refused, asking(detailsOf()))
})

t.test('token requests', async (t) => {
  const service = await start(t)
  const { token, code, happens, storage } = service
  await happens('grant_type_unsupported', '400 unsupported_grant_type', token({ grant_type: 'password' }))
  await happens(
    'grant_type_not_registered',
    '400 unauthorized_client',
    token({ grant_type: DEVICE_GRANT, device_code: newToken(newFamilyId()) }, basic('service')),
  )
  await happens('grant_type_needs_secret', '400 unauthorized_client', token({ ...OWN, client_id: 'app' }))
  await happens('code_malformed', '400 invalid_grant', token(codeRequest('not a code')))
  await happens('code_unknown', '400 invalid_grant', token(codeRequest(newToken(newFamilyId()))))
  const one = await code()
  planted.add(one)
  await happens(
    'code_of_other_client',
    '400 invalid_grant',
    token({ ...codeRequest(one), client_id: 'web', client_secret: SECRET }),
  )
  await happens(
    'code_redirect_uri',
    '400 invalid_grant',
    token(codeRequest(one, { redirect_uri: 'https://app.example.com/other' })),
  )
  await happens(
    'code_verifier_wrong',
    '400 invalid_grant',
    token(codeRequest(one, { code_verifier: VERIFIER.replace('a', 'b') })),
  )
  const { code_verifier: _, ...without } = codeRequest(one)
  await happens('code_verifier_missing', '400 invalid_grant', token(without))
  const { json } = await token(codeRequest(one))
  const refresh_token = String(json.refresh_token)
  for (const secret of [refresh_token, String(json.access_token)]) planted.add(secret)
  const refresh = { grant_type: 'refresh_token', client_id: 'app', refresh_token }
  await happens('refresh_token_malformed', '400 invalid_grant', token({ ...refresh, refresh_token: 'a' }))
  await happens(
    'refresh_token_unknown',
    '400 invalid_grant',
    token({ ...refresh, refresh_token: newToken(newFamilyId()) }),
  )
  await happens('refresh_token_scope', '400 invalid_scope', token({ ...refresh, scope: 'openid api.write' }))
  await changeClient(storage, 'app', { set: { refresh_tokens: 'never' } })
  await happens('refresh_tokens_never', '400 unauthorized_client', token(refresh))
  await changeClient(storage, 'app', { set: { refresh_tokens: 'always' } })
  const next = await token(refresh)
  await token({ ...refresh, refresh_token: String(next.json.refresh_token) })
  await happens('refresh_token_spent', '400 invalid_grant', token(refresh))
  await happens('code_spent', '400 invalid_grant', token(codeRequest(one)))
})

t.test('DPoP', async (t) => {
  const service = await start(t)
  const { token, happens, storage, get } = service
  await createClient(
    storage,
    'bound',
    formatClient({ ...CLIENTS.service, client_id: 'bound', dpop_bound_access_tokens: true }),
  )
  const client = dpopClient(service)
  await happens('proof_missing', '400 invalid_dpop_proof', token(OWN, basic('bound')))
  await happens('proof_malformed', '400 invalid_dpop_proof', token(OWN, { ...basic('bound'), dpop: 'a.b.c' }))
  await happens('proof_claims', '400 invalid_dpop_proof', client.token(OWN, basic('bound'), { htm: 'GET' }))
  await happens(
    'proof_clock',
    '400 invalid_dpop_proof',
    client.token(OWN, basic('bound'), { iat: 1_000_000_000 }),
  )
  const again = { ...basic('bound'), dpop: client.proof('/oauth2/token') }
  const { json } = await token(OWN, again)
  await happens('proof_used', '400 invalid_dpop_proof', token(OWN, again))
  await happens(
    'proof_other_key',
    '401 invalid_dpop_proof',
    dpopClient(service).get('/api/resource', json.access_token),
  )
  const { json: free } = await token(OWN, basic('service'))
  await happens('token_other_key', '401 invalid_token', client.get('/api/resource', free.access_token))
  await happens(
    'token_proof_missing',
    '401 invalid_token',
    get('/api/resource', bearer(String(json.access_token))),
  )
  const code = await service.code()
  const bound = await client.token(codeRequest(code))
  await happens(
    'refresh_token_other_key',
    '400 invalid_grant',
    dpopClient(service).token({
      grant_type: 'refresh_token',
      client_id: 'app',
      refresh_token: String(bound.json.refresh_token),
    }),
  )
  const of_key = await service.code({ dpop_jkt: client.key.jkt })
  await happens('code_other_key', '400 invalid_grant', dpopClient(service).token(codeRequest(of_key)))
  const of_web = await service.code({ client_id: 'web' })
  const { client_id: _, ...redemption } = codeRequest(of_web)
  const refreshable = await client.token(redemption, basic('web'))
  const form = { grant_type: 'refresh_token', refresh_token: String(refreshable.json.refresh_token) }
  await dpopClient(service).token(form, basic('web'))
  await happens('refresh_token_retry_differs', '400 invalid_grant', client.token(form, basic('web')))
  const needing = await start(t, { dpop_nonce: 'required' })
  await needing.happens('proof_nonce', '400 use_dpop_nonce', dpopClient(needing).token(OWN, basic('service')))
})

t.test('access tokens', async (t) => {
  const fastify = createInstance({ level: 'silent' })
  t.teardown(() => fastify.close())
  const memory = new MemoryStorage()
  await useTestKeys(memory)
  for (const client of [CLIENTS.app, CLIENTS.service])
    await createClient(memory, client.client_id, formatClient(client))
  await registerRedmint(fastify, { issuer: ISSUER, storage: memory, demo: 'public', ...EXPLAINED })
  await fastify.register(ownBearer)
  fastify.get('/recent', { onRequest: fastify.protect({ acr_values: ['9'] }) }, async () => 'ok')
  const { get, token, code } = callers(fastify)
  const { happens } = happensAt(t, { fastify, storage: memory })
  await happens('token_missing', '401 unauthorized', get('/api/resource'))
  const demo = await startService(t, { ...DEMO_HERE, ...EXPLAINED })
  const { happens: happensInDemo } = happensAt(t, demo)
  await happensInDemo(
    'demo_from_outside',
    '421 invalid_request',
    demo.get('/health', { host: 'rebound.example' }),
  )
  await happens('tokens_several', '400 invalid_request', get('/userinfo?access_token=a', bearer('b')))
  await happens('token_invalid', '401 invalid_token', get('/api/resource', bearer('nonsense')))
  const { json } = await token(OWN, basic('service'))
  await happens(
    'token_without_user',
    '401 invalid_token',
    get('/userinfo', bearer(String(json.access_token))),
  )
  const { json: plain } = await token(codeRequest(await code({ scope: 'api.read' })))
  await happens('token_scope', '403 insufficient_scope', get('/userinfo', bearer(String(plain.access_token))))
  const { json: own } = await token(codeRequest(await code()))
  const acting = { client_id: 'service', scope: 'openid', audience: '' }
  const { opaque } = await actingTokens({ fastify, storage: memory }, String(own.access_token), acting)
  await happens('token_acting', '401 invalid_token', get('/api/resource', bearer(opaque)))
  await happens(
    'token_sign_in_weak',
    '401 insufficient_user_authentication',
    get('/recent', bearer(String(own.access_token))),
  )
})

t.test('devices', async (t) => {
  const options = { ...EXPLAINED, sign_in_failures: 2, device_requests: 6 }
  const service = await startWithDevices(t, options)
  const { happens } = happensAt(t, service)
  const { poll, codes, ask, printer, visitor, storage } = service
  await happens('device_code_malformed', '400 invalid_grant', poll('a'))
  await happens('device_code_ended', '400 expired_token', poll(newToken(newFamilyId())))
  const waiting = await codes()
  planted.add(waiting.device_code)
  await happens('device_code_pending', '400 authorization_pending', poll(waiting.device_code))
  await happens('device_code_slow_down', '400 slow_down', poll(waiting.device_code))
  const { json } = await printer.ask()
  await happens('device_code_of_other_client', '400 invalid_grant', poll(String(json.device_code)))
  const alice = visitor()
  await answerDevice(alice, waiting.verification_uri_complete, 'deny')
  await happens('device_code_denied', '400 access_denied', poll(waiting.device_code))
  const allowed = await codes()
  await allowDevice(storage, allowed.device_code)
  await poll(allowed.device_code)
  await happens('device_code_spent', '400 invalid_grant', poll(allowed.device_code))
  await happens('user_code_wrong', '200', alice.page('/device?user_code=BBBB-BBBB'))
  for (let i = 0; i < 3; i++) await alice.page('/device?user_code=BBBB-BBBB')
  await happens('user_code_limited', '200', alice.page('/device?user_code=BBBB-BBBB'))
  for (let i = 0; i < 6; i++) await ask()
  await happens('device_codes_limited', '429 temporarily_unavailable', ask())
})

t.test('what clients ask people', async (t) => {
  const other = { ...BANK, client_id: 'shark' }
  const silent = { ...BANK, client_id: 'silent', asks_people: false }
  const service = await startWithAsks(t, { ...EXPLAINED, clients: [other, silent] })
  const { happens } = happensAt(t, service)
  const { ask, id, poll, alice } = service
  await happens('ask_off', '400 unauthorized_client', asker(service, 'silent').ask())
  await happens('ask_hint', '400 invalid_request', ask({ login_hint: undefined }))
  await happens('ask_malformed', '400 invalid_request', ask({ requested_expiry: 'soon' }))
  await happens('ask_message', '400 invalid_binding_message', ask({ binding_message: 'yes!' }))
  await happens('ask_id_malformed', '400 invalid_grant', poll('a'))
  await happens('ask_ended', '400 expired_token', poll(newToken(newFamilyId())))
  const refused = await id()
  planted.add(refused)
  await happens('ask_pending', '400 authorization_pending', poll(refused))
  await happens('ask_slow_down', '400 slow_down', poll(refused))
  await happens('ask_of_other_client', '400 invalid_grant', asker(service, 'shark').poll(refused))
  await answerFirst(alice, 'deny')
  await happens('ask_denied', '400 access_denied', poll(refused))
  const allowed = await id({ binding_message: 'again' })
  await answerFirst(alice)
  await poll(allowed)
  await happens('ask_spent', '400 invalid_grant', poll(allowed))
})

t.test('people who sign in', async (t) => {
  const service = await scene(t, { ...EXPLAINED, sign_in_failures: 4, second_factor: 'optional' })
  const { happens, happened, explained } = happensAt(t, service)
  const { visitor, storage, get, token, log } = service
  await createUser(storage, 'off', { ...(await userRecord('sub-of-off')), disabled: 'true' })
  await createUser(storage, 'bare', { sub: 'sub-of-bare' })
  const person = visitor()
  const { url } = await person.page(requestUrl())
  const attempt = async (username: string, password: string) =>
    void (await signInOn(person, await person.page(url), username, password))
  planted.add('typed into the wrong field')
  await attempt('typed into the wrong field', PASSWORD)
  await happened('user_unknown')
  await attempt('alice', 'wrong horse')
  await happened('password_wrong')
  await attempt('off', PASSWORD)
  await happened('user_disabled')
  await attempt('bare', PASSWORD)
  await happened('user_without_password')
  const idOn = async (reason: Reason, answer: Awaited<ReturnType<typeof signInOn>>) => {
    const [, id = ''] = /class="note">[\s\S]*?<code>([^<]+)</.exec(asPage(answer).text) ?? []
    await explained(reason, id)
  }
  await idOn('password_wrong', await signInOn(person, await person.page(url), 'alice', 'wrong horse'))
  for (let i = 0; i < 5; i++) await attempt('alice', 'wrong horse')
  await happened('sign_ins_limited')
  await idOn('sign_ins_limited', await signInOn(person, await person.page(url), 'alice', 'wrong horse'))
  t.notMatch((await person.page(requestUrl())).text, 'class="note"', 'nothing was refused')
  t.notMatch(log.join(''), 'typed into the wrong field')

  await happens('login_required', '302 login_required', get(requestUrl({ prompt: 'none' })))
  await happens('browser_request_ended', '400', get('/oauth2/interaction?transaction=a'))
  const bob = visitor()
  const asking = asPage(await signInOn(bob, await bob.page(requestUrl()), 'bob'))
  const silent = async (overrides: Record<string, string | undefined>) =>
    bob.request('GET', requestUrl({ prompt: 'none', ...overrides }))
  await happens('consent_needed', '302 consent_required', silent({}))
  await bob.submit(asking, { decision: 'deny' })
  await happened('consent_refused')
  await happens(
    'other_user_signed_in',
    '302 login_required',
    silent({ claims: '{"id_token":{"sub":{"value":"another"}}}' }),
  )
  await createClient(
    storage,
    'closed',
    formatClient({ ...CLIENTS.app, client_id: 'closed', allowed_groups: ['staff'] }),
  )
  await happens('access_by_group', '302 access_denied', silent({ client_id: 'closed', scope: 'openid' }))
  const no_access = asPage(await bob.open(requestUrl({ client_id: 'closed', scope: 'openid' })))
  await happens('access_by_group', '200', no_access)
  t.match(no_access.text, `<code>${no_access.headers['x-request-id']}</code>`, 'the page has the id')
  await happens('link_over', '400', visitor().page('/reset-password'))
  await happens('logout_request_wrong', '200', get('/oauth2/logout?client_id=nobody'))
  const first = asDeparture(await bob.open(requestUrl({ client_id: 'own' })))
  await changeClient(storage, 'own', { set: { grants_end_before: String(Date.now() + 1000) } })
  await happens(
    'grant_ended',
    '400 invalid_grant',
    token(codeRequest(String(first.told.get('code')), { client_id: 'own' })),
  )
  await changeClient(storage, 'own', { set: {}, unset: ['grants_end_before'] })
  const own = asDeparture(await bob.open(requestUrl({ client_id: 'own' })))
  const form = codeRequest(String(own.told.get('code')), { client_id: 'own' })
  await changeUser(storage, 'bob', { set: { disabled: 'true' } })
  await happens('account_gone', '400 invalid_grant', token(form))
})

t.test('the sign-in page of an application', async (t) => {
  const service = await startWithLogin(t, EXPLAINED)
  const { happens, happened } = happensAt(t, service)
  const browser = service.visitor()
  const { json } = await service.backend.refuse(await leaveToLogin(browser))
  await happens('sign_in_refused', '302 access_denied', browser.request('GET', pathOf(json.redirect_to)))
  const other = service.visitor()
  const state = await leaveToLogin(other)
  const back = `/oauth2/interaction?${new URLSearchParams({ state, login_verifier: 'made.up' })}`
  await other.open(back)
  await happened('own_page_failed')
})

t.test('the second step', async (t) => {
  const service = await scene(t, EXPLAINED)
  const { happened } = happensAt(t, service)
  const { visitor, storage, fastify } = service
  const { redmint } = fastify
  await changeUser(storage, 'alice', { set: { second_factor: 'required' } })
  const alice = visitor()
  const after = async () =>
    asPage(await signInOn(alice, await alice.page(requestUrl({ client_id: 'own', prompt: 'login' }))))
  const page = await after()
  const key = keyOn(page)
  await alice.submit(page, { code: wrongCode(key, redmint.now()) })
  await happened('sign_in_answer_wrong')
  const codes = asPage(await alice.submit(page, { code: appCode(key, redmint.now()) }))
  await alice.submit(codes, {})
  for (let i = 0; i < MAX_FAILURES; i++)
    await checkSecondStep({ ...redmint, report() {} }, 'alice', wrongCode(key, redmint.now()))
  await alice.submit(await after(), { code: wrongCode(key, redmint.now()) })
  await happened('second_step_limited')
  const weak = await scene(t, {
    ...EXPLAINED,
    methods: [...OTHER_METHODS, busy],
    second_factor: 'off',
  })
  const of_weak = happensAt(t, weak)
  const bob = weak.visitor()
  const claims = JSON.stringify({ id_token: { acr: { essential: true, value: '2' } } })
  await signInOn(bob, await bob.page(requestUrl({ claims })), 'bob')
  await of_weak.happened('acr_too_weak')
  const carol = weak.visitor()
  await carol.submit(await carol.page(requestUrl()), { method: 'busy' })
  await of_weak.happened('sign_ins_too_many')
})

/** A way to sign in that finds all hashes taken. */
const busy: SignInMethod = {
  ...(OTHER_METHODS[4] as SignInMethod),
  name: 'busy',
  async authenticate() {
    throw overloaded()
  },
}

t.test('limits, and what is away', async (t) => {
  const pushing = await start(t, { par_requests: 1 })
  const push = () => pushing.post('/oauth2/par', authorizationRequest())
  await push()
  await pushing.happens('pushing_limited', '429 temporarily_unavailable', push())

  let is_away = false
  const storage = observed(new MemoryStorage(), (call, run) => {
    if (is_away && call === 'saveClientToken') throw new StorageUnavailable('away')
    return run()
  })
  const service = await start(t, { storage })
  is_away = true
  await service.happens('storage_away', '503 temporarily_unavailable', service.token(OWN, basic('service')))
  const without = await scene(t, {
    ...EXPLAINED,
    sign_in: 'directory',
    ldap_url: `ldap://127.0.0.1:${await freePort()}`,
    ldap_tls: 'off',
    ldap_base_dn: 'dc=example,dc=com',
  })
  const dave = without.visitor()
  await signInOn(dave, await dave.page(requestUrl()), 'dave')
  await happensAt(t, without).happened('directory_away')

  const broken = observed(new MemoryStorage(), (call, run) => {
    if (call === 'saveClientToken') throw new TypeError('a fault')
    return run()
  })
  const faulty = await start(t, { storage: broken })
  await faulty.happens('server_fault', '500 server_error', faulty.token(OWN, basic('service')))

  let clock = 0
  const late = createInstance({ level: 'silent', now: () => (clock += MAX_WAIT_MS + 1) })
  t.teardown(() => late.close())
  const memory = new MemoryStorage()
  await useTestKeys(memory)
  await registerRedmint(late, { issuer: 'https://auth.example.com', storage: memory, ...EXPLAINED })
  await late.listen({ host: '127.0.0.1', port: 0 })
  const { port } = late.server.address() as AddressInfo
  const { happens } = happensAt(t, { fastify: late, storage: memory })
  const answer = await fetch(`http://127.0.0.1:${port}/userinfo`)
  const json = (await answer.json()) as Record<string, unknown>
  const headers = Object.fromEntries(answer.headers)
  await happens('too_much_to_do', '503 temporarily_unavailable', { status: answer.status, headers, json })

  const listening = await start(t)
  const send = await listen(listening.fastify)
  const twice = ['Authorization: Bearer a', 'Authorization: Bearer b']
  const { text } = await send(rawRequest('GET /userinfo', twice))
  const [, id = ''] = /X-Request-Id: (\S+)/i.exec(text) ?? []
  t.match(text, /^HTTP\/1\.1 400 .*"error":"invalid_request"/s)
  await listening.explained('several_authorization_headers', id)
})

t.test('clients with documents, keys and certificates', async (t) => {
  const documents = await startWithDocuments(t, EXPLAINED)
  const of_documents = happensAt(t, documents)
  documents.host.answer = () => AWAY
  await of_documents.happens('client_document_away', '503', documents.get(documentRequest()))
  documents.host.answer = () => fetched({ client_id: 'another' })
  await of_documents.happens(
    'client_document_unusable',
    '400',
    documents.get(documentRequest({ client_id: 'https://tool.example.net/b.json' })),
  )

  let ahead = 0
  const key = issuerKey()
  let keys: Fetched | FetchFailure = fetched({ keys: [key.jwk] })
  const get = async () => keys
  const service = await start(t, {
    ...WITH_CERTIFICATES,
    fetch_client_keys: { registered: get, described: get },
    now: () => Date.now() + ahead,
  })
  const { token, code, happens, storage } = service
  await createClient(
    storage,
    'cert',
    formatClient({ ...CLIENTS.service, client_id: 'cert', tls_client_certificate_bound_access_tokens: true }),
  )
  await happens('client_certificate_missing', '400 invalid_request', token(OWN, basic('cert')))
  const keyed = { ...CLIENTS.service, client_id: 'keyed', is_public: true }
  const { client_secret_hash: _, ...without } = keyed
  await createClient(storage, 'keyed', {
    ...formatClient(without),
    is_public: 'false',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: 'https://keys.example.com/keys',
  })
  const prove = () => {
    const iat = Math.floor((Date.now() + ahead) / 1000)
    const client_assertion = assertionOf(key, claimsOf('keyed', 'keyed', { iat, exp: iat + 60 }))
    return token({ ...OWN, client_assertion, client_assertion_type: CLIENT_ASSERTION_TYPE })
  }
  await prove()
  ahead = 86_400_000
  keys = AWAY
  await happens('client_keys_away', '503 temporarily_unavailable', prove())
  await changeClient(storage, 'web', {
    set: { id_token_encrypted_response_alg: 'ECDH-ES', jwks: keySetOf(issuerKey()) },
  })
  const form = { ...codeRequest(await code({ client_id: 'web' })), client_secret: SECRET, client_id: 'web' }
  await happens('client_encryption_key_missing', '400 invalid_client_metadata', token(form))
  const described = { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } }
  const url = 'https://tool.example.net/keyed.json'
  documents.host.answer = () => fetched({ ...described, client_id: url })
  await documents.get(documentRequest({ client_id: url }))
  for (let i = 0; i < DESCRIBED_ASSERTIONS.per_name; i++)
    documents.fastify.redmint.described_assertions.take(url)
  const limited = assertionOf(key, claimsOf(url, url))
  const asked = {
    ...redeem('a.b'),
    client_id: url,
    client_assertion: limited,
    client_assertion_type: CLIENT_ASSERTION_TYPE,
  }
  await of_documents.happens(
    'client_assertions_limited',
    '429 temporarily_unavailable',
    documents.token({ ...asked, code: newToken(newFamilyId()) }),
  )

  const { client_secret_hash: __, ...bare } = { ...CLIENTS.web, client_id: 'fapi' }
  const fapi = { ...bare, is_public: true, profile: 'fapi2-message-signing' } as const
  await createClient(storage, 'fapi', {
    ...formatClient({ ...bare, is_public: true }),
    is_public: 'false',
    profile: fapi.profile,
    jwks: keySetOf(key),
  })
  const at = Math.floor((Date.now() + ahead) / 1000)
  const times = { iat: at, nbf: at, exp: at + 60 }
  await happens(
    'response_unsigned',
    '400 invalid_request',
    dpopClient(service, { now: () => Date.now() + ahead })
      .token({}, {})
      .then(() =>
        service.post('/oauth2/par', {
          client_id: 'fapi',
          client_assertion: assertionOf(key, claimsOf('fapi', 'fapi', times)),
          client_assertion_type: CLIENT_ASSERTION_TYPE,
          request: requestObject(key, { ...times, client_id: 'fapi', iss: 'fapi' }),
        }),
      ),
  )
})

t.test('trusted issuers', async (t) => {
  const service = await start(t, { trusted_issuers: true, fetch_key_set: async () => AWAY })
  const { token, happens, storage } = service
  const [key, CI, IDP] = [issuerKey(), 'https://ci.example.com', 'https://idp.example.com']
  await trust(storage, key, { issuer: CI })
  await trust(storage, key, { issuer: IDP, profile: 'id-jag' })
  await trust(storage, key, { issuer: 'https://away.example.com', jwks_uri: 'https://away.example.com/keys' })
  const { client_secret_hash: _, ...bare } = CLIENTS.service
  const job = {
    ...bare,
    client_id: 'job',
    grant_types: [JWT_BEARER, 'client_credentials'],
    assertion_issuer: CI,
    assertion_subject: 'job',
  } as const
  await createClient(storage, 'job', formatClient(job))
  await createClient(
    storage,
    'agent',
    formatClient({ ...CLIENTS.web, client_id: 'agent', grant_types: [JWT_BEARER] }),
  )
  const jwt = (iss: string, claims = {}, by = key) => assertionOf(by, claimsOf(iss, 'job', claims))
  const grant = (assertion: string) => token({ grant_type: JWT_BEARER, client_id: 'job', assertion })
  const identity = (claims = {}) =>
    assertionOf(key, claimsOf(IDP, 'nobody', { client_id: 'agent', scope: 'openid', ...claims }), {
      typ: 'oauth-id-jag+jwt',
    })
  const act = (assertion: string) => token({ grant_type: JWT_BEARER, assertion }, basic('agent'))
  await happens('assertion_malformed', '400 invalid_grant', grant('a.b.c'))
  await happens('assertion_claims', '400 invalid_grant', grant(jwt(CI, { aud: 'https://other.example' })))
  await happens('assertion_clock', '400 invalid_grant', grant(jwt(CI, { exp: 1_000_000_000 })))
  await happens('assertion_unproven', '400 invalid_grant', grant(jwt(CI, {}, issuerKey(key.kid))))
  await happens('assertion_issuer', '400 invalid_grant', grant(jwt('https://stranger.example.com')))
  await happens('assertion_client', '400 invalid_grant', grant(jwt(CI, { sub: 'another' })))
  await happens('assertion_other_key', '400 invalid_grant', grant(jwt(CI, { cnf: { jkt: 'a'.repeat(43) } })))
  const used = jwt(CI)
  await grant(used)
  await happens('assertion_used', '400 invalid_grant', grant(used))
  await happens('assertion_user', '400 invalid_grant', act(identity()))
  await changeClient(storage, 'job', { set: { assertion_issuer: 'https://away.example.com' } })
  await happens('issuer_keys_away', '503 temporarily_unavailable', grant(jwt('https://away.example.com')))
  const client_assertion = jwt(CI, { sub: 'another' })
  await happens(
    'client_assertion_client',
    '401 invalid_client',
    token({ ...OWN, client_id: 'job', client_assertion, client_assertion_type: CLIENT_ASSERTION_TYPE }),
  )
})

t.test('identity assertions for other servers', async (t) => {
  const service = await startIssuing(t, EXPLAINED)
  const { happens } = happensAt(t, service)
  const { id_token } = await service.signInTo(service.visitor())
  const ask = (given = {}) => askAs(service, 'agent', id_token, given)
  const elsewhere = { audience: 'https://else.example' }
  await happens('exchange_application', '400 invalid_target', ask(elsewhere))
  await service.keep({ allowed_groups: ['chat'] })
  await happens('exchange_group', '400 invalid_request', ask())
  await service.keep({})
  await service.storage.records.forget(SESSION, () => true)
  await happens('exchange_session', '400 invalid_request', ask())
})

t.test('registration', async (t) => {
  const service = await startRegistration(t, { ...EXPLAINED, client_registrations_per_address: 2 })
  const { happens } = happensAt(t, service)
  const { register, read } = service
  const { json } = await register(APP)
  planted.add(json.registration_access_token)
  await happens('registration_token_wrong', '401 invalid_token', read(json, bearer('wrong')))
  await happens(
    'metadata_refused',
    '400 invalid_client_metadata',
    register({ ...APP, grant_types: ['implicit'] }),
  )
  await happens(
    'metadata_redirect_uri',
    '400 invalid_redirect_uri',
    register({ ...APP, redirect_uris: ['http://app.example.com/'] }),
  )
  await register(APP)
  await happens('registrations_limited', '429 temporarily_unavailable', register(APP))
  const invited = await startRegistration(t, { ...EXPLAINED, client_registration: 'invitation' })
  const of_invited = happensAt(t, invited)
  await of_invited.happens('invitation_missing', '401 unauthorized', invited.register(APP))
  await of_invited.happens(
    'invitation_unusable',
    '401 invalid_token',
    invited.register(APP, bearer('a'.repeat(43))),
  )
})

t.test('receivers of security events', async (t) => {
  const service = await startSignals(t, EXPLAINED)
  const { happens } = happensAt(t, service)
  const { ask, create, verify } = service.as('payroll')
  await happens('stream_request_malformed', '400 invalid_request', create({ delivery: {} }))
  await happens('stream_unknown', '404 invalid_request', ask('GET', '/ssf/status?stream_id=none'))
  const { stream_id } = (await create()).json
  await happens('stream_exists', '409 invalid_request', create())
  await verify({ stream_id })
  await happens('stream_limited', '429 temporarily_unavailable', verify({ stream_id }))
  const { access_token } = await service.use(service.visitor(), 'payroll', 'alice', 'openid ssf.manage')
  const authorization = `Bearer ${access_token}`
  await happens('stream_not_allowed', '403 invalid_request', service.get('/ssf/stream', { authorization }))
})

t.test('the admin API', async (t) => {
  const service = await startAdmin(t, { ...EXPLAINED, demo: 'public' })
  const { call, tokenOf, tokenFor, storage, token: ask } = service
  const { happens } = happensAt(t, service)
  await createUser(storage, 'carol', { sub: 'sub-of-carol' })
  await createAdministrator(storage, 'root', 'redmint:read redmint:write')
  await createAdministrator(storage, 'helper', 'redmint:users:read redmint:users:write')
  const token = await tokenOf('redmint:read', 'redmint:write')
  planted.add(token)
  const of = (method: string, path: string, more = {}) => call(method, path, { token, ...more })
  const refused: Reason[] = []
  service.fastify.redmint.refusals.on('refused', ({ reason }) => refused.push(reason))
  // Whoever looks for something pushes no refusal out of the list.
  const isNoRefusal = async (reason: Reason, answered: Promise<unknown>) => {
    await answered
    t.notOk(refused.includes(reason), reason)
    seen.add(reason)
  }
  const etag = String((await of('GET', '/users/carol')).headers.etag)
  const headers = { 'if-match': etag }
  await happens('admin_request_malformed', '400 invalid_request', of('POST', '/users', { body: '{' }))
  await happens('admin_cursor_foreign', '400 invalid_cursor', of('GET', '/users?cursor=a'))
  await happens(
    'admin_scope_missing',
    '403 missing_scope',
    call('GET', '/users', { token: await tokenOf('redmint:clients:read') }),
  )
  await isNoRefusal('admin_record_missing', of('GET', '/users/nobody'))
  await isNoRefusal('admin_record_missing', of('GET', '/explanations/no-such-id'))
  await isNoRefusal('admin_path_unknown', of('GET', '/nothing'))
  await happens('admin_method_unknown', '405 method_not_allowed', of('POST', '/users/carol'))
  await happens('admin_record_exists', '409 exists', of('POST', '/users', { body: { username: 'carol' } }))
  await isNoRefusal(
    'admin_version_stale',
    of('PATCH', '/users/carol', { headers: { 'if-match': '"other"' }, body: { claims: {} } }),
  )
  await happens(
    'admin_version_missing',
    '428 version_required',
    of('PATCH', '/users/carol', { body: { claims: {} } }),
  )
  await happens(
    'admin_media_type',
    '415 unsupported_media_type',
    of('POST', '/users', { body: { username: 'x' }, headers: { 'content-type': 'text/plain' } }),
  )
  await happens(
    'admin_field_invalid',
    '422 invalid_field',
    of('PATCH', '/users/carol', { headers, body: { admin: ['nothing'] } }),
  )
  await happens(
    'admin_field_unknown',
    '422 unknown_field',
    of('PATCH', '/users/carol', { headers, body: { nothing: 1 } }),
  )
  const key = { 'idempotency-key': 'a-key-of-a-test-1' }
  await of('POST', '/users', { body: { username: 'one' }, headers: key })
  await happens(
    'admin_key_reused',
    '422 key_reused',
    of('POST', '/users', { body: { username: 'two' }, headers: key }),
  )
  const helper = await tokenFor('helper', 'redmint:users:read redmint:users:write')
  await happens(
    'admin_right_missing',
    '403 lacks_right',
    call('PATCH', '/users/carol', {
      token: helper,
      headers: { 'if-match': etag },
      body: { admin: ['redmint:read'] },
    }),
  )
  const root = String((await of('GET', '/users/root')).headers.etag)
  await happens(
    'admin_last_administrator',
    '409 last_administrator',
    of('DELETE', '/users/root', { headers: { 'if-match': root } }),
  )
  await changeUser(storage, 'carol', { set: { disabled: 'true' } })
  await happens('admin_state_conflict', '409 conflict', of('POST', '/users/carol/reset-link'))
  const keys = await storage.signing_keys.read()
  const other = new MemoryStorage()
  const settings = { ...service.fastify.redmint.settings, key_encryption_key: Buffer.alloc(32, 1) }
  await maintainSigningKeys(other.signing_keys, settings, new Date())
  await storage.signing_keys.replace(keys, await other.signing_keys.read())
  await happens('settings_differ', '500 misconfigured', of('POST', '/keys/rotate'))
  const { json } = await ask(OWN, basic('service'))
  await happens(
    'token_of_other_audience',
    '401 unauthorized',
    call('GET', '/users', { token: String(json.access_token) }),
  )
  for (let i = 0; i < ADMIN_REQUESTS.per_name; i++) await of('GET', '/limits')
  await happens('admin_limited', '429 too_many_requests', of('GET', '/users'))
})

t.test('a right password that a directory takes no more', async (t) => {
  const directory = await startFakeDirectory(t, [personNamed('carol')], {
    now: ({ ask }, socket, id) => ask === 'bind' && socket.write(resultOf(id, 0x61, 0, { policy: 2 })),
  })
  const service = await scene(t, { ...EXPLAINED, ...directory.settings })
  const { happened } = happensAt(t, service)
  const carol = service.visitor()
  await signInOn(carol, await carol.page(requestUrl()), 'carol', 'password of carol')
  await happened('password_expired')
})

t.test('a provider that fails, that says no, or that knows somebody who is nobody here', async (t) => {
  const answers: { now: Meddle } = { now: async () => undefined }
  const federated = await federate(t, {}, { ...EXPLAINED }, answers)
  const { happened } = happensAt(t, federated)
  const person = federated.person()
  const { location } = await leave(person)
  const state = location.searchParams.get('state') ?? ''
  const denied = new URLSearchParams({ state, error: 'access_denied', iss: UPSTREAM })
  await person.here.open(`/sign-in/acme/callback?${denied}`)
  await happened('upstream_denied')
  const stranger = federated.person()
  await stranger.here.open(await signInThere(stranger, await leave(stranger)))
  await happened('upstream_account')
  const unlucky = federated.person()
  const back = await signInThere(unlucky, await leave(unlucky))
  answers.now = async () => new Response('', { status: 503 })
  await unlucky.here.open(back)
  await happened('upstream_failed')
})

t.test('every reason of the table has happened here (I9)', async (t) => {
  const missing = Object.keys(REASONS).filter((reason) => !seen.has(reason as Reason))
  t.strictSame(missing.sort(), [...ELSEWHERE, ...RACES].sort())
})

t.test('each explanation says what was received or expected, if there is something to say', async (t) => {
  t.strictSame([...bare].sort(), [...NOTHING_TO_SHOW].sort())
})

/** Stores a preview of the client `app`, and returns what a request by it says. */
async function previewOfApp(storage: Storage) {
  const [client_id, redirect_uri] = [newPreviewId(), 'https://pr-1.preview.example.com/callback']
  await changeClient(storage, 'app', { set: { preview_hosts: 'preview.example.com' } })
  const parsed = parseClient('app', (await readClient(storage, 'app')) ?? {})
  if (!parsed.ok) throw new Error('the client is malformed')
  const made = { client_id, redirect_uri, ends: Date.now() + 600_000 }
  await createClient(storage, client_id, previewRecord(parsed.record, made, { refresh_token_ttl: 600 }))
  return { client_id, redirect_uri }
}
