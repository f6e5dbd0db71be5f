// The JWT bearer grant for workloads (RFC 7523 §2.1): each rule with an assertion that meets it and one that breaks it.

import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import type { IssuerDefinition } from '../../../../src/issuers/issuer-record.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { createClient } from '../../../support/records.ts'
import {
  basic,
  CLIENTS,
  ISSUER,
  type Service,
  startService,
  type TestOptions,
} from '../../../support/service.ts'
import {
  assertionOf,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  keySetOf,
  trust,
  trustAt,
} from '../../../support/trusted-issuer.ts'

const URL = 'https://ci.example.com'
const KEY = issuerKey()
const SUBJECT = 'repo:acme/shop:ref:refs/heads/main'
const CLIENT = {
  client_id: 'deploy',
  client_name: 'Deployment',
  is_public: false,
  redirect_uris: [],
  allowed_scopes: ['api.read', 'api.write', 'openid'],
  grant_types: [JWT_BEARER],
  assertion_issuer: URL,
  assertion_subject: 'repo:acme/shop:ref:refs/heads/**',
  assertion_claims: ['repository=acme/shop'],
} as const
const OF_JOB = { repository: 'acme/shop' }

async function trusting(t: Test, definition: Partial<IssuerDefinition> = {}, options: TestOptions = {}) {
  const service = await startService(t, { trusted_issuers: true, ...options })
  await trust(service.storage, KEY, { issuer: URL, ...definition })
  await createClient(service.storage, 'deploy', formatClient(CLIENT))
  return service
}

const jobAssertion = (overrides: Claims = {}, header: Claims = {}) =>
  assertionOf(KEY, claimsOf(URL, SUBJECT, { ...OF_JOB, ...overrides }), header)

const grant = ({ token }: Service, assertion: string, form: Record<string, string> = {}) =>
  token({ grant_type: JWT_BEARER, client_id: 'deploy', assertion, ...form })

async function refused(t: Test, service: Service, name: string, assertion: string) {
  const { status, json } = await grant(service, assertion)
  t.match({ status, json }, { status: 400, json: { error: 'invalid_grant' } }, name)
  t.notOk(Object.hasOwn(json, 'access_token'), name)
}

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`a workload gets a token for itself, ${format}`, async (t) => {
    const service = await trusting(t, {}, { access_token_format: format })
    const { status, json } = await grant(service, jobAssertion())
    t.equal(status, 200)
    t.strictSame(Object.keys(json).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
    t.equal(json.scope, 'api.read api.write openid', 'allowed_scopes')
    const issued = String(json.access_token)
    const { sub, subject } =
      format === 'jwt'
        ? decodeJwt<Claims>(issued)
        : ((await service.storage.families.findToken(issued)) ?? {})
    t.equal(format === 'jwt' ? sub : subject, format === 'jwt' ? 'deploy' : '')
    const narrowed = await grant(service, jobAssertion(), { scope: 'api.read' })
    t.equal(narrowed.json.scope, 'api.read')
    for (const scope of ['api.admin', 'profile']) {
      const { json } = await grant(service, jobAssertion(), { scope })
      t.equal(json.error, 'invalid_scope', scope)
    }
  })
}

t.test('a workload names the resource of its token in the request', async (t) => {
  const service = await trusting(t)
  const gateway = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }
  await createClient(service.storage, 'gateway', formatClient(gateway))
  const [id, audience] = ['https://orders.example.com/v1', 'https://ORDERS.example.com/v1']
  await service.storage.records.put({ kind: RESOURCE, id, hash: { resource: audience, scopes: 'api.read' } })
  // A claim of that name says nothing here: the client says what it may do.
  const assertion = jobAssertion({ resource: 'https://other.example.com' })
  const unknown = await grant(service, assertion, { resource: 'https://unknown.example.com' })
  t.match(unknown, { status: 400, json: { error: 'invalid_target' } })
  const { status, json } = await grant(service, assertion, { resource: id })
  t.match({ status, json }, { status: 200, json: { scope: 'api.read' } }, 'the assertion was not spent')
  const token = String(json.access_token)
  t.equal((await service.post('/oauth2/introspect', { token }, basic('gateway'))).json.aud, audience)
})

