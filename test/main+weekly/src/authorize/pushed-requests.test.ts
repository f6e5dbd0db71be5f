// A pushed request counts as it was pushed, for its client only, and is spent by one code or one error (RFC 9126 §4).

import t from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { PAR, pushedUrl, REQUEST_URI, requestUriOf } from '../../../support/pushing.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest, REDIRECT_URI } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage, type Departure, type Page } from '../../../support/visitor.ts'

const OVER = 'This sign-in is no longer open'
const AGREE = 'Allow The Shop to access your account?'

/** The error that a page shows; `undefined` if the browser was sent to the client. */
const shown = (found: Page | Departure) =>
  'location' in found ? undefined : /<code>(\w+)<\/code>/.exec(found.text)?.[1]

forEachStorage(t, 'a user signs in to a pushed request, in two languages', async (t, makeStorage) => {
  const service = await scene(t, { storage: (await makeStorage()).storage })
  for (const [ui_locales, title] of [
    ['en', 'Sign in'],
    ['de', 'Anmelden'],
  ] as const) {
    const alice = service.visitor()
    const uri = await requestUriOf(service, { ui_locales, state: ui_locales, nonce: 'a nonce' })
    const login = await alice.page(pushedUrl(uri))
    t.equal(login.title, title)
    t.equal((await alice.page(pushedUrl(uri))).title, title, 'the page can be loaded again')
    t.equal((await alice.page(login.url)).title, title)
    const next = await signInOn(alice, login)
    const answer = 'location' in next ? next : asDeparture(await alice.submit(next, { decision: 'allow' }))
    t.equal(`${answer.location.origin}${answer.location.pathname}`, REDIRECT_URI)
    t.equal(answer.told.get('state'), ui_locales)
    const code = String(answer.told.get('code'))
    t.equal((await service.token(codeRequest(code, { client_id: 'shop' }))).status, 200)
    t.equal(shown(await alice.page(pushedUrl(uri))), 'invalid_request_uri', 'it is spent')
    const again = await service.visitor().page(pushedUrl(uri))
    t.equal(again.title, title === 'Sign in' ? OVER : again.title)
    t.equal(again.status, 400, 'in another browser, too')
    t.equal((await alice.page(login.url)).status, 400, 'and the page of the sign-in')
  }
})

forEachStorage(t, 'of all browsers with one request_uri, one gets a code', async (t, makeStorage) => {
  const place = await makeStorage()
  const [one, other] = [
    await scene(t, { storage: place.storage }),
    await scene(t, { storage: place.storage }),
  ]
  const people = [
    { visitor: one.visitor(), username: 'alice' },
    { visitor: other.visitor(), username: 'bob' },
  ]
  // At the authorization endpoint, with sessions.
  for (const { visitor, username } of people) await signInAndAgree(visitor, {}, username)
  const uri = await requestUriOf(one)
  const found = await Promise.all([...people, ...people].map(({ visitor }) => visitor.open(pushedUrl(uri))))
  t.equal(found.filter((answer) => 'location' in answer && answer.told.has('code')).length, 1)
  for (const answer of found) {
    if (!('location' in answer)) t.equal(shown(answer), 'invalid_request_uri')
  }
  // On the pages, each with a request of its own that waits.
  const asked = await requestUriOf(one, { prompt: 'consent' })
  const pages = await Promise.all(people.map(({ visitor }) => visitor.page(pushedUrl(asked))))
  const ends = await Promise.all(
    people.map(({ visitor }, i) => visitor.submit(pages[i] as Page, { decision: 'allow' })),
  )
  t.equal(ends.filter((answer) => 'location' in answer && answer.told.has('code')).length, 1)
  for (const answer of ends) if (!('location' in answer)) t.equal(answer.title, OVER)
})

t.test('a user who answers too late is not part of the sign-in', async (t) => {
  const service = await scene(t)
  await changeClient(service.storage, 'shop', { set: { logout_ends_tokens: 'true' } })
  const uri = await requestUriOf(service, { scope: 'openid' })
  const [alice, mallory] = [service.visitor(), service.visitor()]
  const [consent, late] = [
    asPage(await signInOn(alice, await alice.page(pushedUrl(uri)))),
    asPage(await signInOn(mallory, await mallory.page(pushedUrl(uri)), 'bob')),
  ]
  t.equal(consent.title, AGREE)
  const { told } = asDeparture(await alice.submit(consent, { decision: 'allow' }))
  const tokens = await service.token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
  // Nothing says any more whose the code was.
  service.pass(61)
  t.equal(asPage(await mallory.submit(late, { decision: 'allow' })).title, OVER)
  const logout = await mallory.page('/oauth2/logout')
  await mallory.submit(logout, { decision: 'logout' })
  const userinfo = { authorization: `Bearer ${tokens.json.access_token}` }
  t.equal((await service.get('/userinfo', userinfo)).status, 200, 'the logout of the other user ends nothing')
})

