// Tokens of trusted issuers as the subject of an exchange.
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import type { IssuerDefinition } from '../../../../src/issuers/issuer-record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { formatUser } from '../../../../src/users/user-record.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { BILLING, exchangeAs, MAIL, ORDERS, startChain } from '../../../support/exchange.ts'
import { forEachService, type Lifecycle, type Start, startReplica } from '../../../support/lifecycle.ts'
import { changeClient, changeUser, createUser } from '../../../support/records.ts'
import { basic, ISSUER, type TestOptions } from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
  trust,
  trustAt,
} from '../../../support/trusted-issuer.ts'
import { until } from '../../../support/until.ts'

const BOTH = ['memory', 'redis'] as const
const IDP = 'https://idp.example.com'
const KEY = issuerKey()
const RECORD: IssuerDefinition = { issuer: IDP, exchange: true }
const ORDERS_ACTS = { sub: 'orders', client_id: 'orders' }

const tokenOf = (overrides: Claims = {}, header: Claims = {}, key = KEY) =>
  assertionOf(key, claimsOf(IDP, '00u1', { scope: 'openid api.read api.write', ...overrides }), header)

async function trusting(start: Start, definition: Partial<IssuerDefinition> = {}, options: TestOptions = {}) {
  const service = await startChain(start, { trusted_issuers: true, ...options })
  await trust(service.storage, KEY, { ...RECORD, ...definition })
  await createUser(service.storage, 'ann', {
    ...formatUser({ sub: 'sub-of-ann', linked_subjects: [`${IDP}#00u1`], claims: {} }),
    email: 'ann@example.com',
    email_verified: 'true',
  })
  await indexUser(service.storage, 'ann')
  return service
}

const trustingHere = (t: Test, definition: Partial<IssuerDefinition> = {}, options: TestOptions = {}) =>
  trusting((given) => startReplica(t, { open: () => new MemoryStorage() }, given), definition, options)

const exchange = (
  service: Pick<Lifecycle, 'token'>,
  subject_token: string,
  given: Record<string, string | undefined> = {},
) => exchangeAs(service, 'orders', subject_token, { subject_token_type: TOKEN_TYPE.jwt, ...given })

const revoke = (service: Lifecycle, token: string) =>
  service.post('/oauth2/revoke', { token }, basic('orders'))

const REFUSED = { status: 400, json: { error: 'invalid_request', access_token: undefined } }

forEachService(
  'T12: a client acts for the person whom a trusted issuer names, in front of those who acted there',
  async (t, start, _place, format) => {
    const service = await trusting(start)
    const act = {
      sub: 'gateway',
      client_id: 'admin',
      name: 'A gateway',
      act: { sub: 'admin', iss: 'https://far.example' },
    }
    const iat = Math.floor(service.now() / 1000)
    const subject = tokenOf({ act, auth_time: 1_700_000_000, acr: 'mfa', iat, exp: iat + 100 })
    const { status, json } = await exchange(service, subject)
    t.match(
      { status, json },
      {
        status: 200,
        json: {
          issued_token_type: TOKEN_TYPE.access_token,
          scope: 'api.read api.write',
          refresh_token: undefined,
        },
      },
    )
    t.ok(Number(json.expires_in) <= 100, 'no longer than the token of the issuer')
    const issued = String(json.access_token)
    const kept = {
      ...ORDERS_ACTS,
      act: {
        sub: 'gateway',
        client_id: 'admin',
        iss: IDP,
        act: { sub: 'admin', iss: 'https://far.example' },
      },
    }
    const seen = async (token = issued) => (await service.introspect('gateway', token)).json
    t.match(await seen(), {
      active: true,
      sub: 'sub-of-ann',
      client_id: 'orders',
      aud: BILLING,
      auth_time: 1_700_000_000,
      acr: 'mfa',
    })
    t.strictSame((await seen()).act, kept)
    if (format === 'jwt') t.strictSame(decodeJwt(issued).act, kept)
    t.match(await exchange(service, subject), REFUSED, 'it counts once')

    const next = await exchangeAs(service, 'billing', issued, { resource: MAIL })
    t.match(next, { status: 200, json: { scope: 'api.read' } })
    const derived = String(next.json.access_token)
    t.strictSame((await seen(derived)).act, { sub: 'billing', client_id: 'billing', act: kept })
    await revoke(service, issued)
    t.strictSame([(await seen()).active, (await seen(derived)).active], [false, false])

    const later = String((await exchange(service, tokenOf())).json.access_token)
    t.match(await seen(later), { active: true })
    await changeUser(service.storage, 'ann', { set: { disabled: 'true' } })
    await until('the token ends with the account', async () => (await seen(later)).active === false)
    t.match(await exchange(service, tokenOf()), REFUSED)
  },
  undefined,
  BOTH,
)

