// A pending request belongs to one browser, is answered once, and cannot be changed from outside.

import t from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { csrfToken, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { takeSession, useSession } from '../../../../src/sessions/session-store.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { changeClient, changeUser, readConsent } from '../../../support/records.ts'
import { ANSWERED_BY_PAGE, requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const EXPIRED = 'This sign-in is no longer open'
const AGREE = 'Allow The Shop to access your account?'
const SESSION = '__Host-redmint-session'

forEachStorage(t, 'another browser cannot continue a pending request', async (t, makeStorage) => {
  const { visitor } = await scene(t, { storage: (await makeStorage()).storage })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const consent = asPage(await signInOn(alice, login))
  const mallory = visitor()
  for (const [name, prepare] of [
    ['without cookies', () => {}],
    ['with cookies of its own', async () => void (await mallory.page(requestUrl()))],
    ['signed in', async () => void (await signInAndAgree(mallory, {}, 'bob'))],
    ['with a made-up cookie', () => void mallory.cookies.set('__Host-redmint-browser', 'x'.repeat(43))],
    ['with a malformed cookie', () => void mallory.cookies.set('__Host-redmint-browser', 'x')],
  ] as const) {
    await prepare()
    const shown = await mallory.page(consent.url)
    t.equal(shown.status, 400, name)
    t.equal(shown.title, EXPIRED, name)
    const posted = asPage(await mallory.submit(consent, { decision: 'allow' }))
    t.equal(posted.title, EXPIRED, `${name}, by form`)
    t.notMatch(shown.text, /\bAlice\b/, 'the page does not name the user')
  }
  t.ok(
    asDeparture(await alice.submit(consent, { decision: 'allow' })).told.get('code'),
    'the request is unchanged',
  )
})

forEachStorage(t, 'a pending request is answered once', async (t, makeStorage) => {
  const { visitor } = await scene(t, { storage: (await makeStorage()).storage })
  const alice = visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl())))
  const answers = await Promise.all([1, 2, 3].map(() => alice.submit(consent, { decision: 'allow' })))
  const codes = answers.filter((answer) => 'location' in answer)
  t.equal(codes.length, 1, 'one of three at the same time')
  for (const answer of answers) if (!('location' in answer)) t.equal(answer.title, EXPIRED)
  t.equal((await alice.page(consent.url)).title, EXPIRED, 'the back button')
  t.equal(asPage(await alice.submit(consent, { decision: 'deny' })).title, EXPIRED)

  const refused = await alice.page(requestUrl({ ...ANSWERED_BY_PAGE, prompt: 'consent' }))
  const form = new URLSearchParams({ ...refused.hidden, decision: 'deny' }).toString()
  const { headers } = await alice.request('POST', '/oauth2/interaction', form)
  const refusals = await Promise.all([1, 2, 3].map(() => alice.page(String(headers.location))))
  t.equal(refusals.filter((answer) => answer.hidden.error).length, 1, 'and one of three refusals')
})

t.test('a request that was answered stays so for as long as it can be presented', async (t) => {
  const { visitor, pass } = await scene(t)
  const alice = visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl({ prompt: 'consent' }))))
  asDeparture(await alice.submit(consent, { decision: 'allow' }))
  pass(240)
  t.equal(asPage(await alice.submit(consent, { decision: 'allow' })).title, EXPIRED)
})

t.test('an error is reported without a session, and nothing is stored', async (t) => {
  const { visitor, storage, fastify } = await scene(t)
  const nobody = visitor()
  const login = await nobody.page(requestUrl({ scope: 'openid profile' }))
  await changeClient(storage, 'shop', { set: { allowed_scopes: 'openid' } })
  const { clients } = fastify.redmint
  await until('the change counts', async () => (await clients.find('shop'))?.allowed_scopes.length === 1)
  for (const time of ['once', 'again']) {
    t.equal(asDeparture(await nobody.open(login.url)).told.get('error'), 'invalid_scope', time)
  }
})

