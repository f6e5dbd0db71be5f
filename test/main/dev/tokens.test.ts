import { createHash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import t from 'tap'
import {
  JWT_FAULT_NAMES,
  TOKEN_FAULTS,
  type TokenFaultName,
} from '../../../dev/control/tokens/token-faults.ts'
import type { Redmint } from '../../../exports/testing.ts'
import { decodeJwt } from '../../../src/keys/jwt-reader.ts'
import { PAYMENT } from '../../support/details.ts'
import {
  ACTING_SEED,
  BATCH,
  BILLING,
  clientToken,
  introspect,
  MAIL,
  ORDERS,
  refresh,
  SEED,
  SHOP,
  startDev,
  userinfo,
} from '../../support/dev.ts'

const JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

/** The `at_hash` of an access token beside an id_token that is signed with EdDSA (OpenID Connect Core §3.1.3.6). */
const atHash = (access_token: string) =>
  createHash('sha512').update(access_token).digest().subarray(0, 32).toString('base64url')

/** Whether an API that verifies by the key set alone takes a JWT, by a library of somebody else. */
async function passes({ issuer }: Redmint, jwt: string, audience: string, typ: string): Promise<boolean> {
  const keys = (await (await fetch(`${issuer}/.well-known/jwks.json`)).json()) as Parameters<
    typeof createLocalJWKSet
  >[0]
  return await jwtVerify(jwt, createLocalJWKSet(keys), {
    issuer,
    audience,
    typ,
    requiredClaims: ['exp'],
  }).then(
    () => true,
    () => false,
  )
}

t.test('tokens are real: the server knows them, and ends them', async (t) => {
  const redmint = await startDev(t)
  for (const format of ['opaque', 'jwt'] as const) {
    const tokens = await redmint.token({ client: SHOP, user: 'alice', format })
    const { access_token, refresh_token, id_token = '' } = tokens
    t.equal((await userinfo(redmint, access_token)).status, 200, format)
    t.match(await introspect(redmint, access_token), { active: true, client_id: SHOP, sub: 'alice' })
    t.ok(await passes(redmint, id_token, SHOP, 'JWT'))
    const renewed = await refresh(redmint, refresh_token)
    t.equal(renewed.status, 200)
    const { refresh_token: next } = (await renewed.json()) as { refresh_token: string }
    await fetch(`${redmint.issuer}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: next, client_id: SHOP }),
    })
    t.match(await introspect(redmint, access_token), { active: false }, 'it ends with its family')
  }
})

t.test('what tokens are to be', async (t) => {
  const redmint = await startDev(t)
  const of_client = await redmint.token({ client: BATCH, resource: ORDERS, scope: 'orders.read' })
  t.ok(await passes(redmint, of_client.access_token, ORDERS, 'at+jwt'))
  t.match(decodeJwt(of_client.access_token)?.claims, { sub: BATCH, scope: 'orders.read', aud: ORDERS })
  const tokens = await redmint.token({
    ...{ client: SHOP, user: 'alice', resource: ORDERS, scope: 'openid orders.read', nonce: 'n-1' },
    ...{ expires_in: 7, alg: 'EdDSA', jkt: JKT, acr: 'urn:example:loa', auth_time: 1_700_000_000 },
    claims: { tenant: 'acme', acr: null },
    id_token_claims: { name: 'Alice Elsewhere' },
  })
  const access = decodeJwt(tokens.access_token)
  const { iat, exp } = access?.claims ?? {}
  t.equal(Number(exp) - Number(iat), 7)
  t.match(access, {
    header: { alg: 'EdDSA' },
    claims: { tenant: 'acme', cnf: { jkt: JKT }, auth_time: 1_700_000_000 },
  })
  t.notOk('acr' in (access?.claims ?? {}))
  t.equal(tokens.token_type, 'DPoP')
  t.equal(tokens.expires_in, 7)
  t.equal(tokens.refresh_token, undefined, 'the scope has no offline_access')
  t.match(decodeJwt(tokens.id_token ?? '')?.claims, {
    nonce: 'n-1',
    name: 'Alice Elsewhere',
    acr: 'urn:example:loa',
    at_hash: atHash(tokens.access_token),
  })
  t.ok(await passes(redmint, tokens.access_token, ORDERS, 'at+jwt'))
  t.ok(await passes(redmint, tokens.id_token ?? '', SHOP, 'JWT'))
})

t.test('each fault of a token is refused by whoever verifies, and nothing else is wrong', async (t) => {
  const redmint = await startDev(t)
  for (const fault of JWT_FAULT_NAMES) {
    const { access_token, id_token = '' } = await redmint.token({
      client: SHOP,
      user: 'alice',
      resource: ORDERS,
      fault,
      nonce: 'n',
    })
    const { only } = TOKEN_FAULTS[fault]
    // It takes a client to look at these.
    if (only === 'id_token') t.ok(await passes(redmint, id_token, SHOP, 'JWT'), fault)
    else t.notOk(await passes(redmint, id_token, SHOP, 'JWT'), `${fault}: id_token`)
    t.equal(
      await passes(redmint, access_token, ORDERS, 'at+jwt'),
      only === 'id_token',
      `${fault}: access token`,
    )
    t.equal((await introspect(redmint, access_token)).active, only === 'id_token', `${fault}: introspection`)
  }
  const { access_token, id_token } = await redmint.token({
    client: SHOP,
    user: 'alice',
    resource: ORDERS,
    fault: 'wrong_azp',
  })
  t.match(decodeJwt(id_token ?? '')?.claims, { aud: [SHOP, 'another-client'], azp: 'another-client' })
  t.equal(decodeJwt(access_token)?.claims.azp, undefined)
})

t.test('tokens of any form that expired, were revoked, or are bound to another key', async (t) => {
  const redmint = await startDev(t)
  const faults: readonly TokenFaultName[] = ['expired', 'revoked', 'other_key']
  for (const format of ['opaque', 'jwt'] as const) {
    for (const fault of faults) {
      const { access_token, refresh_token } = await redmint.token({
        client: SHOP,
        user: 'alice',
        format,
        fault,
      })
      t.equal(access_token.includes('ey'), format === 'jwt' || access_token.includes('ey'), 'of this form')
      t.equal((await userinfo(redmint, access_token)).status, 401, `${format}, ${fault}`)
      t.equal((await refresh(redmint, refresh_token)).status, 400, `${format}, ${fault}: refresh token`)
    }
    const own = await redmint.token({ client: BATCH, format, fault: 'revoked' })
    t.match(await introspect(redmint, own.access_token), { active: false }, `${format} of a client`)
  }
})

t.test('tokens with details are what the person allowed, by the rules of its type', async (t) => {
  const redmint = await startDev(t, { seed: ACTING_SEED })
  for (const format of ['opaque', 'jwt'] as const) {
    const wanted = { client: SHOP, user: 'alice', resource: ORDERS, format, authorization_details: [PAYMENT] }
    const tokens = await redmint.token(wanted)
    t.same(tokens.authorization_details, [PAYMENT])
    t.match(await introspect(redmint, tokens.access_token), { authorization_details: [PAYMENT] }, format)
    if (format === 'jwt')
      t.match(decodeJwt(tokens.access_token)?.claims, { authorization_details: [PAYMENT] })
    const renewed = (await (await refresh(redmint, tokens.refresh_token)).json()) as { access_token: string }
    t.match(
      await introspect(redmint, renewed.access_token),
      { authorization_details: [PAYMENT] },
      'refreshed',
    )
  }
  const refusals = [
    [{ client: SHOP, user: 'alice', authorization_details: [{ type: 'loan' }] }, /invalid_authorization_det/],
    [
      { client: SHOP, user: 'alice', authorization_details: [{ ...PAYMENT, amount: 1001 }] },
      /invalid_authorization_details: .*amount/,
    ],
    [{ client: BATCH, authorization_details: [PAYMENT] }, /need a person who allows them: give user/],
    [{ client: SHOP, user: 'alice', authorization_details: [{ amount: 1 } as never] }, /type/],
  ] as const
  for (const [wanted, message] of refusals)
    await t.rejects(redmint.token(wanted), { name: 'ControlError', message })
})

t.test(
  'tokens of those who act for others are exchanged by the rules, and end with the first one',
  async (t) => {
    const redmint = await startDev(t, { seed: ACTING_SEED })
    const first = { client: SHOP, user: 'alice', resource: ORDERS }
    const by_orders = { client: 'orders-api', resource: BILLING }
    const by_billing = { client: 'billing-api', resource: MAIL, scope: 'orders.read' }
    for (const format of ['opaque', 'jwt'] as const) {
      const { access_token, ...answer } = await redmint.token({
        ...{ ...first, format, authorization_details: [PAYMENT] },
        exchanges: [by_orders],
      })
      t.notOk('id_token' in answer || 'refresh_token' in answer)
      t.match(answer, { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' })
      t.match(
        await introspect(redmint, access_token),
        {
          ...{ active: true, sub: 'alice', aud: BILLING, client_id: 'orders-api', scope: 'orders.read' },
          act: { sub: 'orders-api' },
          authorization_details: [PAYMENT],
        },
        format,
      )
    }
    const chain = await redmint.token({
      ...{ ...first, claims: { tenant: 'acme' }, expires_in: 60, jkt: JKT },
      exchanges: [by_orders, by_billing],
    })
    t.ok(await passes(redmint, chain.access_token, MAIL, 'at+jwt'))
    t.match(decodeJwt(chain.access_token)?.claims, {
      ...{ tenant: 'acme', cnf: { jkt: JKT }, sub: 'alice' },
      act: { sub: 'billing-api', act: { sub: 'orders-api' } },
    })
    t.ok(chain.expires_in <= 60)

    const expired = await redmint.token({ ...first, exchanges: [by_orders], fault: 'expired', format: 'jwt' })
    t.match(decodeJwt(expired.access_token)?.claims, { act: { sub: 'orders-api' } })
    t.match(await introspect(redmint, expired.access_token), { active: false })
    const revoked = await redmint.token({ ...first, exchanges: [by_orders], fault: 'revoked' })
    t.match(await introspect(redmint, revoked.access_token), { active: false })

    const refusals = [
      [{ ...first, exchanges: [{ client: SHOP, resource: BILLING }] }, /A public client cannot use/],
      [{ ...first, exchanges: [{ client: 'nobody', resource: BILLING }] }, /no client nobody/],
      [
        { ...first, exchanges: [{ client: 'billing-api', resource: MAIL }] },
        /neither one of this client nor/,
      ],
      [{ ...first, exchanges: [{ client: 'orders-api', resource: 'https://x.example' }] }, /invalid_target/],
      [{ ...first, exchanges: [by_orders, by_orders] }, /invalid/],
      [{ ...first, exchanges: [{ client: 'orders-api' } as never] }, /resource/],
      [{ client: BATCH, exchanges: [by_orders] }, /invalid/],
    ] as const
    for (const [wanted, message] of refusals)
      await t.rejects(redmint.token(wanted as Parameters<Redmint['token']>[0]), {
        name: 'ControlError',
        message,
      })

    const over_http = await fetch(`${redmint.issuer}/dev/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${redmint.control_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...first, authorization_details: [PAYMENT], exchanges: [by_orders] }),
    })
    const { access_token } = (await over_http.json()) as { access_token: string }
    t.match(await introspect(redmint, access_token), {
      ...{ act: { sub: 'orders-api' }, authorization_details: [PAYMENT] },
    })
  },
)

