// Identity assertion grants (draft-ietf-oauth-identity-assertion-authz-grant-04): a token for the user that another
// issuer names.

import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import type { IssuerDefinition } from '../../../../src/issuers/issuer-record.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { formatUser } from '../../../../src/users/user-record.ts'
import { changeClient, changeUser, createClient, createUser } from '../../../support/records.ts'
import {
  basic,
  bearer,
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
  trust,
} from '../../../support/trusted-issuer.ts'
import { until } from '../../../support/until.ts'

const IDP = 'https://idp.example.com'
const KEY = issuerKey()
const AGENT = {
  ...CLIENTS.web,
  client_id: 'agent',
  allowed_scopes: ['openid', 'email', 'chat.read', 'chat.write'],
  grant_types: [JWT_BEARER],
} as const
const GIVEN = { client_id: 'agent', scope: 'openid chat.read chat.history' }

const identity = (overrides: Claims = {}, header: Claims = {}) =>
  assertionOf(KEY, claimsOf(IDP, '00u1', { ...GIVEN, ...overrides }), { typ: 'oauth-id-jag+jwt', ...header })

const grant = ({ token }: Service, assertion: string, form: Record<string, string> = {}, client = 'agent') =>
  token({ grant_type: JWT_BEARER, assertion, ...form }, basic(client))

async function trusting(t: Test, definition: Partial<IssuerDefinition> = {}, options: TestOptions = {}) {
  const service = await startService(t, { trusted_issuers: true, demo: false, ...options })
  const { storage } = service
  await trust(storage, KEY, { issuer: IDP, profile: 'id-jag', ...definition })
  await createClient(storage, 'agent', formatClient(AGENT))
  await createUser(storage, 'ann', {
    ...formatUser({ sub: 'sub-of-ann', linked_subjects: [`${IDP}#00u1`], claims: {} }),
    email: 'Ann@example.com',
    email_verified: 'true',
  })
  await indexUser(storage, 'ann')
  return service
}

async function refused(t: Test, service: Service, name: string, assertion: string, error = 'invalid_grant') {
  const { json } = await grant(service, assertion)
  t.match(json, { error, access_token: undefined }, name)
}

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`a client gets a token for the user of the assertion, ${format}`, async (t) => {
    const service = await trusting(t, {}, { access_token_format: format })
    const { get, post } = service
    const { status, json } = await grant(service, identity())
    t.equal(status, 200)
    t.strictSame(Object.keys(json).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
    t.equal(json.scope, 'openid chat.read', 'what both the issuer and the client allow')
    const issued = String(json.access_token)
    if (format === 'jwt') t.equal(decodeJwt(issued).sub, 'sub-of-ann')
    t.match((await get('/userinfo', bearer(issued))).json, { sub: 'sub-of-ann' })
    const introspect = async () => (await post('/oauth2/introspect', { token: issued }, basic('agent'))).json
    t.match(await introspect(), { active: true, sub: 'sub-of-ann', client_id: 'agent' })
    await changeUser(service.storage, 'ann', { set: { disabled: 'true' } })
    await until('the token ends with the account', async () => (await introspect()).active === false)
    await refused(t, service, 'a disabled account', identity())
  })
}

t.test('the scope is that of the assertion, and less on request', async (t) => {
  const service = await trusting(t, { scopes: ['chat.read', 'chat.write'] })
  const scopeOf = async (assertion: string, form = {}) => (await grant(service, assertion, form)).json.scope
  t.equal(await scopeOf(identity()), 'chat.read', 'the issuer may grant no openid')
  t.equal(await scopeOf(identity({ scope: 'chat.read chat.write' }), { scope: 'chat.write' }), 'chat.write')
  t.equal(await scopeOf(identity({ scope: undefined })), '', 'an assertion without scope grants none')
  const { json } = await grant(service, identity(), { scope: 'chat.write' })
  t.equal(json.error, 'invalid_scope', 'the assertion has no such scope')
})

t.test('an identity assertion is bound to its client, its type and one use', async (t) => {
  const service = await trusting(t)
  await refused(t, service, 'another client_id', identity({ client_id: 'web' }))
  await refused(t, service, 'no client_id', identity({ client_id: undefined }))
  await refused(t, service, 'a list of clients', identity({ client_id: ['agent'] }))
  for (const typ of ['JWT', undefined, 'at+jwt', 'logout+jwt']) {
    await refused(t, service, `typ ${typ}`, identity({}, { typ }))
  }
  await refused(t, service, 'an unknown user', identity({ sub: '00u2' }))
  const assertion = identity()
  const answers = await Promise.all([1, 2, 3].map(() => grant(service, assertion)))
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 400, 400])
  const without = await service.token({ grant_type: JWT_BEARER, assertion: identity(), client_id: 'agent' })
  t.match(without.json, { error: 'invalid_grant' }, 'the client does not authenticate')
  const careless = { ...AGENT, client_id: 'careless', assertion_issuer: IDP, assertion_subject: '**' }
  await createClient(service.storage, 'careless', formatClient(careless))
  const unproven = {
    grant_type: JWT_BEARER,
    assertion: identity({ client_id: 'careless' }),
    client_id: 'careless',
  }
  t.match((await service.token(unproven)).json, { error: 'invalid_grant' }, 'nor by the assertion itself')
  const authentication = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' }
  const form = {
    grant_type: JWT_BEARER,
    assertion: identity(),
    client_assertion: identity(),
    ...authentication,
  }
  t.match((await service.token(form)).json, { error: 'invalid_client' }, 'it authenticates no client')
})