t.test('invalid transactions', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  await alice.page(requestUrl())
  for (const query of ['', '?transaction=', '?transaction=x', `?transaction=${newToken(newFamilyId())}`]) {
    t.equal((await alice.page(`/oauth2/interaction${query}`)).title, EXPIRED, query)
  }
  await signInAndAgree(alice)
  const logout = await alice.page('/oauth2/logout')
  const { transaction = '' } = logout.hidden
  t.equal(
    (await alice.page(`/oauth2/interaction?transaction=${transaction}`)).title,
    EXPIRED,
    'that of a logout',
  )
  const twice = await alice.page('/oauth2/interaction?transaction=a&transaction=b')
  t.equal(twice.status, 400)
  t.equal((await alice.request('POST', '/oauth2/interaction', '')).status, 400)
  t.equal((await alice.request('POST', '/oauth2/interaction', 'transaction=x&csrf=y')).status, 400)
})

t.test('a request that is too long is refused, and a shorter one fits into a request line', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const lengthOf = (state: string) =>
    JSON.stringify(Object.fromEntries(new URL(requestUrl({ state }), 'http://x').searchParams)).length
  const room = 4096 - lengthOf('')
  const long = asDeparture(await alice.open(requestUrl({ state: 's'.repeat(room + 1) })))
  t.equal(long.told.get('error'), 'invalid_request')
  t.match(long.told.get('error_description'), 'shorten its parameters to 4096 bytes')
  t.equal(long.told.get('state')?.length, room + 1)
  await signInAndAgree(visitor(), { state: 's'.repeat(room) })
  const shown = await alice.page(
    requestUrl({ state: 's'.repeat(9000), redirect_uri: 'https://evil.example' }),
  )
  t.equal(shown.status, 400, 'without a redirect_uri it is shown')

  const login = await alice.page(requestUrl({ state: 's'.repeat(room) }))
  const failed = asPage(await alice.submit(login, { username: '名'.repeat(300), password: 'wrong' }))
  t.ok(`GET ${failed.url} HTTP/1.1\r\n`.length < 8192, `${failed.url.length} characters`)
  const unknown = await alice.page(
    requestUrl({ unknown: 'u'.repeat(9000), claims_locales: 'a'.repeat(4000) }),
  )
  t.ok(unknown.url.length < 2000, 'what is not read is not kept')
})

t.test('a pending request expires', async (t) => {
  const { visitor, pass } = await scene(t, { sign_in_ttl: 100 })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  await alice.submit(login, { username: 'alice', password: 'wrong' })
  pass(50)
  t.equal((await alice.page(login.url)).title, 'Sign in')
  pass(51)
  t.equal((await alice.page(login.url)).title, EXPIRED, 'a step does not extend the lifetime')
  t.equal(asPage(await signInOn(alice, login)).title, EXPIRED)
})

forEachStorage(t, 'a form without the right csrf changes nothing', async (t, makeStorage) => {
  const { visitor, storage } = await scene(t, { storage: (await makeStorage()).storage })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const browser = alice.cookies.get('__Host-redmint-browser') ?? ''
  const { transaction = '' } = login.hidden
  const elsewhere = (await alice.page(requestUrl())).hidden.csrf
  const wrong = {
    'no csrf': undefined,
    'an empty one': '',
    'a made-up one': 'x'.repeat(43),
    'that of another request': elsewhere,
    'that of a session': csrfToken(browser, transaction, 'a-sid'),
  }
  for (const [name, csrf] of Object.entries(wrong)) {
    const page = asPage(await alice.submit(login, { csrf, username: 'alice', password: PASSWORD }))
    t.equal(page.title, 'Sign in', name)
    t.equal(alice.cookies.get(SESSION), undefined, `${name}: nobody is signed in`)
    t.notOk(page.text.includes('role="alert"'), `${name}: nothing was tried`)
  }
  const consent = asPage(await signInOn(alice, login))
  for (const [name, csrf] of Object.entries({
    ...wrong,
    'that from before the sign-in': login.hidden.csrf,
  })) {
    for (const decision of ['allow', 'deny', 'other_account']) {
      t.equal(asPage(await alice.submit(consent, { csrf, decision })).title, AGREE, `${name}, ${decision}`)
    }
  }
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined)
})

t.test('a form that does not fit the step changes nothing', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const login = await alice.page(requestUrl())
  for (const fields of [{ decision: 'allow' }, { decision: 'deny' }, { account: 'x' }]) {
    t.equal(asPage(await alice.submit(login, fields)).title, 'Sign in', JSON.stringify(fields))
  }
  const consent = asPage(await signInOn(alice, login))
  for (const fields of [{}, { decision: 'yes' }, { decision: 'ALLOW' }, { account: 'x' }]) {
    t.equal(asPage(await alice.submit(consent, fields)).title, AGREE, JSON.stringify(fields))
  }
  const credentials = asPage(await alice.submit(consent, { username: 'bob', password: PASSWORD }))
  t.ok(credentials.text.includes('Alice Example'), 'credentials are ignored on the consent page')
})

