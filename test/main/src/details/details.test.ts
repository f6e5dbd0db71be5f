// Rich authorization requests (RFC 9396): what a person allows in detail, and what tokens have of it.
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { DETAIL_TYPE } from '../../../../src/details/detail-type.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { deviceOf, openDevice, storeDevices } from '../../../support/device.ts'
import { BILLING, exchangeAs, ORDERS, startChain } from '../../../support/exchange.ts'
import { forEachService, type Lifecycle } from '../../../support/lifecycle.ts'
import { pushedUrl, requestUriOf } from '../../../support/pushing.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest, basic, codeRequest } from '../../../support/service.ts'
import { asDeparture, asPage, type Page } from '../../../support/visitor.ts'

const BOTH = ['memory', 'redis'] as const
const SMALLER = { ...PAYMENT, amount: 10 }

/** Signs alice in at `web`, and returns the answer to the code. */
async function signIn({ get, token }: Lifecycle, authorization_details?: string, form = {}) {
  const asked = { client_id: 'web', scope: 'openid api.read offline_access', authorization_details }
  const { redirect } = await get(`/oauth2/authorize?${new URLSearchParams(authorizationRequest(asked))}`)
  if (redirect.has('error')) return { status: 302, json: Object.fromEntries(redirect) }
  return await token(
    { ...codeRequest(String(redirect.get('code')), { client_id: 'web' }), ...form },
    basic('web'),
  )
}

async function startWithPayments(
  start: Parameters<typeof startChain>[0],
  options?: Parameters<typeof startChain>[1],
) {
  const service = await startChain(start, options)
  await storePayments(service.storage, {}, ['web', 'orders'])
  await changeClient(service.storage, 'web', {
    set: { grant_types: 'authorization_code refresh_token client_credentials' },
  })
  return service
}

forEachService(
  'a token has what was allowed in detail, and each part of it',
  async (t, start, _place, format) => {
    const service = await startWithPayments(start)
    const { json } = await signIn(service, detailsOf())
    t.strictSame(json.authorization_details, [PAYMENT])
    if (format === 'jwt') t.strictSame(decodeJwt(String(json.access_token)).authorization_details, [PAYMENT])
    const seen = await service.introspect('gateway', String(json.access_token))
    t.strictSame(seen.json.authorization_details, [PAYMENT])

    const refresh = async (refresh_token: unknown, more = {}) =>
      service.token(
        { grant_type: 'refresh_token', refresh_token: String(refresh_token), ...more },
        basic('web'),
      )
    const narrower = await refresh(json.refresh_token, { authorization_details: detailsOf(SMALLER) })
    t.match(
      { status: narrower.status, json: narrower.json },
      { status: 200, json: { authorization_details: [SMALLER] } },
    )
    const less = await service.introspect('gateway', String(narrower.json.access_token))
    t.strictSame(less.json.authorization_details, [SMALLER])
    const whole = await refresh(narrower.json.refresh_token)
    t.strictSame(whole.json.authorization_details, [PAYMENT], 'T21: absent is the same as was granted')
    for (const more of [
      { ...PAYMENT, amount: 13 },
      { ...PAYMENT, creditor: 'Merchant B' },
    ])
      t.match(
        await refresh(whole.json.refresh_token, { authorization_details: detailsOf(more) }),
        { status: 400, json: { error: 'invalid_authorization_details' } },
        'T21: never more',
      )
    t.match(await refresh(whole.json.refresh_token), { status: 200 }, 'nothing was spent')
  },
  undefined,
  BOTH,
)

forEachService(
  'T20: a code without details has none, whatever the token request says',
  async (t, start) => {
    const service = await startWithPayments(start)
    t.match(await signIn(service), { status: 200, json: { authorization_details: undefined } })
    t.match(await signIn(service, undefined, { authorization_details: detailsOf() }), {
      status: 400,
      json: { error: 'invalid_authorization_details' },
    })
    t.match(await signIn(service, detailsOf(), { authorization_details: detailsOf(SMALLER) }), {
      status: 200,
      json: { authorization_details: [SMALLER] },
    })
  },
  undefined,
  BOTH,
)

