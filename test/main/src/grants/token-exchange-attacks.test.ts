// Attacks on token exchange that other servers fell for.

import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { newToken } from '../../../../src/core/token-string.ts'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { MAX_DERIVED } from '../../../../src/storage/derivation.ts'
import {
  ACTING_CLIENTS,
  agent,
  apiOf,
  BILLING,
  exchangeAs,
  exchangeForm,
  MAIL,
  ORDERS,
  signInFor,
  startChain,
  storeAgents,
} from '../../../support/exchange.ts'
import { signWith, startWithSigner } from '../../../support/jwt-signer.ts'
import { forEachService, type Lifecycle } from '../../../support/lifecycle.ts'
import { MALFORMED, UNPROVEN } from '../../../support/malformed-jwts.ts'
import { changeClient, changeUser, createClient, createUser, removeUser } from '../../../support/records.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest, basic, CLIENTS, SECRET } from '../../../support/service.ts'
import { issuerKey } from '../../../support/trusted-issuer.ts'

const MEMORY = ['memory'] as const
const REFUSED = { status: 400, json: { error: 'invalid_request', access_token: undefined } }

async function isActive(service: Lifecycle, token: unknown): Promise<unknown> {
  return (await service.introspect('gateway', String(token))).json.active
}

forEachService(
  'T1: a token of another client for another API is refused',
  async (t, start) => {
    const service = await startChain(start)
    for (const [resource, client] of [
      [ORDERS, 'billing'],
      [ORDERS, 'mail'],
      [BILLING, 'orders'],
      [MAIL, 'orders'],
    ] as const) {
      const { access_token } = await signInFor(service, resource)
      t.match(
        await exchangeAs(service, client, access_token),
        REFUSED,
        `${client} with a token for ${resource}`,
      )
    }
    const here = await service.signIn('web', 'openid api.read')
    t.match(await exchangeAs(service, 'orders', here.access_token), REFUSED, 'a token for this server')
    const own = await service.clientToken('web')
    t.match(await exchangeAs(service, 'orders', own), REFUSED, 'a token of a client for itself')
    const { access_token } = await signInFor(service, ORDERS)
    await service.storage.records.put({
      kind: RESOURCE,
      id: ORDERS,
      hash: { scopes: 'api.read api.write', acting_clients: 'orders', disabled: 'true' },
    })
    t.match(await exchangeAs(service, 'orders', access_token), REFUSED, 'the API is disabled')
  },
  undefined,
  MEMORY,
)

forEachService(
  'T4: who acts stays in the chain, and its end is the end of what it does',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const first = String((await exchangeAs(service, 'orders', access_token)).json.access_token)
    const second = String((await exchangeAs(service, 'billing', first, { resource: MAIL })).json.access_token)
    const act = { sub: 'orders', client_id: 'orders' }
    t.match((await service.introspect('gateway', second)).json.act, { sub: 'billing', act })
    await changeClient(service.storage, 'orders', { set: { exchange_mode: 'narrow' } })
    const { json } = await exchangeAs(service, 'orders', first, { scope: 'api.read' })
    t.strictSame((await service.introspect('gateway', String(json.access_token))).json.act, act, 'narrowed')
    await changeClient(service.storage, 'orders', { set: { disabled: 'true' } })
    for (const token of [first, second, json.access_token]) t.equal(await isActive(service, token), false)
    t.equal(await isActive(service, access_token), true, 'the token of the application lives on')
    t.match(await exchangeAs(service, 'mail', second, { resource: ORDERS }), REFUSED)
  },
  undefined,
  MEMORY,
)

t.test('T5: a name that was given to somebody else gives nothing of the one before', async (t) => {
  const clients = [...Object.values(ACTING_CLIENTS)]
  const service = await scene(t, { clients, access_token_format: 'opaque' })
  const { storage, visitor, token } = service
  const hash = { scopes: 'api.read', acting_clients: 'orders' }
  for (const id of [ORDERS, BILLING]) await storage.records.put({ kind: RESOURCE, id, hash })
  const asked = authorizationRequest({ client_id: 'own', resource: ORDERS, subject: undefined })
  const browser = visitor()
  const page = await browser.page(`/oauth2/authorize?${new URLSearchParams(asked)}`)
  const departed = await signInOn(browser, page)
  const { json } = await service.redeem(departed)
  const subject = String(json.access_token)
  const exchange = () => exchangeAs({ token }, 'orders', subject)
  const before = await exchange()
  t.equal(before.status, 200, before.text)
  const introspect = async () =>
    (await service.post('/oauth2/introspect', { token: String(before.json.access_token) }, basic('orders')))
      .json
  t.match(await introspect(), { active: true })
  await removeUser(storage, 'alice')
  t.match(await exchange(), REFUSED, 'removed')
  t.match(await introspect(), { active: false })
  await createUser(storage, 'alice', { sub: 'somebody-else', name: 'Alice Other' })
  t.match(await exchange(), REFUSED, 'the name is of somebody else')
  t.match(await introspect(), { active: false })
  await changeUser(storage, 'alice', { set: { sub: 'sub-of-alice', disabled: 'true' } })
  t.match(await exchange(), REFUSED, 'disabled')
})