t.test('nobody acts for the person of another issuer at this server itself', async (t) => {
  const service = await trustingHere(t)
  const subject = tokenOf()
  const refused = { status: 400, json: { error: 'invalid_target' } }
  t.match(await exchange(service, subject, { resource: ISSUER }), refused)
  t.match(await exchange(service, subject), { status: 200 }, 'nothing was used up')
})

t.test('T12: what an issuer says of actors gives no rights here, and takes none', async (t) => {
  const service = await trustingHere(t)
  const acting = async (act: unknown) => exchange(service, tokenOf({ act }))
  t.equal((await acting({ sub: 'orders', client_id: 'orders' })).status, 200, 'another orders than that here')
  t.equal((await acting({ sub: 'nobody', client_id: 'nobody' })).status, 200, 'no client here')
  const four = [1, 2, 3, 4].reduce<object | undefined>((inner, n) => ({ sub: `${n}`, act: inner }), undefined)
  for (const wrong of [
    { sub: 'orders', iss: ISSUER },
    { sub: 'a', act: { sub: 'mail', iss: ISSUER } },
    four,
    { sub: '5', act: four },
    null,
    'orders',
    [],
    {},
    { sub: '' },
    { sub: 'x'.repeat(511) },
    { sub: 'a', iss: 7 },
    { sub: 'a', act: null },
    { client_id: 'a' },
  ])
    t.match(await acting(wrong), REFUSED, JSON.stringify(wrong))
})

t.test('may_act names the client, as one of this server', async (t) => {
  const service = await trustingHere(t)
  const allowing = (may_act: unknown) => exchange(service, tokenOf({ may_act }))
  t.equal((await allowing({ sub: 'orders', iss: ISSUER })).status, 200)
  for (const wrong of [
    { sub: 'orders' },
    { sub: 'mail', iss: ISSUER },
    { sub: 'orders', iss: IDP },
    {},
    null,
    'orders',
  ])
    t.match(await allowing(wrong), REFUSED, JSON.stringify(wrong))
})

