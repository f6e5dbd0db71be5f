// What the server issued it takes back: the largest tokens, at every endpoint that reads them.
import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { bytesOfMember, MAX_CUSTOM_CLAIMS } from '../../../src/core/custom-claims.ts'
import { MAX_REQUEST_BYTES } from '../../../src/interaction/pending-request.ts'
import { PUSHED } from '../../../src/interaction/pushed-request.ts'
import { MAX_JWT } from '../../../src/tokens/jws.ts'
import { MAX_STANDARD_CLAIMS } from '../../../src/users/standard-claims.ts'
import { parseUser } from '../../../src/users/user-record.ts'
import { ASKS, RELYING_PARTIES, userRecord } from '../../support/accounts.ts'
import { storePayments } from '../../support/details.ts'
import { answerDevice, deviceOf, storeDevices } from '../../support/device.ts'
import { PAR, pushedUrl, REQUEST_URI } from '../../support/pushing.ts'
import { changeClient, createUser, readUser, removeUser } from '../../support/records.ts'
import { requestObject } from '../../support/request-objects.ts'
import { requestUrl, signInAndAgree, signInOn, visitorOf } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { authorizationRequest, basic, bearer, codeRequest } from '../../support/service.ts'
import { issuerKey, keySetOf } from '../../support/trusted-issuer.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../../support/visitor.ts'

const RETURN = 'https://app.example.com/bye'
const CUSTOM = ['c1', 'c2', 'c3']
const scope_claims = new Map(CUSTOM.map((name) => [name, 'custom']))
const KEY = issuerKey()
const AUTHORIZE = '/oauth2/authorize'
const LOGOUT = '/oauth2/logout'

/** Texts of so many bytes in all as members of a JSON object; each has at most 2,700 bytes. */
function textsOf(names: readonly string[], bytes: number): Record<string, string> {
  let left = bytes - names.reduce((sum, name) => sum + bytesOfMember(name, '""'), 0)
  return Object.fromEntries(
    names.map((name, i) => {
      const length = Math.floor(left / (names.length - i))
      left -= length
      return [name, '漢'.repeat(length / 3) + 'x'.repeat(length % 3)]
    }),
  )
}

const STANDARD = ['name', 'given_name', 'family_name', 'nickname', 'profile']
const standard = textsOf(STANDARD, MAX_STANDARD_CLAIMS)
const custom = Object.fromEntries(
  Object.entries(textsOf(CUSTOM, MAX_CUSTOM_CLAIMS)).map(([name, text]) => [
    `claim:${name}`,
    JSON.stringify(text),
  ]),
)
const asks = { ...ASKS, scope: 'openid profile custom' }
/** The longest nonce that fits into a request. */
const nonce = 'n'.repeat(
  MAX_REQUEST_BYTES - Buffer.byteLength(JSON.stringify(authorizationRequest({ ...asks, nonce: '' }))),
)

async function start(t: Test) {
  const people = await scene(t, { scope_claims })
  const { storage } = people
  await removeUser(storage, 'alice')
  await createUser(storage, 'alice', await userRecord('sub-of-alice', { ...standard, ...custom }))
  const shop = formatClient({
    ...RELYING_PARTIES.shop,
    allowed_scopes: [...RELYING_PARTIES.shop.allowed_scopes, 'custom'],
    scope_claims_in_id_token: true,
    custom_claims_in_access_token: true,
    access_token_format: 'jwt',
    post_logout_redirect_uris: [RETURN],
    jwks: keySetOf(KEY),
  })
  await changeClient(storage, 'shop', { set: shop })
  /** Signs alice in and returns her tokens. */
  const signIn = async (visitor: Visitor) => {
    const { told } = await signInAndAgree(visitor, { ...asks, nonce })
    const { json } = await people.token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
    return { id_token: String(json.id_token), access_token: String(json.access_token) }
  }
  return { ...people, signIn }
}

const end = (found: Page | Departure) => {
  if (!('location' in found)) return found.title
  return found.told.has('code') ? 'code' : (found.told.get('error') ?? found.location.href)
}

t.test('no user can have more claims than the largest token has', async (t) => {
  const people = await start(t)
  const record = (await readUser(people.storage, 'alice')) ?? {}
  t.match(parseUser('alice', record), { ok: true })
  for (const field of ['name', 'claim:c1']) {
    const more =
      field === 'name' ? `x${record[field]}` : JSON.stringify(`x${JSON.parse(String(record[field]))}`)
    t.match(parseUser('alice', { ...record, [field]: more }), { ok: false }, field)
  }
  const refused = asDeparture(await people.visitor().open(requestUrl({ ...asks, nonce: `${nonce}n` })))
  t.match(refused.told.get('error_description'), /too long/, 'nor can a request have a longer nonce')
})