forEachService(
  'T6: without a subject token there is none, and no other grant takes its place',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    for (const [name, given] of Object.entries<Record<string, string | undefined>>({
      'no subject_token': { subject_token: undefined },
      'an empty one': { subject_token: '' },
      'a space': { subject_token: ' ' },
      'no type': { subject_token_type: undefined },
      'an empty type': { subject_token_type: '' },
      'an empty actor_token with its type': { actor_token: '', actor_token_type: TOKEN_TYPE.access_token },
      'an actor_token without its type': { actor_token: access_token },
    })) {
      t.match(await exchangeAs(service, 'orders', access_token, given), REFUSED, name)
    }
    for (const given of [{ resource: undefined }, { resource: '' }, { audience: BILLING }]) {
      const answer = await exchangeAs(service, 'orders', access_token, given)
      t.match(answer, { status: 400, json: { error: 'invalid_target' } }, JSON.stringify(given))
    }
    const twice = `grant_type=${encodeURIComponent(TOKEN_EXCHANGE)}&subject_token=a&subject_token=${access_token}`
    const answer = await service.request({
      method: 'POST',
      url: '/oauth2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic('orders') },
      payload: `${twice}&subject_token_type=${TOKEN_TYPE.access_token}&resource=${BILLING}`,
    })
    t.match(answer, REFUSED, 'given twice')
  },
  undefined,
  MEMORY,
)

t.test('T8: a subject token that is signed otherwise is none', async (t) => {
  const service = await startWithSigner(t)
  const { signer, claims, header, storage, token } = service
  for (const [id, client] of [
    [ORDERS, 'orders'],
    [BILLING, 'billing'],
  ] as const)
    await storage.records.put({ kind: RESOURCE, id, hash: { scopes: 'api.read', acting_clients: client } })
  await createClient(storage, 'orders', formatClient(ACTING_CLIENTS.orders))
  const { access_token } = await signInFor(service, ORDERS, 'openid api.read')
  const jti = newToken(access_token.slice(0, 16))
  const right: Record<string, unknown> = { ...claims, client_id: 'web', aud: ORDERS, jti }
  const exchange = (subject_token: string, given = {}) =>
    exchangeAs({ token }, 'orders', subject_token, { subject_token_type: TOKEN_TYPE.jwt, ...given })
  const control = await exchange(signWith(signer, header, right))
  t.equal(control.status, 200, control.text)
  const stranger = issuerKey(String(header.kid))
  const wrong: Record<string, string> = {
    'alg none': `${part({ ...header, alg: 'none' })}.${part(right)}.`,
    'a key in the header': signWith(
      { alg: 'ES256', key: stranger.privateKey },
      { ...header, jwk: stranger.jwk },
      right,
    ),
    'another typ': signWith(signer, { ...header, typ: 'JWT' }, right),
    'an ID token by typ': signWith(signer, { ...header, typ: undefined }, right),
    'another issuer': signWith(signer, header, { ...right, iss: 'https://other.example' }),
    'in the past': signWith(signer, header, { ...right, exp: Number(right.iat) - 1 }),
    'without jti': signWith(signer, header, { ...right, jti: undefined }),
    'a malformed act': signWith(signer, header, { ...right, act: 'orders' }),
  }
  for (const [name, jwt] of Object.entries(wrong)) t.match(await exchange(jwt), REFUSED, name)
  const whole = { header, claims: right, privateKey: signer.key, max_length: 32 * 1024 }
  for (const { name, of } of MALFORMED) t.match(await exchange(of(whole)), REFUSED, name)
  for (const [name, of] of Object.entries(UNPROVEN)) t.match(await exchange(of(whole)), REFUSED, name)
})