forEachService(
  'a repeated refresh gets the same details, and no others',
  async (t, start) => {
    const service = await startWithPayments(start)
    await changeClient(service.storage, 'web', { set: { refresh_token_rotation: 'true' } })
    const { json } = await signIn(service, detailsOf())
    const refresh = (more = {}) =>
      service.token(
        { grant_type: 'refresh_token', refresh_token: String(json.refresh_token), ...more },
        basic('web'),
      )
    const asked = { authorization_details: detailsOf(SMALLER) }
    const first = await refresh(asked)
    const again = await refresh(asked)
    t.strictSame(again.json.authorization_details, [SMALLER])
    t.equal(again.json.refresh_token, first.json.refresh_token)
    t.match(await refresh(), { status: 400, json: { error: 'invalid_grant' } })
  },
  undefined,
  BOTH,
)

forEachService(
  'T21: an exchanged token has the details of its subject token, or fewer',
  async (t, start, _place, format) => {
    const service = await startWithPayments(start)
    const request = authorizationRequest({
      client_id: 'web',
      scope: 'openid api.read',
      resource: ORDERS,
      authorization_details: detailsOf(),
    })
    const { redirect } = await service.get(`/oauth2/authorize?${new URLSearchParams(request)}`)
    const code = codeRequest(String(redirect.get('code')), { client_id: 'web' })
    const { json } = await service.token(code, basic('web'))
    const subject = String(json.access_token)
    const same = await exchangeAs(service, 'orders', subject)
    t.strictSame(same.json.authorization_details, [PAYMENT])
    const less = await exchangeAs(service, 'orders', subject, { authorization_details: detailsOf(SMALLER) })
    t.strictSame(less.json.authorization_details, [SMALLER])
    const derived = String(less.json.access_token)
    if (format === 'jwt') t.strictSame(decodeJwt(derived).authorization_details, [SMALLER])
    t.strictSame((await service.introspect('gateway', derived)).json.authorization_details, [SMALLER])
    t.match(
      await exchangeAs(service, 'orders', subject, {
        authorization_details: detailsOf({ ...PAYMENT, amount: 99 }),
      }),
      {
        status: 400,
        json: { error: 'invalid_authorization_details' },
      },
    )
    // `billing` may not have the type.
    const next = await exchangeAs(service, 'billing', derived, { resource: BILLING })
    t.match(next, { status: 200, json: { authorization_details: undefined } })
  },
  undefined,
  BOTH,
)

forEachService('a token without a scope is exchanged for its details', async (t, start) => {
  const service = await startWithPayments(start)
  const asked = { client_id: 'web', scope: undefined, resource: ORDERS, authorization_details: detailsOf() }
  const { redirect } = await service.get(
    `/oauth2/authorize?${new URLSearchParams(authorizationRequest(asked))}`,
  )
  const code = codeRequest(String(redirect.get('code')), { client_id: 'web' })
  const { json } = await service.token(code, basic('web'))
  t.equal(json.scope, '')
  t.match(await exchangeAs(service, 'orders', String(json.access_token)), {
    status: 200,
    json: { scope: '', authorization_details: [PAYMENT] },
  })
  // Who may have neither gets no token.
  await changeClient(service.storage, 'orders', { set: {}, unset: ['authorization_details_types'] })
  t.match(await exchangeAs(service, 'orders', String(json.access_token)), {
    status: 400,
    json: { error: 'invalid_scope' },
  })
})

