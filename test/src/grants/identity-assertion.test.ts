// Suite: test, proofs
// Identity assertion grants (draft-ietf-oauth-identity-assertion-authz-grant-04): a token for the user that another
// issuer names.

import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { indexUser } from '../../../src/accounts/sign-in-names.ts'
import { formatUser } from '../../../src/accounts/user-record.ts'
import { formatClient } from '../../../src/clients/client-record.ts'
import type { IssuerDefinition } from '../../../src/issuers/issuer-record.ts'
import { forEachService, type PlacedService, type Start } from '../../support/matrix.ts'
import { changeUser, createClient, createUser } from '../../support/records.ts'
import { basic, bearer, CLIENTS, type Service } from '../../support/service.ts'
import {
  assertionOf,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../support/trusted-issuer.ts'
import { until } from '../../support/until.ts'

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

async function trusting(start: Start, definition: Partial<IssuerDefinition> = {}): Promise<PlacedService> {
  const service = await start({ trusted_issuers: true, demo: false })
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

forEachService(t, 'a client gets a token for the user of the assertion', async (t, start, format) => {
  const service = await trusting(start)
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

forEachService(t, 'the scope is that of the assertion, and less on request', async (t, start) => {
  const service = await trusting(start, { scopes: ['chat.read', 'chat.write'] })
  const scopeOf = async (assertion: string, form = {}) => (await grant(service, assertion, form)).json.scope
  t.equal(await scopeOf(identity()), 'chat.read', 'the issuer may grant no openid')
  t.equal(await scopeOf(identity({ scope: 'chat.read chat.write' }), { scope: 'chat.write' }), 'chat.write')
  t.equal(await scopeOf(identity({ scope: undefined })), '', 'an assertion without scope grants none')
  const { json } = await grant(service, identity(), { scope: 'chat.write' })
  t.equal(json.error, 'invalid_scope', 'the assertion has no such scope')
})

forEachService(t, 'an identity assertion is bound to its client, its type and one use', async (t, start) => {
  const service = await trusting(start)
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

forEachService(t, 'the verified e-mail address names the user, if the record says so', async (t, start) => {
  const service = await trusting(start, { account_by: 'verified_email' })
  const byEmail = (overrides: Claims) =>
    identity({ sub: 'x', email: 'ann@EXAMPLE.com', email_verified: true, ...overrides })
  t.equal((await grant(service, byEmail({}))).status, 200)
  await refused(t, service, 'not verified there', byEmail({ email_verified: false }))
  await refused(t, service, 'verified as text', byEmail({ email_verified: 'true' }))
  await refused(t, service, 'no address', byEmail({ email: undefined }))
  await refused(t, service, 'a linked subject alone', identity())
  await refused(t, service, 'a username', byEmail({ email: 'ann' }))
  await changeUser(service.storage, 'ann', { set: { email_verified: 'false' } })
  await refused(t, service, 'not verified here', byEmail({}))
})

forEachService(t, 'a link of two accounts names none, and the record decides', async (t, start) => {
  const service = await trusting(start)
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
