// Client authentication by assertions of trusted issuers (RFC 7523 §2.2), at each endpoint that authenticates clients.

import t, { type Test } from 'tap'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { createClient } from '../../../../support/records.ts'
import { basic, CLIENTS, SECRET, type Service, startService } from '../../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
  trustAt,
} from '../../../../support/trusted-issuer.ts'

const CLUSTER = 'https://cluster.example.com'
const KEY = issuerKey()
const SUBJECT = 'system:serviceaccount:prod:billing'
const CLIENT = {
  client_id: 'billing',
  client_name: 'Billing',
  is_public: false,
  redirect_uris: [],
  allowed_scopes: ['api.read'],
  grant_types: ['client_credentials', JWT_BEARER],
  can_introspect: true,
  assertion_issuer: CLUSTER,
  assertion_subject: SUBJECT,
} as const

const assertion = (overrides: Claims = {}, header: Claims = {}) =>
  assertionOf(KEY, claimsOf(CLUSTER, SUBJECT, overrides), header)
const proof = (jwt = assertion()) => ({ client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion: jwt })
const credentials = ({ token }: Service, form: Record<string, string>, headers = {}) =>
  token({ grant_type: 'client_credentials', client_id: 'billing', ...form }, headers)

async function trusting(t: Test): Promise<Service> {
  const service = await startService(t, { trusted_issuers: true })
  await trust(service.storage, KEY, { issuer: CLUSTER })
  await createClient(service.storage, 'billing', formatClient(CLIENT))
  return service
}

t.test('a workload authenticates at every endpoint', async (t) => {
  const service = await trusting(t)
  const { status, json } = await credentials(service, proof())
  t.match({ status, json }, { status: 200, json: { scope: 'api.read' } })
  const issued = { token: String(json.access_token), client_id: 'billing' }
  const { json: found } = await service.post('/oauth2/introspect', { ...issued, ...proof() })
  t.match(found, { active: true, client_id: 'billing' })
  t.equal((await service.post('/oauth2/revoke', { ...issued, ...proof() })).status, 200)
  t.equal((await service.post('/oauth2/introspect', issued)).status, 401, 'not without')
  const typed = proof(assertion({}, { typ: 'client-authentication+jwt' }))
  t.equal((await credentials(service, typed)).status, 200, 'with the type that says what it is for')
})

t.test('an assertion authenticates once, for whatever it is used', async (t) => {
  const service = await trusting(t)
  const once = proof()
  const answers = await Promise.all([1, 2, 3, 4].map(() => credentials(service, once)))
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
  t.match(service.log.join(''), '"event":"assertion_replayed"')
  const spent = { grant_type: JWT_BEARER, client_id: 'billing', assertion: once.client_assertion }
  t.equal((await service.token(spent)).json.error, 'invalid_grant', 'nor is it a grant')
  const same = assertion()
  const both = { grant_type: JWT_BEARER, client_id: 'billing', assertion: same, ...proof(same) }
  t.equal((await service.token(both)).json.error, 'invalid_grant', 'one cannot be both')
  await trustAt(service, KEY, { issuer: CLUSTER, reusable: true })
  const reused = proof(assertion({ jti: undefined }))
  for (let i = 0; i < 2; i += 1) t.equal((await credentials(service, reused)).status, 200)
})

t.test('any other assertion, and any other credential beside it, is refused', async (t) => {
  const service = await trusting(t)
  const clients = [{ client_id: 'nobody' }, { client_id: 'service' }, { client_id: 'app' }]
  for (const other of clients) {
    t.match(
      (await credentials(service, { ...proof(), ...other })).json,
      { error: 'invalid_client' },
      other.client_id,
    )
  }
  const broken: [name: string, jwt: string][] = [
    ['another sub', assertion({ sub: 'system:serviceaccount:dev:billing' })],
    ['another audience', assertion({ aud: 'https://kubernetes.default.svc' })],
    ['expired', assertion({ exp: 1 })],
    ['an identity assertion', assertion({}, { typ: 'oauth-id-jag+jwt' })],
    ['an access token', assertion({}, { typ: 'at+jwt' })],
    ['no JWT', 'x'],
  ]
  for (const [name, jwt] of broken) {
    const { status, json, headers } = await credentials(service, proof(jwt))
    t.match({ status, json }, { status: 401, json: { error: 'invalid_client' } }, name)
    t.match(headers['www-authenticate'], /^Basic/, name)
  }
  const mixed: [name: string, form: Record<string, string>, headers: object][] = [
    ['a secret', { ...proof(), client_secret: SECRET }, {}],
    ['Basic', proof(), basic('billing')],
    ['no type', { client_assertion: assertion() }, {}],
    ['no assertion', { client_assertion_type: CLIENT_ASSERTION_TYPE }, {}],
  ]
  for (const [name, form, headers] of mixed) {
    t.equal((await credentials(service, form, headers)).json.error, 'invalid_request', name)
  }
  const saml = {
    ...proof(),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
  }
  t.equal((await credentials(service, saml)).json.error, 'invalid_client', 'another type')
  t.equal((await credentials(service, {})).json.error, 'invalid_client', 'no credentials')
  t.equal(
    (await credentials(service, { client_secret: SECRET })).json.error,
    'invalid_client',
    'a secret alone',
  )
})

t.test('the sub is the client_id where the record names no other', async (t) => {
  const service = await trusting(t)
  const { assertion_subject: _, ...client } = { ...CLIENT, client_id: SUBJECT }
  await createClient(service.storage, SUBJECT, formatClient(client))
  const form = { grant_type: 'client_credentials', ...proof() }
  t.equal((await service.token(form)).status, 200, 'without client_id (RFC 7521 §4.2)')
})

t.test('assertions are refused without TRUSTED_ISSUERS', async (t) => {
  const service = await startService(t)
  await trust(service.storage, KEY, { issuer: CLUSTER })
  const client = { ...CLIENT, client_secret_hash: CLIENTS.web.client_secret_hash }
  await createClient(service.storage, 'billing', formatClient(client))
  const { json } = await credentials(service, proof())
  t.match(json, { error: 'invalid_client', error_description: /this server trusts no other issuers/ })
  t.equal((await credentials(service, {}, basic('billing'))).status, 200, 'its secret works')
})
