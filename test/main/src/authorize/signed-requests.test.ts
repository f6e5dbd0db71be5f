// A signed request counts as it was signed, at the authorization endpoint and pushed (RFC 9101 §5, RFC 9126 §3).

import t from 'tap'
import { ASKS } from '../../../support/accounts.ts'
import { PAR, pushedUrl } from '../../../support/pushing.ts'
import { changeClient } from '../../../support/records.ts'
import { giveKeys, requestObject } from '../../../support/request-objects.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { basic, codeRequest, REDIRECT_URI } from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
} from '../../../support/trusted-issuer.ts'
import { asDeparture, asPage, type Departure, type Page } from '../../../support/visitor.ts'

const KEY = issuerKey()
const signed = (overrides: Claims = {}, header: Claims = {}) =>
  requestObject(KEY, { ...ASKS, ...overrides }, header)
const url = (request: string, more: Record<string, string> = {}) =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: 'shop', request, ...more })}`
const shown = (found: Page | Departure) =>
  'location' in found ? `sent to ${found.location}` : /<code>(\w+)<\/code>/.exec(found.text)?.[1]

async function start(t: Parameters<typeof scene>[0], options = {}, more = {}) {
  const service = await scene(t, options)
  for (const client_id of ['shop', 'wiki']) await giveKeys(service.storage, client_id, [KEY], more)
  return service
}

t.test('a user signs in to a signed request, sent or pushed', async (t) => {
  const service = await start(t, {}, { require_signed_request_object: 'true' })
  const pushed = async () => {
    const { json } = await service.post(PAR, { client_id: 'shop', request: signed({ state: 'pushed' }) })
    return pushedUrl(String(json.request_uri))
  }
  for (const [state, address] of [
    ['sent', url(signed({ state: 'sent' }))],
    ['pushed', await pushed()],
  ] as const) {
    const alice = service.visitor()
    const next = await signInOn(alice, await alice.page(address))
    const { location, told } =
      'location' in next ? next : asDeparture(await alice.submit(next, { decision: 'allow' }))
    t.equal(`${location.origin}${location.pathname}`, REDIRECT_URI)
    t.equal(told.get('state'), state)
    const answer = await service.token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
    t.equal(answer.status, 200, state)
  }
})

t.test('nothing outside a request object counts', async (t) => {
  const service = await start(t)
  const outside = {
    redirect_uri: 'https://evil.example/cb',
    scope: 'openid api.read',
    state: 'outside',
    prompt: 'login',
    response_mode: 'form_post',
    registration: '{}',
    max_age: 'x',
  }
  const inside = signed({ prompt: 'none', state: 'inside' })
  const { location, told } = asDeparture(await service.visitor().open(url(inside, outside)))
  t.equal(`${location.origin}${location.pathname}`, REDIRECT_URI)
  t.strictSame([told.get('error'), told.get('state')], ['login_required', 'inside'])
  const faulty = asDeparture(await service.visitor().open(`${url(inside)}&scope=x&scope=y&state=%FF`))
  t.strictSame([faulty.told.get('error'), faulty.told.get('state')], ['login_required', 'inside'])
  const twice = asDeparture(await service.visitor().open(`${requestUrl()}&request=x&request=y`))
  t.strictSame(twice.told.get('error'), 'invalid_request', 'with an address to return to')
  const { state: _, ...form } = outside
  const { json } = await service.post(PAR, { client_id: 'shop', request: inside, ...form })
  const pushed = asDeparture(await service.visitor().open(pushedUrl(String(json.request_uri))))
  t.strictSame([pushed.told.get('error'), pushed.told.get('state')], ['login_required', 'inside'])
})

t.test('a request object that is refused is shown, and one that asks for too much is answered', async (t) => {
  const service = await start(t)
  const { visitor, post } = service
  const plain = Object.fromEntries(new URL(requestUrl(), 'http://x').searchParams)
  const refused: [name: string, address: string, error: string][] = [
    ['of another key', url(requestObject(issuerKey(KEY.kid), ASKS)), 'invalid_request_object'],
    ['of another client', url(signed({ client_id: 'wiki' })), 'invalid_request_object'],
    ['for another client', url(signed(), { client_id: 'wiki' }), 'invalid_request_object'],
    ['without client_id outside', url(signed()).replace('client_id=shop&', ''), 'invalid_request'],
    ['of an unknown client', url(signed(), { client_id: 'nobody' }), 'invalid_request'],
    ['with request_uri', url(signed(), { request_uri: 'https://a.example' }), 'invalid_request'],
    ['not signed well, with all parameters', url('x.y.z', plain), 'invalid_request_object'],
    ['to another address', url(signed({ redirect_uri: 'https://evil.example/' })), 'invalid_request'],
    [
      'with an address of another type',
      url(signed({ redirect_uri: [REDIRECT_URI] })),
      'invalid_request_object',
    ],
    ['with a mode of another type', url(signed({ response_mode: 1 })), 'invalid_request_object'],
    [
      'beside a request_uri that cannot be read',
      `${url(signed())}&request_uri=x&request_uri=y`,
      'invalid_request',
    ],
    ['given twice, without an address', `${url(signed())}&request=x`, 'invalid_request'],
  ]
  for (const [name, address, error] of refused) {
    t.equal(shown(await visitor().open(address)), error, name)
  }
  const answered: [Claims, string][] = [
    [{ scope: 'admin' }, 'invalid_scope'],
    [{ registration: {} }, 'registration_not_supported'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: ['openid'] }, 'invalid_request_object'],
    [{ state: 1 }, 'invalid_request_object'],
  ]
  for (const [overrides, error] of answered) {
    t.equal(asDeparture(await visitor().open(url(signed(overrides)))).told.get('error'), error)
    const { status, json } = await post(PAR, { client_id: 'shop', request: signed(overrides) })
    t.strictSame([status, json.error], [400, error], 'as JSON where it is pushed')
  }
  const { json } = await post(PAR, { client_id: 'shop', request: 'x.y.z' })
  t.equal(json.error, 'invalid_request_object')
  const unsigned = signed({}, { alg: 'none' })
  t.equal((await post(PAR, { client_id: 'shop', request: unsigned })).json.error, 'invalid_request_object')
  const own = { client_id: 'wiki', redirect_uri: 'https://wiki.example.org/cb?tenant=a%20b' }
  const foreign = await post(PAR, { request: signed() }, basic('wiki'))
  t.equal(foreign.json.error, 'invalid_request_object', 'of another client than the one that pushes')
  t.equal((await post(PAR, { request: signed(own) }, basic('wiki'))).status, 201)
})

t.test('a client that must sign sends nothing else', async (t) => {
  const service = await start(t, {}, { require_signed_request_object: 'true' })
  const { told } = asDeparture(await service.visitor().open(requestUrl()))
  t.equal(told.get('error'), 'invalid_request')
  t.match(told.get('error_description'), 'must sign its requests')
  const plain = Object.fromEntries(new URL(requestUrl(), 'http://x').searchParams)
  t.match((await service.post(PAR, plain)).json, { error: 'invalid_request', error_description: /must sign/ })
  t.equal((await service.visitor().page(url(signed()))).title, 'Sign in')
  const { json } = await service.get('/.well-known/openid-configuration')
  t.match(json, {
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    require_signed_request_object: false,
    request_object_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
  })
})

t.test('a signed request that was accepted is not verified again', async (t) => {
  const service = await start(t)
  const { client_keys } = service.fastify.redmint
  let looked_up = 0
  const find = client_keys.find.bind(client_keys)
  client_keys.find = (...args) => {
    looked_up += 1
    return find(...args)
  }
  const { json } = await service.post(PAR, { client_id: 'shop', request: signed() })
  t.equal(looked_up, 1)
  await changeClient(service.storage, 'shop', { set: { jwks: '' } })
  const alice = service.visitor()
  const consent = asPage(await signInOn(alice, await alice.page(pushedUrl(String(json.request_uri)))))
  t.ok(asDeparture(await alice.submit(consent, { decision: 'allow' })).told.has('code'))
  t.equal(looked_up, 1)
})

t.test(
  'an assertion is no request object, and a request object is no assertion (RFC 9101 §10.8)',
  async (t) => {
    const service = await start(t)
    await changeClient(service.storage, 'wiki', {
      set: { token_endpoint_auth_method: 'private_key_jwt', client_secret_hash: '' },
    })
    const own = { client_id: 'wiki', redirect_uri: 'https://wiki.example.org/cb?tenant=a%20b', jti: 'one' }
    const assertion = (more: Claims = {}) => assertionOf(KEY, claimsOf('wiki', 'wiki', more))
    const push = (client_assertion: string, more: Record<string, string>) =>
      service.post(PAR, {
        client_id: 'wiki',
        client_assertion_type: CLIENT_ASSERTION_TYPE,
        client_assertion,
        ...more,
      })
    t.equal((await push(assertion(), { request: signed(own) })).status, 201, 'each in its place')
    const nbf = Math.floor(Date.now() / 1000)
    const both = assertion({ ...own, nbf, response_type: 'code' })
    t.equal((await push(assertion(), { request: both })).json.error, 'invalid_request_object')
    t.equal(shown(await service.visitor().open(url(both, { client_id: 'wiki' }))), 'invalid_request_object')
    const { status, json } = await push(signed(own), { request: signed(own) })
    t.strictSame([status, json.error], [401, 'invalid_client'])
    const untyped = signed({ ...own, sub: undefined }, { typ: undefined })
    t.equal((await push(untyped, { request: signed(own) })).status, 401, 'without a type')
  },
)