forEachStorage(t, 'an error spends a pushed request as a code does', async (t, makeStorage) => {
  const service = await scene(t, { storage: (await makeStorage()).storage })
  const alice = service.visitor()
  const silent = await requestUriOf(service, { prompt: 'none', state: 'silent' })
  const { told } = asDeparture(await alice.open(pushedUrl(silent)))
  t.strictSame([told.get('error'), told.get('state')], ['login_required', 'silent'])
  t.equal(shown(await alice.open(pushedUrl(silent))), 'invalid_request_uri')

  const refused = await requestUriOf(service)
  const consent = asPage(await signInOn(alice, await alice.page(pushedUrl(refused))))
  const denied = asDeparture(await alice.submit(consent, { decision: 'deny' }))
  t.equal(denied.told.get('error'), 'access_denied')
  t.equal(shown(await service.visitor().open(pushedUrl(refused))), 'invalid_request_uri')

  // The client changed between the two requests, and at the page of the sign-in.
  const waiting = await requestUriOf(service, { scope: 'openid profile' })
  const nobody = service.visitor()
  const login = await nobody.page(pushedUrl(waiting))
  const narrowed = await requestUriOf(service, { scope: 'openid profile' })
  await changeClient(service.storage, 'shop', { set: { allowed_scopes: 'openid' } })
  const { clients } = service.fastify.redmint
  await until('the change counts', async () => (await clients.find('shop'))?.allowed_scopes.length === 1)
  const late = asDeparture(await alice.open(pushedUrl(narrowed)))
  t.equal(late.told.get('error'), 'invalid_scope')
  t.equal(asDeparture(await nobody.open(login.url)).told.get('error'), 'invalid_scope')
  t.equal(shown(await nobody.open(pushedUrl(waiting))), 'invalid_request_uri', 'also without a session')
  t.equal(shown(await alice.open(pushedUrl(narrowed))), 'invalid_request_uri')
})

forEachStorage(
  t,
  'what is no request_uri of the client is shown, never redirected',
  async (t, makeStorage) => {
    const service = await scene(t, { storage: (await makeStorage()).storage })
    const uri = await requestUriOf(service)
    const { id } = { id: uri.slice(REQUEST_URI.length) }
    const plain = { redirect_uri: REDIRECT_URI, response_type: 'code', state: 's', scope: 'openid' }
    const wrong = {
      foreign: pushedUrl(uri, { client_id: 'own' }),
      'of an unknown client': pushedUrl(uri, { client_id: 'nobody' }),
      guessed: pushedUrl(REQUEST_URI + newToken(newFamilyId())),
      'of the same family': pushedUrl(REQUEST_URI + newToken(id.slice(0, 16))),
      empty: pushedUrl(REQUEST_URI),
      'another form': pushedUrl(`${uri}x`),
      'of another kind': pushedUrl(`${REQUEST_URI}../code:{x}`),
    }
    for (const [name, url] of Object.entries(wrong)) {
      for (const more of ['', `&${new URLSearchParams(plain)}`]) {
        const found = await service.visitor().open(url + more)
        t.equal(shown(found), 'invalid_request_uri', name)
        t.match(found.status, 400, name)
      }
    }
    t.equal(
      shown(await service.visitor().open(pushedUrl(uri).replace('client_id=shop&', ''))),
      'invalid_request',
    )
    const both = await service.visitor().open(pushedUrl(uri, { request: 'e30.e30.' }))
    t.equal(shown(both), 'invalid_request', 'with a request object')
    t.equal((await service.visitor().page(pushedUrl(uri))).title, 'Sign in', 'no attempt spent it')
  },
)

t.test('nothing else of the query counts', async (t) => {
  const service = await scene(t)
  const uri = await requestUriOf(service, { state: 'pushed', prompt: 'none' })
  const more = {
    redirect_uri: 'https://evil.example/cb',
    state: 'query',
    prompt: 'login',
    response_mode: 'form_post',
    scope: 'openid api.read',
    subject: 'bob',
    registration: '{}',
  }
  const { location, told } = asDeparture(await service.visitor().open(pushedUrl(uri, more)))
  t.equal(`${location.origin}${location.pathname}`, REDIRECT_URI)
  t.strictSame([told.get('error'), told.get('state')], ['login_required', 'pushed'])
})