t.test('T19: what is no detail of a known type is refused', async (t) => {
  const { storage, get } = await scene(t)
  await storePayments(storage, {}, ['web'])
  const errorOf = async (authorization_details: string) => {
    const asked = authorizationRequest({ client_id: 'web', authorization_details })
    const { redirect } = await get(`/oauth2/authorize?${new URLSearchParams(asked)}`)
    return redirect.get('error') ?? 'none'
  }
  t.equal(await errorOf(detailsOf()), 'none')
  for (const [name, text] of [
    ['an unknown type', detailsOf({ type: 'other' })],
    ['a type of no name', detailsOf({ ...PAYMENT, type: '__proto__' })],
    ['an unknown member', detailsOf({ ...PAYMENT, more: 1 })],
    ['an inherited name', detailsOf({ ...PAYMENT, constructor: 1 })],
    [
      'a member that JSON calls __proto__',
      '[{"type":"payment","amount":1,"currency":"EUR","creditor":"A","__proto__":{}}]',
    ],
    ['a member twice', '[{"type":"payment","amount":1,"amount":2,"currency":"EUR","creditor":"A"}]'],
    ['a number that is infinite', '[{"type":"payment","amount":1e400,"currency":"EUR","creditor":"A"}]'],
    ['deep nesting', `[{"type":"payment","amount":${'['.repeat(50)}${']'.repeat(50)}}]`],
    ['a missing member', detailsOf({ type: 'payment', amount: 1 })],
    ['the same object twice', detailsOf(PAYMENT, PAYMENT)],
    ['an object', JSON.stringify(PAYMENT)],
    ['no JSON', 'payment'],
  ] as const)
    t.equal(await errorOf(text), 'invalid_authorization_details', name)
  await storage.records.change(DETAIL_TYPE, 'payment', { set: { disabled: 'true' } })
  t.equal(await errorOf(detailsOf()), 'invalid_authorization_details', 'a disabled type')
})

/** Signs alice in at the shop, which asks for a payment, and returns the page of the question. */
async function askForPayment(t: Test, fields = {}, more = {}) {
  const service = await scene(t)
  await storePayments(service.storage, fields)
  const visitor = service.visitor()
  const url = requestUrl({ authorization_details: detailsOf(), ...more })
  const ask = async () => asPage(await visitor.open(url))
  const question = asPage(await signInOn(visitor, await ask()))
  return { ...service, visitor, question, ask, url }
}

t.test('a person reads what is asked, each time', async (t) => {
  const { visitor, question, ask, storage } = await askForPayment(t)
  t.match(question.text, /Pay <strong><bdi>12\.5<\/bdi><\/strong> <strong><bdi>EUR<\/bdi>/)
  t.match(asDeparture(await visitor.submit(question, { decision: 'allow' })).told.get('code'), /./)
  const again = await ask()
  t.match(again.text, 'Merchant A', 'asked again')
  await changeClient(storage, 'shop', { set: { first_party: 'true' } })
  t.match((await ask()).text, 'Merchant A', 'also for a first-party client')
  const none = asDeparture(
    await visitor.open(requestUrl({ authorization_details: detailsOf(), prompt: 'none' })),
  )
  t.equal(none.told.get('error'), 'consent_required')
})

t.test('a type that says so is remembered, for the same object alone', async (t) => {
  const { visitor, question, url } = await askForPayment(t, { remember: 'true' })
  await visitor.submit(question, { decision: 'allow' })
  t.match(asDeparture(await visitor.open(url)).told.get('code'), /./)
  const other = requestUrl({ authorization_details: detailsOf(SMALLER) })
  t.match(asPage(await visitor.open(other)).text, '<bdi>10</bdi>')
})

t.test('T20: a person agrees to what was shown', async (t) => {
  const { visitor, question, storage } = await askForPayment(t)
  const text = JSON.stringify({ en: 'Give {amount} {currency} to {creditor}' })
  await storage.records.change(DETAIL_TYPE, 'payment', { set: { text } })
  const again = asPage(await visitor.submit(question, { decision: 'allow' }))
  t.match(again.text, 'Give <strong>', 'the sentence changed meanwhile: it is asked anew')
  await storage.records.change(DETAIL_TYPE, 'payment', { set: { disabled: 'true' } })
  const refused = asDeparture(await visitor.submit(again, { decision: 'allow' }))
  t.equal(refused.told.get('error'), 'invalid_authorization_details')
})