t.test('who may not use a client gets no tokens of it', async (t) => {
  const [shop] = SEED.clients
  const clients = [
    { ...shop, client_id: 'staff', allowed_groups: ['staff'] },
    { ...shop, client_id: 'strong', required_acr: 'urn:example:strong' },
  ]
  const redmint = await startDev(t, { seed: { clients } })
  await t.rejects(redmint.token({ client: 'staff', user: 'alice' }), {
    message: /alice cannot have tokens of staff: the person is in none of the groups/,
    status: 403,
  })
  await t.rejects(redmint.token({ client: 'strong', user: 'alice' }), { message: /weaker than .* give acr/ })
  t.match(await redmint.token({ client: 'strong', user: 'alice', acr: 'urn:example:strong' }), {
    access_token: String,
  })
})

t.test('what cannot be is refused with what to write instead', async (t) => {
  const redmint = await startDev(t)
  const refusals = [
    [{ client: 'shopp', user: 'alice' }, /no client shopp/],
    [{ client: SHOP, user: 'alicia' }, /no user alicia/],
    [{ client: SHOP }, /gets no tokens for itself: give user/],
    [{ client: BATCH, user: 'alice' }, /Nobody signs in at the client batch: leave user out/],
    [{ client: SHOP, user: 'alice', scope: 'admin' }, /invalid_scope/],
    [{ client: SHOP, user: 'alice', resource: 'https://other.example.com' }, /invalid_target/],
    [
      { client: SHOP, user: 'alice', format: 'opaque', fault: 'wrong_aud' },
      /cannot have wrong_aud: leave format out/,
    ],
    [{ client: BATCH, fault: 'wrong_nonce' }, /wrong_nonce is of an id_token, and there is none/],
    [{ client: SHOP, user: 'alice', fault: 'wrong' }, /fault must be wrong_aud or wrong_iss/],
    [
      { client: SHOP, user: 'alice', scopes: 'openid' },
      /scopes is unknown: did you mean scope\?.*known: client, user, scope/,
    ],
    [{ client: SHOP, user: 'alice', expires_in: 0 }, /expires_in must be at least 1/],
  ] as const
  for (const [wanted, message] of refusals)
    await t.rejects(
      redmint.token(wanted as Parameters<Redmint['token']>[0]),
      { name: 'ControlError', message },
      String(message),
    )
  t.equal((await clientToken(redmint)).status, 200, 'the server goes on')
})