forEachStorage(t, 'a scope that is left out is decided when it is pushed', async (t, makeStorage) => {
  const service = await scene(t, { storage: (await makeStorage()).storage })
  const { clients } = service.fastify.redmint
  const allow = async (scope: string) => {
    await changeClient(service.storage, 'shop', { set: { allowed_scopes: scope } })
    await until('it counts', async () => (await clients.find('shop'))?.allowed_scopes.join(' ') === scope)
  }
  const alice = service.visitor()
  await signInAndAgree(alice, { scope: 'openid email' })
  for (const [before, after, granted] of [
    ['openid email', 'openid email phone', 'openid email'],
    ['openid email', 'openid phone', 'openid'],
    ['', 'openid phone', ''],
  ] as const) {
    await allow(before)
    const [uri, asked] = [
      await requestUriOf(service, { scope: undefined }),
      await requestUriOf(service, { scope: undefined, prompt: 'consent' }),
    ]
    await allow(after)
    const page = asPage(await alice.open(pushedUrl(asked)))
    const ends = [await alice.open(pushedUrl(uri)), await alice.submit(page, { decision: 'allow' })]
    for (const end of ends) {
      const code = String(asDeparture(end).told.get('code'))
      const { json } = await service.token(codeRequest(code, { client_id: 'shop' }))
      t.equal(json.scope, granted, `pushed with ${before}, sent with ${after}`)
    }
  }
  // What fitted when it was pushed still does, whatever the client may obtain now.
  await allow('openid')
  const long = await requestUriOf(service, { scope: undefined, prompt: 'login', state: 's'.repeat(3500) })
  await allow(`openid ${'x'.repeat(500)}`)
  t.equal(asPage(await alice.open(pushedUrl(long))).title, 'Sign in')
})

t.test('a pushed request must be presented in time, and the sign-in may then take its own', async (t) => {
  const service = await scene(t, { par_ttl: 30, sign_in_ttl: 200 })
  const [uri, late] = [await requestUriOf(service), await requestUriOf(service)]
  const alice = service.visitor()
  service.pass(20)
  const login = await alice.page(pushedUrl(uri))
  service.pass(11)
  t.equal(shown(await service.visitor().open(pushedUrl(late))), 'invalid_request_uri')
  t.equal(shown(await alice.open(pushedUrl(uri))), 'invalid_request_uri', 'nor again')
  service.pass(180)
  const consent = asPage(await signInOn(alice, login))
  t.ok(asDeparture(await alice.submit(consent, { decision: 'allow' })).told.has('code'))
  t.equal(shown(await alice.open(pushedUrl(uri))), 'invalid_request_uri')
})

t.test('by form, the browser is asked for its cookies before the request is spent', async (t) => {
  const service = await scene(t)
  const alice = service.visitor()
  await signInAndAgree(alice)
  const uri = await requestUriOf(service)
  const form = { client_id: 'shop', request_uri: uri }
  t.ok(asDeparture(await alice.submitFromElsewhere('/oauth2/authorize', form)).told.has('code'))
})

t.test('a request_uri of another server is refused with the way to one of this server', async (t) => {
  const service = await scene(t)
  await changeClient(service.storage, 'own', { set: { require_pushed_authorization_requests: 'true' } })
  const refused = {
    error: 'request_uri_not_supported',
    error_description:
      /not one of this server: push the request to its pushed_authorization_request_endpoint/,
  }
  for (const client_id of ['own', 'shop']) {
    for (const request_uri of ['https://app.example.com/request', 'urn:example:request']) {
      const url = pushedUrl(request_uri, { client_id })
      const { status, json } = await service.get(url, { accept: 'application/json' })
      t.match({ status, json }, { status: 400, json: refused }, 'without any other parameter')
      const { told } = asDeparture(await service.visitor().open(requestUrl({ client_id, request_uri })))
      t.match(Object.fromEntries(told), refused, 'beside the parameters of a plain request')
    }
  }
})

t.test('a client, or every client, must push', async (t) => {
  const demanding = await scene(t, { require_pushed_authorization_requests: true })
  const free = await scene(t)
  await changeClient(free.storage, 'own', { set: { require_pushed_authorization_requests: 'true' } })
  for (const [service, client_id] of [
    [demanding, 'shop'],
    [free, 'own'],
  ] as const) {
    const alice = service.visitor()
    const { told } = asDeparture(await alice.open(requestUrl({ client_id })))
    t.equal(told.get('error'), 'invalid_request')
    t.match(told.get('error_description'), `push it to https://auth.example.com${PAR}`)
    t.equal(told.get('state'), 'a state')
    const elsewhere = await alice.page(requestUrl({ client_id, redirect_uri: 'https://evil.example/' }))
    t.equal(shown(elsewhere), 'invalid_request', 'an address that is not registered is told nothing')
    const uri = await requestUriOf(service, { client_id })
    t.equal((await alice.page(pushedUrl(uri, { client_id }))).title, 'Sign in')
    const { json } = await service.get('/.well-known/openid-configuration')
    t.match(json, {
      pushed_authorization_request_endpoint: `https://auth.example.com${PAR}`,
      require_pushed_authorization_requests: service === demanding,
    })
  }
  t.equal((await free.visitor().page(requestUrl())).title, 'Sign in', 'another client may send it plainly')
})