forEachService(
  'T11: a chain has four actors at most, and each of them once',
  async (t, start) => {
    const service = await startChain(start)
    await storeAgents(service.storage, 6)
    let { access_token: token } = await signInFor(service, apiOf(1), 'api.read')
    for (let n = 1; n <= 4; n++) {
      const answer = await exchangeAs(service, agent(n), token, { resource: apiOf(n + 1) })
      t.equal(answer.status, 200, `depth ${n}: ${answer.text}`)
      token = String(answer.json.access_token)
      const loop = await exchangeAs(service, agent(1), token, { resource: apiOf(n + 2) })
      t.match(loop, REFUSED, 'the first one again')
    }
    t.match(await exchangeAs(service, agent(5), token, { resource: apiOf(6) }), REFUSED, 'a fifth actor')
    t.equal(await isActive(service, token), true)
  },
  undefined,
  MEMORY,
)

forEachService(
  'T16: a public client exchanges nothing, whatever its record says',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const form = exchangeForm(access_token)
    const ask = async (client_id: string) => service.token({ ...form, client_id })
    t.match(await ask('app'), { status: 400, json: { error: 'unauthorized_client' } })
    await createClient(service.storage, 'loose', {
      ...formatClient({ ...CLIENTS.app, client_id: 'loose' }),
      grant_types: `authorization_code ${TOKEN_EXCHANGE}`,
      exchange_mode: 'delegate',
    })
    await service.storage.records.put({
      kind: RESOURCE,
      id: ORDERS,
      hash: { scopes: 'api.read', acting_clients: 'orders loose' },
    })
    const loose = await ask('loose')
    t.ok([400, 401].includes(loose.status), loose.text)
    t.match(loose.json.error, /^(unauthorized_client|invalid_client)$/)
    t.match(await ask('orders'), { status: 401, json: { error: 'invalid_client' } }, 'without its secret')
  },
  undefined,
  MEMORY,
)

forEachService(
  'T16a: an empty secret is no secret, also with a good subject token',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const form = exchangeForm(access_token)
    await createClient(service.storage, 'hollow', {
      ...formatClient({ ...ACTING_CLIENTS.orders, client_id: 'hollow' }),
      client_secret_hash: '',
    })
    for (const [name, more, headers] of [
      ['Basic', {}, basic('orders', '')],
      ['the body', { client_id: 'orders', client_secret: '' }, {}],
      ['an empty hash', { client_id: 'hollow', client_secret: '' }, {}],
      ['an empty hash, Basic', {}, basic('hollow', '')],
      ['another', {}, basic('orders', `${SECRET}x`)],
    ] as const) {
      const { status, json } = await service.token({ ...form, ...more }, headers)
      t.equal(status, 401, name)
      t.equal(json.error, 'invalid_client')
    }
  },
  undefined,
  MEMORY,
)

forEachService(
  'T9: after the answer to a revocation nothing lives that was exchanged meanwhile',
  async (t, start) => {
    const service = await startChain(start)
    for (const how of ['access_token', 'refresh_token'] as const) {
      const tokens = await signInFor(service, ORDERS, 'openid offline_access api.read')
      const exchanges = Array.from({ length: 50 }, () => exchangeAs(service, 'orders', tokens.access_token))
      const revoked = await service.revoke('web', tokens[how])
      t.equal(revoked.status, 200)
      const derived = (await Promise.all(exchanges)).flatMap(({ json }) =>
        json.access_token === undefined ? [] : [json.access_token],
      )
      for (const token of derived) t.equal(await isActive(service, token), false, how)
      t.match(await exchangeAs(service, 'orders', tokens.access_token), REFUSED)
    }
  },
  undefined,
  ['memory', 'redis'],
)

forEachService(
  'T18: a sign-in has a hundred exchanged tokens at most, and the next one waits',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const answers = await Promise.all(
      Array.from({ length: MAX_DERIVED + 5 }, () => exchangeAs(service, 'orders', access_token)),
    )
    t.equal(answers.filter(({ status }) => status === 200).length, MAX_DERIVED)
    const refused = answers.filter(({ status }) => status !== 200)
    t.equal(refused.length, 5)
    for (const one of refused) {
      t.match(one, { status: 429, json: { error: 'temporarily_unavailable' } })
      t.match(one.headers['retry-after'], /^[1-9]\d*$/)
    }
    const other = await signInFor(service, ORDERS)
    t.equal((await exchangeAs(service, 'orders', other.access_token)).status, 200, 'others are not refused')
  },
  undefined,
  MEMORY,
)

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