t.test('the largest id_token is a hint at every endpoint, and in no address', async (t) => {
  const people = await start(t)
  const { id_token } = await people.signIn(people.visitor())
  t.ok(id_token.length > 0.8 * MAX_JWT && id_token.length <= MAX_JWT, `${id_token.length}`)
  const addresses: string[] = []
  const replica = {
    async inject(options: InjectOptions) {
      const answer = await people.fastify.inject(options)
      addresses.push(String(options.url), String(answer.headers.location))
      return answer
    },
  } as typeof people.fastify
  const visitor = () => visitorOf(() => replica)
  const leave = { id_token_hint: id_token, post_logout_redirect_uri: RETURN }
  const request = (more = {}) => authorizationRequest({ ...asks, id_token_hint: id_token, ...more })
  const signed = (more = {}) => ({
    client_id: 'shop',
    request: requestObject(KEY, { ...asks, id_token_hint: id_token, ...more }),
  })
  const pushed = async (form: Record<string, string>) => {
    const { status, json } = await people.post(PAR, form)
    t.equal(status, 201)
    const id = String(json.request_uri).slice(REQUEST_URI.length)
    const kept = JSON.stringify((await people.storage.records.read(PUSHED, id))?.hash)
    t.notMatch(kept, /eyJ[\w-]*\.eyJ/, 'of the hint its subject is kept')
    return pushedUrl(String(json.request_uri))
  }
  const silent = { prompt: 'none' }
  const ways: Record<string, (browser: Visitor) => Promise<Page | Departure>> = {
    'POST authorize': (browser) => browser.submitFromElsewhere(AUTHORIZE, request(silent)),
    'POST authorize, signed': (browser) => browser.submitFromElsewhere(AUTHORIZE, signed(silent)),
    'POST par': async (browser) => browser.open(await pushed(request(silent))),
    'POST par, signed': async (browser) => browser.open(await pushed(signed(silent))),
  }
  for (const [name, way] of Object.entries(ways)) {
    const [alice, bob] = [visitor(), visitor()]
    await people.signIn(alice)
    await signInAndAgree(bob, asks, 'bob')
    t.equal(end(await way(alice)), 'code', name)
    t.equal(end(await way(bob)), 'login_required', `${name}, another user`)
  }
  const waiting: Record<string, (browser: Visitor) => Promise<Page | Departure>> = {
    'POST authorize': (browser) => browser.submitFromElsewhere(AUTHORIZE, request()),
    'POST authorize, signed': (browser) => browser.submitFromElsewhere(AUTHORIZE, signed()),
    'POST par': async (browser) => browser.open(await pushed(request())),
    'POST par, signed': async (browser) => browser.open(await pushed(signed())),
  }
  for (const [name, way] of Object.entries(waiting)) {
    for (const [username, outcome] of [
      ['alice', 'code'],
      ['bob', 'login_required'],
    ] as const) {
      const browser = visitor()
      const login = asPage(await way(browser))
      t.equal(login.title, 'Sign in', name)
      t.equal(end(await signInOn(browser, login, username)), outcome, `${name}, signed in as ${username}`)
    }
  }
  const alice = visitor()
  const { id_token: own } = await people.signIn(alice)
  const bob = visitor()
  await signInAndAgree(bob, asks, 'bob')
  const asked = asPage(await bob.submitFromElsewhere(LOGOUT, leave))
  t.equal(end(await bob.submit(asked, { decision: 'logout' })), RETURN, 'POST logout of another user')
  t.equal(end(await visitor().submitFromElsewhere(LOGOUT, leave)), RETURN, 'without a session')
  t.equal(end(await alice.submitFromElsewhere(LOGOUT, { ...leave, id_token_hint: own })), RETURN)
  t.equal(end(await alice.open(requestUrl({ ...asks, ...silent }))), 'login_required', 'it ended the session')
  // Random text can have the first letters of a JWT.
  t.notOk(addresses.some((address) => /eyJ[\w-]*\.eyJ/.test(address)))
  t.ok(addresses.every((address) => address.length < 8000))
})

t.test('the largest access token is accepted in a header and in a form', async (t) => {
  const people = await start(t)
  const { access_token } = await people.signIn(people.visitor())
  t.ok(access_token.length > 11_000, `${access_token.length}`)
  await people.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = people.fastify.server.address() as AddressInfo
  for (const path of ['/userinfo', '/api/resource']) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: bearer(access_token) })
    t.equal(status, 200, path)
  }
  t.equal((await people.post('/userinfo', { access_token })).status, 200)
  await changeClient(people.storage, 'web', { set: { can_introspect: 'true' } })
  const { json } = await people.post('/oauth2/introspect', { token: access_token }, basic('web'))
  t.equal(json.active, true)
  await people.post('/oauth2/revoke', { token: access_token, client_id: 'shop' })
  const revoked = await people.post('/oauth2/introspect', { token: access_token }, basic('web'))
  t.equal(revoked.json.active, false)
})

t.test('what a token is for goes before custom claims, so that it is accepted in a header', async (t) => {
  const people = await start(t)
  const { storage } = people
  await storeDevices(storage)
  await changeClient(storage, 'tv', {
    set: { allowed_scopes: asks.scope, access_token_format: 'jwt', custom_claims_in_access_token: 'true' },
  })
  const schema = { type: 'object', properties: { note: { type: 'string' } } }
  await storePayments(storage, { schema: JSON.stringify(schema), text: '{"en":"Keep a note"}' }, ['tv'])
  await people.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = people.fastify.server.address() as AddressInfo
  const note = (length: number) => ({ type: 'payment', note: 'x'.repeat(length) })
  const { codes, poll } = deviceOf(people)
  for (const [length, has_claims] of [
    [100, false],
    [8192 - JSON.stringify([note(0)]).length, false],
    [undefined, true],
  ] as const) {
    const details = length === undefined ? {} : { authorization_details: JSON.stringify([note(length)]) }
    const { device_code, verification_uri_complete } = await codes({ scope: asks.scope, ...details })
    await answerDevice(people.visitor(), verification_uri_complete)
    const { json } = await poll(device_code)
    const access_token = String(json.access_token)
    const { c1, authorization_details } = decodeJwt(access_token)
    t.strictSame(
      [c1 !== undefined, authorization_details !== undefined],
      [has_claims, !has_claims],
      `${length}`,
    )
    const { status } = await fetch(`http://127.0.0.1:${port}/userinfo`, { headers: bearer(access_token) })
    t.equal(status, 200, `${access_token.length}`)
  }
  t.ok(people.log.some((line) => line.includes('without custom claims')))
})