t.test('a user of a tenant is one only if the record says of which', async (t) => {
  const any = await trusting(t)
  for (const tenant of ['acme', '', null, 7]) await refused(t, any, `${tenant}`, identity({ tenant }))
  t.equal((await grant(any, identity())).status, 200, 'without tenants a sub is unique')
  for (const condition of ['tenant=acme', '/tenant=acme']) {
    const acme = await trusting(t, { conditions: [condition] })
    t.equal((await grant(acme, identity({ tenant: 'acme' }))).status, 200, condition)
    await refused(t, acme, 'the same sub in another tenant', identity({ tenant: 'evil' }))
    await refused(t, acme, 'the same sub without a tenant', identity())
  }
  const inner = await trusting(t, { conditions: ['/org/tenant=acme'] })
  await refused(t, inner, 'another claim', identity({ tenant: 'acme', org: { tenant: 'acme' } }))
})

t.test('the verified e-mail address names the user, if the record says so', async (t) => {
  const service = await trusting(t, { account_by: 'verified_email' })
  const byEmail = (overrides: Claims) =>
    identity({ sub: 'x', email: 'ann@EXAMPLE.com', email_verified: true, ...overrides })
  t.equal((await grant(service, byEmail({}))).status, 200)
  await refused(t, service, 'not verified there', byEmail({ email_verified: false }))
  await refused(t, service, 'verified as text', byEmail({ email_verified: 'true' }))
  await refused(t, service, 'no address', byEmail({ email: undefined }))
  await refused(t, service, 'a linked subject alone', identity())
  await refused(t, service, 'a username', byEmail({ email: 'ann' }))
  for (const email of [
    'ａnn@example.com',
    'a\u200Bnn@example.com',
    'ann@example\uFF0Ecom',
    'ann@example.com ',
  ])
    await refused(t, service, `only looks like it: ${email}`, byEmail({ email }))
  await changeUser(service.storage, 'ann', { set: { email_verified: 'false' } })
  await refused(t, service, 'not verified here', byEmail({}))
})

t.test('a link of two accounts names none, and the record decides', async (t) => {
  const service = await trusting(t)
  const { storage } = service
  const link = { linked_subjects: `${IDP}#00u1` }
  await createUser(storage, 'bob', { sub: 'sub-of-bob', ...link })
  await indexUser(storage, 'bob')
  await refused(t, service, 'two accounts', identity())
  await changeUser(storage, 'bob', { set: {}, unset: ['linked_subjects'] })
  await indexUser(storage, 'bob', link)
  t.equal((await grant(service, identity())).status, 200)
  await changeUser(storage, 'ann', { set: {}, unset: ['linked_subjects'] })
  await until('the index alone is not enough', async () => (await grant(service, identity())).status === 400)
})

const CHAT = 'https://CHAT.example.com/v1'
const FILES = 'https://files.example.com/'

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`the token says when the user signed in only if the assertion does, ${format}`, async (t) => {
    const service = await trusting(t, {}, { access_token_format: format })
    const now = Math.floor(Date.now() / 1000)
    const auth_time = now - 86_400
    for (const [name, claims, expected] of [
      ['absent', {}, undefined],
      ['yesterday', { auth_time }, auth_time],
      ['with a fraction', { auth_time: auth_time + 0.9 }, auth_time],
      ['by a clock that is ahead', { auth_time: now + 20 }, now + 20],
    ] as const) {
      const { json } = await grant(service, identity(claims))
      const token = String(json.access_token)
      const { json: facts } = await service.post('/oauth2/introspect', { token }, basic('agent'))
      t.match(facts, { active: true, sub: 'sub-of-ann' }, name)
      t.equal(facts.auth_time, expected, name)
      if (format === 'jwt') t.equal(decodeJwt(token).auth_time, expected, `${name}, in the JWT`)
    }
    for (const auth_time of [String(now), null, [now], now + 3600]) {
      await refused(t, service, `auth_time ${JSON.stringify(auth_time)}`, identity({ auth_time }))
    }
  })
}

/** A service that trusts the issuer and knows two resources. */
async function withResources(t: Test): Promise<Service> {
  const service = await trusting(t)
  const { records } = service.storage
  for (const [id, hash] of [
    ['https://chat.example.com/v1', { resource: CHAT, scopes: 'chat.read' }],
    ['https://files.example.com', { resource: FILES, scopes: 'chat.write' }],
  ] as const) {
    await records.put({ kind: RESOURCE, id, hash })
  }
  return service
}

async function audienceOf({ post }: Service, token: unknown) {
  return (await post('/oauth2/introspect', { token: String(token) }, basic('agent'))).json.aud
}