t.test('an assertion is accepted once, unless its issuer says otherwise', async (t) => {
  const service = await trusting(t)
  const assertion = jobAssertion()
  const answers = await Promise.all(Array.from({ length: 5 }, () => grant(service, assertion)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { json } of answers.filter(({ status }) => status !== 200)) t.equal(json.error, 'invalid_grant')
  t.match(service.log.join(''), '"event":"assertion_replayed"')
  await refused(t, service, 'without a jti', jobAssertion({ jti: undefined }))

  await trustAt(service, KEY, { issuer: URL, reusable: true })
  const again = jobAssertion({ jti: undefined })
  t.equal((await grant(service, again)).status, 200)
  t.equal((await grant(service, again)).status, 200)

  // A JWT of a workload leaves nothing in storage.
  const jwts = await trusting(t, { reusable: true }, { access_token_format: 'jwt' })
  let written = 0
  jwts.storage.families.grantOnce = async () => {
    written += 1
    return 'ok'
  }
  t.equal((await grant(jwts, again)).status, 200)
  t.equal(written, 0)
})

t.test('an assertion is for this server, and lives for a short time', async (t) => {
  const at = Date.now()
  const service = await trusting(t, { clock_skew: 10, max_lifetime: 300 }, { now: () => at })
  const now = Math.floor(at / 1000)
  const accepted: [name: string, overrides: Claims][] = [
    ['an array with the one audience', { aud: [ISSUER] }],
    ['expired within the skew', { exp: now - 5 }],
    ['issued and valid in a moment', { iat: now + 5, nbf: now + 5 }],
    ['without iat', { iat: undefined }],
    ['as long as allowed', { iat: now, exp: now + 300 }],
  ]
  for (const [name, overrides] of accepted) {
    t.equal((await grant(service, jobAssertion(overrides))).status, 200, name)
  }
  const broken: [name: string, overrides: Claims][] = [
    ['no audience', { aud: undefined }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['two audiences', { aud: [ISSUER, 'https://other.example.com'] }],
    ['the same audience twice', { aud: [ISSUER, ISSUER] }],
    ['an empty list of audiences', { aud: [] }],
    ['the token endpoint', { aud: `${ISSUER}/oauth2/token` }],
    ['the audience with a slash', { aud: `${ISSUER}/` }],
    ['no exp', { exp: undefined }],
    ['an exp as text', { exp: String(now + 60) }],
    ['expired', { exp: now - 60 }],
    ['too long from iat', { iat: now - 200, exp: now + 200 }],
    ['too long from now', { iat: undefined, exp: now + 400 }],
    ['not valid yet', { nbf: now + 60 }],
    ['issued in the future', { iat: now + 60 }],
    ['no sub', { sub: undefined }],
    ['a sub that is no text', { sub: 7 }],
    ['a jti that is no text', { jti: 7 }],
    ['another issuer', { iss: 'https://other.example.com' }],
    ['its issuer with a slash', { iss: `${URL}/` }],
    ['no issuer', { iss: undefined }],
  ]
  for (const [name, overrides] of broken) await refused(t, service, name, jobAssertion(overrides))
  // RFC 8725 §3.11: one that was made to authenticate a client is no grant.
  for (const typ of ['client-authentication+jwt', 'at+jwt', 'oauth-id-jag+jwt']) {
    await refused(t, service, `typ ${typ}`, jobAssertion({}, { typ }))
  }
  // RFC 7515 §4.1.4 and §4.1.9: strings. The issuer has one key for the algorithm, so that no kid is needed.
  for (const wrong of [{ typ: 1 }, { typ: null }, { kid: 1 }, { kid: null }])
    await refused(t, service, JSON.stringify(wrong), jobAssertion({}, wrong))
})

t.test('what the record says of its assertions', async (t) => {
  const service = await trusting(t, {
    audience: 'sts',
    algorithms: ['RS256'],
    conditions: ['repository_owner=acme'],
    uses: ['grant'],
    jwks: keySetOf(KEY),
  })
  const right = { aud: 'sts', repository_owner: 'acme' }
  await refused(t, service, 'an algorithm that it may not have', jobAssertion(right))
  const update = async (definition: Partial<IssuerDefinition>) => {
    const given = { issuer: URL, audience: 'sts', conditions: ['repository_owner=acme'] }
    await trustAt(service, KEY, { ...given, ...definition })
  }
  await update({})
  t.equal((await grant(service, jobAssertion(right))).status, 200)
  await refused(t, service, 'a condition of the issuer', jobAssertion({ ...right, repository_owner: 'evil' }))
  await refused(t, service, 'the issuer of this server', jobAssertion({ ...right, aud: ISSUER }))
  await update({ uses: ['client_authentication'] })
  await refused(t, service, 'not for grants', jobAssertion(right))
  await update({ disabled: true })
  await refused(t, service, 'a disabled issuer', jobAssertion(right))
})

t.test('the client says which assertions are about it', async (t) => {
  const service = await trusting(t)
  for (const sub of [
    'repo:acme/other:ref:refs/heads/main',
    'repo:acme/shop:pull_request',
    'deploy',
    `x${SUBJECT}`,
  ]) {
    await refused(t, service, sub, jobAssertion({ sub }))
  }
  await refused(t, service, 'a claim', jobAssertion({ repository: 'acme/fork' }))
  await refused(t, service, 'no claim', jobAssertion({ repository: undefined }))
  await refused(t, service, 'a list', jobAssertion({ repository: ['acme/shop'] }))
  for (const client_id of ['service', 'nobody', 'app']) {
    const { json } = await grant(service, jobAssertion(), { client_id })
    t.equal(json.error, 'invalid_grant', client_id)
  }
  // RFC 7523 §3: without another word the sub is the client_id.
  const own = {
    ...CLIENT,
    client_id: 'spiffe://acme.test/shop',
    assertion_subject: undefined,
    assertion_claims: [],
  }
  const { assertion_subject: _, ...plain } = own
  await createClient(service.storage, plain.client_id, formatClient(plain))
  const assertion = assertionOf(KEY, claimsOf(URL, plain.client_id))
  t.equal((await service.token({ grant_type: JWT_BEARER, assertion })).status, 200)
})

t.test('a client with a secret uses it with the assertion', async (t) => {
  const service = await trusting(t)
  const { storage, token } = service
  const both = { ...CLIENT, client_id: 'both', client_secret_hash: CLIENTS.web.client_secret_hash }
  await createClient(storage, 'both', formatClient(both))
  const form = () => ({ grant_type: JWT_BEARER, assertion: jobAssertion() })
  t.equal((await token(form(), basic('both'))).status, 200)
  t.equal((await token(form(), basic('both', 'wrong-secret-of-both'))).json.error, 'invalid_client')
  t.equal(
    (await token(form(), basic('web'))).json.error,
    'invalid_grant',
    'an assertion about another client',
  )
  const { status, json } = await token({ ...form(), client_id: 'app' })
  t.match({ status, json }, { status: 400, json: { error: 'invalid_grant' } }, 'a public client')
  const unregistered = { ...CLIENT, client_id: 'unregistered', grant_types: ['client_credentials'] } as const
  await createClient(storage, 'unregistered', formatClient(unregistered))
  t.equal((await token({ ...form(), client_id: 'unregistered' })).json.error, 'unauthorized_client')
})

t.test('the grant is part of the service only with TRUSTED_ISSUERS', async (t) => {
  const metadata = async (trusted_issuers: boolean): Promise<Claims> => {
    const service = await startService(t, { trusted_issuers })
    const { json } = await grant(service, jobAssertion())
    return { error: json.error, ...(await service.get('/.well-known/oauth-authorization-server')).json }
  }
  const off = await metadata(false)
  t.equal(off.error, 'unsupported_grant_type')
  t.notOk((off.grant_types_supported as string[]).includes(JWT_BEARER))
  t.notOk(Object.hasOwn(off, 'authorization_grant_profiles_supported'))
  const on = await metadata(true)
  t.equal(on.error, 'invalid_grant')
  t.ok((on.grant_types_supported as string[]).includes(JWT_BEARER))
  t.strictSame(on.authorization_grant_profiles_supported, ['urn:ietf:params:oauth:grant-profile:id-jag'])
})