t.test('T19: values are shown as text', async (t) => {
  const creditor = '\u202E<script>alert(1)</script>\u0007'
  const { question } = await askForPayment(
    t,
    {},
    {
      authorization_details: detailsOf({ ...PAYMENT, creditor, purpose: 'rent' }),
    },
  )
  t.match(question.text, '<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>')
  t.notMatch(question.text, '\u202E')
  t.match(question.text, '<dt><bdi>purpose</bdi></dt><dd><bdi>rent</bdi></dd>', 'what the sentence lacks')
})

t.test('T20: a type can demand pushed requests', async (t) => {
  const service = await scene(t)
  await storePayments(service.storage, { pushed: 'true' })
  const visitor = service.visitor()
  const refused = asDeparture(await visitor.open(requestUrl({ authorization_details: detailsOf() })))
  t.equal(refused.told.get('error'), 'invalid_authorization_details')
  const request_uri = await requestUriOf(service, { authorization_details: detailsOf() })
  const question = asPage(await signInOn(visitor, await visitor.page(pushedUrl(request_uri))))
  t.match(question.text, 'Merchant A')
  t.match(asDeparture(await visitor.submit(question, { decision: 'allow' })).told.get('code'), /./)
})

t.test('who asks for details alone gets no scope', async (t) => {
  for (const scope of [undefined, ' ']) {
    const asked = { authorization_details: detailsOf(), scope }
    const { visitor, question, token, ...service } = await askForPayment(t, {}, asked)
    const check = async (page: Page, way: string) => {
      const { told } = asDeparture(await visitor.submit(page, { decision: 'allow' }))
      const { json } = await token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
      t.match(json, { scope: '', authorization_details: [PAYMENT], id_token: undefined }, way)
    }
    await check(question, `sent with ${scope}`)
    const request_uri = await requestUriOf(service, asked)
    await check(asPage(await visitor.open(pushedUrl(request_uri))), `pushed with ${scope}`)
  }
})

t.test('a client loses what an operator takes from it', async (t) => {
  const { visitor, question, token, storage } = await askForPayment(t)
  const { told } = asDeparture(await visitor.submit(question, { decision: 'allow' }))
  await changeClient(storage, 'shop', { set: {}, unset: ['authorization_details_types'] })
  const { json } = await token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
  t.match(json, { authorization_details: undefined })
})

t.test('a device gets what its person allowed in detail', async (t) => {
  const service = await scene(t, { device_interval: 1 })
  await storeDevices(service.storage)
  await storePayments(service.storage, {}, ['tv'])
  const { codes, poll, ask } = deviceOf(service)
  t.match(await ask({ authorization_details: detailsOf({ type: 'other' }) }), {
    status: 400,
    json: { error: 'invalid_authorization_details' },
  })
  const { device_code, verification_uri_complete } = await codes({ authorization_details: detailsOf() })
  const person = service.visitor()
  const question = await openDevice(person, verification_uri_complete)
  t.match(question.text, 'Merchant A')
  await person.submit(question, { decision: 'allow' })
  const narrower = await poll(device_code, { authorization_details: detailsOf(SMALLER) })
  t.match(narrower, { status: 200, json: { authorization_details: [SMALLER] } })
  const blank = await codes({ authorization_details: detailsOf(), scope: ' ' })
  await person.submit(await openDevice(person, blank.verification_uri_complete), { decision: 'allow' })
  t.match(await poll(blank.device_code), { status: 200, json: { scope: '' } }, 'a blank scope is none')
})

t.test('nobody gets details without a person', async (t) => {
  const { storage, token } = await scene(t)
  await storePayments(storage, {}, ['service'])
  const form = { grant_type: 'client_credentials', authorization_details: detailsOf() }
  t.match(await token(form, basic('service')), {
    status: 400,
    json: { error: 'invalid_authorization_details' },
  })
})

t.test('the metadata names the types that there are', async (t) => {
  const { storage, get } = await scene(t)
  const types = async () =>
    (await get('/.well-known/openid-configuration')).json.authorization_details_types_supported
  t.equal(await types(), undefined)
  await storePayments(storage)
  t.strictSame(await types(), ['payment'])
  await storage.records.change(DETAIL_TYPE, 'payment', { set: { disabled: 'true' } })
  t.equal(await types(), undefined)
})