t.test('the token is for the resource of the assertion, as registered', async (t) => {
  const service = await withResources(t)
  const scope = 'openid chat.read chat.write'
  const [chat, both] = [
    { scope, resource: 'https://chat.example.com:443/v1' },
    [CHAT, 'https://files.example.com'],
  ]
  for (const [name, claims, form, audience, granted] of [
    ['of the claim alone', chat, {}, CHAT, 'openid chat.read'],
    ['of the claim and the request', chat, { resource: CHAT }, CHAT, 'openid chat.read'],
    ['a list of one', { scope, resource: [FILES] }, {}, FILES, 'openid chat.write'],
    ['one of a list', { scope, resource: both }, { resource: FILES }, FILES, 'openid chat.write'],
    ['an empty list', { scope, resource: [] }, {}, undefined, scope],
  ] as const) {
    const { status, json } = await grant(service, identity(claims), form)
    t.match({ status, json }, { status: 200, json: { scope: granted } }, name)
    t.equal(await audienceOf(service, json.access_token), audience, name)
  }
})

t.test('a resource that the assertion is not for is refused, and spends nothing', async (t) => {
  const service = await withResources(t)
  const spared: [
    name: string,
    claims: Claims,
    form: Record<string, string>,
    right?: Record<string, string>,
  ][] = [
    ['another resource', { resource: CHAT }, { resource: FILES }],
    ['an unknown one in the request', { resource: CHAT }, { resource: 'https://unknown.example.com' }],
    ['none in the assertion', {}, { resource: CHAT }],
    ['one of two is not named', { resource: [CHAT, FILES] }, {}, { resource: CHAT }],
  ]
  for (const [name, claims, form, right = {}] of spared) {
    const assertion = identity(claims)
    t.match(await grant(service, assertion, form), { status: 400, json: { error: 'invalid_target' } }, name)
    t.equal((await grant(service, assertion, right)).status, 200, `${name}: the assertion is good`)
  }
  const files = await grant(service, identity({ resource: CHAT }), { resource: CHAT, scope: 'chat.write' })
  t.match(files.json.error_description, /does not have the requested scope: chat\.write\./)
  const unknown = ['https://unknown.example.com', `${CHAT}#part`, '', 'chat']
  for (const resource of [...unknown, [CHAT, 'https://unknown.example.com']]) {
    await refused(t, service, `resource ${resource}`, identity({ resource }), 'invalid_target')
  }
  for (const resource of [7, { uri: CHAT }, [CHAT, 7], [[CHAT]], null, `${CHAT} ${FILES}`]) {
    await refused(t, service, `resource ${JSON.stringify(resource)}`, identity({ resource }))
  }
})

t.test('L1: a user who may not use the client gets no token by an assertion', async (t) => {
  const service = await trusting(t)
  const { storage, log, post } = service
  await changeClient(storage, 'agent', { set: { allowed_groups: 'staff' } })
  await changeUser(storage, 'ann', { set: { 'claim:groups': '["staff"]' } })
  const { json } = await grant(service, identity())
  const { access_token } = json
  t.type(access_token, 'string')
  const introspect = async () =>
    (await post('/oauth2/introspect', { token: String(access_token) }, basic('agent'))).json
  t.match(await introspect(), { active: true })
  await changeUser(storage, 'ann', { set: { 'claim:groups': '["guests"]' } })
  await until('the token ends', async () => (await introspect()).active === false)
  t.match((await grant(service, identity())).json, {
    error: 'invalid_grant',
    error_description: 'The assertion is refused: its user may not use this client.',
  })
  const event = { event: 'access_refused', at: 'assertion', client_id: 'agent', username: 'ann' }
  t.match(JSON.parse(log.findLast((line) => line.includes('access_refused')) ?? '{}'), event)
})

t.test('the acr of an assertion has to be what the client demands', async (t) => {
  const service = await trusting(t)
  const { storage } = service
  await changeClient(storage, 'agent', { set: { required_acr: '2 phr' } })
  const weak = {
    status: 400,
    json: { error: 'invalid_grant', error_description: /its acr is none of those/ },
  }
  for (const acr of [undefined, '1', '', '2 phr', 2, ['phr']])
    t.match(await grant(service, identity({ acr })), weak, JSON.stringify(acr))
  for (const acr of ['2', 'phr']) t.equal((await grant(service, identity({ acr }))).status, 200, acr)
})

t.test('no assertion gives a right at the admin API', async (t) => {
  const service = await trusting(t, {}, { admin_api: 'on' })
  const { storage } = service
  const rights = 'redmint:read redmint:write'
  const resource = `${ISSUER}/admin/v1`
  await changeUser(storage, 'ann', { set: { admin: rights } })
  await changeClient(storage, 'agent', { set: { allowed_scopes: `openid ${rights}` } })
  for (const scope of [rights, 'redmint:read', undefined]) {
    const { json } = await grant(service, identity({ resource, scope: rights }), {
      resource,
      ...(scope !== undefined && { scope }),
    })
    t.notMatch(String(json.scope ?? ''), /redmint:/, String(scope))
    if (scope !== undefined) t.match(json.error, /invalid_scope|invalid_target/, scope)
  }
})