t.test(
  'T8: only a JWT that the issuer signed, of its types and algorithms, while it is trusted',
  async (t) => {
    const service = await trustingHere(t, { algorithms: ['ES256'] })
    const other = issuerKey(KEY.kid)
    const rsa = issuerKey(KEY.kid, 'RS256')
    const [header, claims] = tokenOf().split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const [what, token] of Object.entries({
      'of another key': tokenOf({}, {}, other),
      'of the key in its header': tokenOf({}, { jwk: other.jwk }, other),
      'of the address in its header': tokenOf({}, { jku: 'https://evil.example/keys' }, other),
      'of another algorithm': tokenOf({}, {}, rsa),
      unsigned: `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      'without its signature': `${header}.${claims}.`,
      'an identity assertion': tokenOf({ client_id: 'orders' }, { typ: 'oauth-id-jag+jwt' }),
      'a logout token': tokenOf({}, { typ: 'logout+jwt' }),
      'a client assertion': tokenOf({}, { typ: 'client-authentication+jwt' }),
      'a DPoP proof': tokenOf({}, { typ: 'dpop+jwt' }),
      'for another server': tokenOf({ aud: 'https://other.example' }),
      'for two servers': tokenOf({ aud: [ISSUER, 'https://other.example'] }),
      over: tokenOf({ iat: 1_700_000_000, exp: 1_700_000_100 }),
      'without jti': tokenOf({ jti: undefined }),
      'for a day': tokenOf({ exp: Math.floor(Date.now() / 1000) + 86_400 }),
      'about nobody here': tokenOf({ sub: '00u2' }),
      'of a tenant that no condition names': tokenOf({ tenant: 'acme' }),
      'of an unknown issuer': tokenOf({ iss: 'https://unknown.example' }),
      'that says it is of this server': tokenOf({ iss: ISSUER }),
      'with a sign-in that is to come': tokenOf({ auth_time: Math.floor(Date.now() / 1000) + 3600 }),
    }))
      t.match(await exchange(service, token), REFUSED, what)
    for (const typ of [undefined, 'JWT', 'at+jwt'])
      t.equal((await exchange(service, tokenOf({}, { typ }))).status, 200, `typ ${typ}`)
    const type = { subject_token_type: TOKEN_TYPE.access_token }
    t.match(await exchange(service, tokenOf(), type), REFUSED, 'called an access token of this server')

    await trustAt(service, KEY, { ...RECORD, exchange: false })
    t.match(await exchange(service, tokenOf()), REFUSED, 'not trusted for this')
    await trustAt(service, KEY, RECORD)
    t.equal((await exchange(service, tokenOf())).status, 200)
    await trustAt(service, KEY, { ...RECORD, disabled: true })
    t.match(await exchange(service, tokenOf()), REFUSED, 'a disabled issuer')
  },
)

t.test('a server without trusted issuers takes none of their tokens', async (t) => {
  const service = await trustingHere(t, {}, { trusted_issuers: false })
  t.match(await exchange(service, tokenOf()), REFUSED)
})

t.test('T2: the scope is within the token, the issuer, the client and the resource', async (t) => {
  const service = await trustingHere(t, { scopes: ['api.read', 'openid', 'redmint:read'] })
  const scopeOf = async (scope: string | undefined, given = {}) => {
    const { json } = await exchange(service, tokenOf({ scope }), given)
    return json.scope ?? json.error
  }
  t.equal(await scopeOf('openid api.read api.write redmint:read other'), 'api.read')
  for (const scope of ['api.write', 'openid', 'redmint:read', '', undefined])
    t.equal(await scopeOf(scope), 'invalid_scope', `${scope}`)
  for (const scope of ['api.write', 'api.read api.write', 'openid'])
    t.equal(await scopeOf('api.read api.write openid', { scope }), 'invalid_scope', `${scope} is requested`)
  await changeClient(service.storage, 'orders', { set: { allowed_scopes: 'api.write' } })
  t.equal(await scopeOf('api.read api.write'), 'invalid_scope', 'the client')
})

t.test('a token that names resources is exchanged for one of them', async (t) => {
  const service = await trustingHere(t)
  const named = async (resource: unknown) => {
    const { status, json } = await exchange(service, tokenOf({ resource }))
    return status === 200 ? status : json.error
  }
  t.equal(await named(BILLING), 200)
  t.equal(await named([ORDERS, BILLING]), 200)
  t.equal(await named(ORDERS), 'invalid_target')
  t.equal(await named([]), 'invalid_target')
  t.equal(await named('https://unknown.example'), 'invalid_target')
  t.equal(await named(7), 'invalid_request')
  t.equal(await named([`${ORDERS} ${BILLING}`]), 'invalid_request')
})

t.test('only a client that acts for others exchanges it', async (t) => {
  const service = await trustingHere(t)
  await changeClient(service.storage, 'orders', { set: { exchange_mode: 'narrow' } })
  t.match(await exchange(service, tokenOf()), REFUSED)
  await changeClient(service.storage, 'orders', { set: {}, unset: ['exchange_mode'] })
  t.match(await exchange(service, tokenOf()), { json: { error: 'unauthorized_client' } })
  await changeClient(service.storage, 'orders', { set: { exchange_mode: 'delegate', required_acr: 'mfa' } })
  t.match(await exchange(service, tokenOf()), REFUSED, 'a sign-in that is too weak for the client')
  t.equal((await exchange(service, tokenOf({ acr: 'mfa' }))).status, 200)
  await changeClient(service.storage, 'orders', { set: { allowed_groups: 'staff' }, unset: ['required_acr'] })
  t.match(await exchange(service, tokenOf()), REFUSED, 'a person who may not use the client')
})

t.test('T13: a token that is bound to a key is exchanged with a proof of it', async (t) => {
  const service = await trustingHere(t)
  const [owner, thief] = [dpopClient(service, service), dpopClient(service, service)]
  const form = (subject_token: string) => ({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: TOKEN_TYPE.jwt,
    resource: BILLING,
  })
  const bound = () => tokenOf({ cnf: { jkt: owner.key.jkt } })
  t.match(await exchange(service, bound()), REFUSED, 'without a proof')
  t.match(await thief.token(form(bound()), basic('orders')), REFUSED, 'with another key')
  const token = bound()
  const { status, json } = await owner.token(form(token), basic('orders'))
  t.match({ status, json }, { status: 200, json: { token_type: 'DPoP' } })
  t.match((await service.introspect('gateway', String(json.access_token))).json, {
    cnf: { jkt: owner.key.jkt },
  })
  t.match(await exchange(service, tokenOf({ cnf: { kid: 'x' } })), REFUSED, 'in a way that is not known')
})

t.test(
  'the actor token is an assertion of another issuer about the client, and none is two of them',
  async (t) => {
    const service = await trustingHere(t)
    const { token, storage } = service
    const own = await token({ grant_type: 'client_credentials' }, basic('orders'))
    const actor = { actor_token: String(own.json.access_token), actor_token_type: TOKEN_TYPE.access_token }
    t.match(await exchange(service, tokenOf(), actor), REFUSED, 'nothing would end it with that token')
    await changeClient(storage, 'orders', { set: { assertion_issuer: IDP, assertion_subject: 'work' } })
    const workload = () =>
      assertionOf(KEY, claimsOf(IDP, 'work', { exp: (claimsOf(IDP, '').iat as number) + 40 }))
    const proven = { actor_token: workload(), actor_token_type: TOKEN_TYPE.jwt }
    const { status, json } = await exchange(service, tokenOf(), proven)
    t.match({ status, json }, { status: 200 })
    t.ok(Number(json.expires_in) <= 40, 'no longer than that of the actor')
    t.match(await exchange(service, tokenOf(), proven), REFUSED, 'it counts once')

    await changeClient(storage, 'orders', { set: { assertion_subject: '00u1' } })
    const one = tokenOf()
    t.match(await exchange(service, one, { actor_token: one, actor_token_type: TOKEN_TYPE.jwt }), REFUSED)
    const both = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      ...{ subject_token: one, subject_token_type: TOKEN_TYPE.jwt, resource: BILLING, client_id: 'orders' },
      ...{ client_assertion: one, client_assertion_type: CLIENT_ASSERTION_TYPE },
    }
    t.match(await token(both), REFUSED, 'the subject and the authentication')
    t.equal((await exchange(service, one)).status, 200, 'nothing of that used it up')
  },
)

t.test(
  'an issuer may name people by the verified e-mail address, and let its tokens count again',
  async (t) => {
    const service = await trustingHere(t, { account_by: 'verified_email', reusable: true })
    const named = tokenOf({ sub: 'x', email: 'ann@example.com', email_verified: true, jti: undefined })
    const [first, second] = [await exchange(service, named), await exchange(service, named)]
    t.strictSame([first.status, second.status], [200, 200])
    await revoke(service, String(first.json.access_token))
    t.match((await service.introspect('gateway', String(second.json.access_token))).json, { active: true })
    t.match(await exchange(service, tokenOf({ sub: 'x' })), REFUSED)
  },
)