t.test('parameters in a form or an address do not change the request', async (t) => {
  const { visitor, token } = await scene(t)
  const alice = visitor()
  const login = await alice.page(requestUrl({ scope: 'openid' }))
  const planted = {
    client_id: 'wiki',
    redirect_uri: 'https://evil.example/',
    scope: 'openid email',
    state: 'evil',
    subject: 'bob',
    prompt: 'none',
  }
  const query = `&${new URLSearchParams(planted)}`
  const consent = asPage(
    await alice.submit({ ...login, hidden: { ...login.hidden, ...planted } } as Page, {
      username: 'alice',
      password: PASSWORD,
    }),
  )
  t.equal(consent.title, AGREE)
  t.notOk(consent.text.includes('email address'))
  t.equal((await alice.page(`${consent.url}${query}`)).title, AGREE)
  const back = asDeparture(await alice.submit(consent, { ...planted, decision: 'allow' }))
  t.equal(back.location.origin, 'https://app.example.com')
  t.equal(back.told.get('state'), 'a state')
  const { scope } = (await token(codeRequest(String(back.told.get('code')), { client_id: 'shop' }))).json
  t.equal(scope, 'openid')
})

t.test('changes since the page was shown count', async (t) => {
  const { visitor, storage } = await scene(t)
  const ask = async (visitor: Visitor) =>
    asPage(await signInOn(visitor, await visitor.page(requestUrl({ prompt: 'login' }))))

  const alice = visitor()
  const consent = await ask(alice)
  await alice.page(requestUrl({ prompt: 'login' })).then((login) => signInOn(alice, login, 'bob'))
  const shown = asPage(await alice.submit(consent, { decision: 'allow' }))
  t.equal(shown.title, 'Sign in', 'bob cannot consent on the page of alice')

  const second = await ask(alice)
  await takeSession(storage, sessionIdOf(alice.cookies.get(SESSION) ?? ''))
  t.equal(asPage(await alice.submit(second, { decision: 'allow' })).title, 'Sign in', 'the session ended')

  const third = await ask(alice)
  const session = alice.cookies.get(SESSION) ?? ''
  await changeUser(storage, 'alice', { set: { disabled: 'true' }, unset: [] })
  t.equal((await alice.page(third.url)).title, 'Sign in', 'the user was disabled')
  t.equal(await useSession(storage, sessionIdOf(session), 60), undefined, 'and the session is over')
  await changeUser(storage, 'alice', { set: { disabled: 'false' }, unset: [] })

  const renamed = await ask(alice)
  await changeUser(storage, 'alice', { set: { sub: 'somebody-else' }, unset: [] })
  t.equal((await alice.page(renamed.url)).title, 'Sign in', 'the account belongs to another subject')
  await changeUser(storage, 'alice', { set: { sub: 'sub-of-alice' }, unset: [] })

  const fourth = await ask(alice)
  await changeClient(storage, 'shop', {
    set: { redirect_uris: 'https://elsewhere.example.com/cb' },
    unset: [],
  })
  for (const page of [
    await alice.page(fourth.url),
    asPage(await alice.submit(fourth, { decision: 'deny' })),
  ]) {
    t.equal(page.status, 400, 'an address that is no longer registered gets no redirect')
    t.ok(page.text.includes('redirect_uri'))
  }
})

t.test('the decision of one user does not count for another one in the same browser', async (t) => {
  for (const decision of ['allow', 'deny']) {
    const { visitor } = await scene(t)
    const alice = visitor()
    const consent = asPage(await signInOn(alice, await alice.page(requestUrl(ANSWERED_BY_PAGE))))
    const form = new URLSearchParams({ ...consent.hidden, decision }).toString()
    const answer = await alice.request('POST', '/oauth2/interaction', form)
    t.equal(answer.status, 303, 'the redirect is not followed yet')
    await signInOn(alice, await alice.page(requestUrl({ prompt: 'login' })), 'bob')
    const bobs = await alice.page(String(answer.headers.location))
    t.equal(bobs.title, AGREE, decision)
    t.ok(bobs.text.includes('Bob'))
  }
})
