// How operators sign in at the console, how long that counts, and how it ends.
import t from 'tap'
import { createConsoleSession } from '../../../../src/console/session.ts'
import { beginTotp, confirmTotp } from '../../../../src/factors/totp.ts'
import { cookieDigest } from '../../../../src/sessions/browser.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { appCode } from '../../../support/authenticator.ts'
import { changeUser, issueClientToken } from '../../../support/records.ts'
import { operatorCookie } from '../../../support/scene/operators.ts'
import { pathOf, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const withParameter = (path: string, name: string, value: string) => {
  const url = new URL(path, ISSUER)
  url.searchParams.set(name, value)
  return url.pathname + url.search
}
const HALF_AN_HOUR = 1800
const DISABLE = '/console/people/bob/disable'

t.test('an operator signs in by redmint, and comes back to where he was', async (t) => {
  const { visitor } = await scene(t, { with: ['console'] })
  const ada = visitor()
  const first = await ada.request('GET', '/console/people?q=bob')
  t.match(first, { status: 302, headers: { 'cache-control': 'no-store' } })
  const { origin, pathname, searchParams } = new URL(String(first.headers.location))
  t.equal(origin + pathname, `${ISSUER}/oauth2/authorize`)
  t.match(Object.fromEntries(searchParams), {
    client_id: 'redmint-console',
    redirect_uri: `${ISSUER}/console/callback`,
    scope: 'redmint:read redmint:write',
    resource: `${ISSUER}/admin/v1`,
    code_challenge_method: 'S256',
  })
  t.match(
    String(first.headers['set-cookie']),
    /^__Secure-redmint-console-start=[\w-]{43}; Max-Age=1800; Path=\/console; HttpOnly; Secure; SameSite=Lax$/,
  )
  const page = asPage(await signInOn(ada, await ada.page('/console/people?q=bob'), 'ada'))
  t.match(page, { status: 200, title: 'People', url: '/console/people?q=bob' })
  const set = page.set_cookies.find((cookie) => cookie.startsWith('__Secure-redmint-console='))
  t.match(
    set,
    /^__Secure-redmint-console=[\w-]{43}; Max-Age=28800; Path=\/console; HttpOnly; Secure; SameSite=Lax$/,
    'for this host and path alone',
  )
})

t.test('without rights at the admin API nobody gets in, and nothing is kept', async (t) => {
  const { visitor, grantsOf } = await scene(t, { with: ['console'] })
  const alice = visitor()
  const page = asPage(await signInOn(alice, await alice.page('/console'), 'alice'))
  t.match(page, { status: 403, title: 'You may not use the console' })
  t.equal(operatorCookie(alice), undefined)
  t.same(await grantsOf('alice'), [], 'the grant ended')
})

t.test('H1 a session ends after half an hour without a request', async (t) => {
  const { operator, passWithKeys } = await scene(t, { with: ['console'] })
  const idle = await operator()
  await passWithKeys(HALF_AN_HOUR - 1)
  t.equal((await idle.request('GET', '/console/people')).status, 200, 'each request counts anew')
  await passWithKeys(HALF_AN_HOUR - 1)
  t.equal((await idle.request('GET', '/console/people')).status, 200)
  await passWithKeys(HALF_AN_HOUR + 1)
  t.equal((await idle.request('GET', '/console/people')).status, 302)
})

t.test('a session ends after eight hours, however busy it is', async (t) => {
  const { operator, passWithKeys } = await scene(t, { with: ['console'] })
  const busy = await operator()
  for (let spent = 0; spent + 1700 < 28_800; spent += 1700) {
    await passWithKeys(1700)
    t.equal((await busy.request('GET', '/console/people')).status, 200, `${spent}`)
  }
  await passWithKeys(1700)
  t.equal((await busy.request('GET', '/console/people')).status, 302)
})

t.test('rights, account and sessions are looked at with each request', async (t) => {
  const { operator, storage, visitor } = await scene(t, { with: ['console'] })
  const ada = await operator()
  await changeUser(storage, 'ada', { set: { admin: 'redmint:users:read' } })
  t.equal((await ada.page('/console/people')).status, 200)
  t.equal((await ada.page('/console/people/bob/disable')).status, 403, 'what she lost')
  t.notMatch((await ada.page('/console/people')).text, '/console/events')
  await changeUser(storage, 'ada', { set: {}, unset: ['admin'] })
  t.match(await ada.page('/console/people'), { status: 403, title: 'You may not use the console' })
  const ben = await operator('ben')
  await changeUser(storage, 'ben', { set: { disabled: 'true' } })
  t.equal((await ben.request('GET', '/console/people')).status, 302, 'a disabled account')
  t.equal((await visitor().request('GET', '/console/people')).status, 302)
})

t.test('H1 a planted cookie is not kept, and the session that it was of ends', async (t) => {
  const { operator, visitor, passWithKeys } = await scene(t, { with: ['console'] })
  const thief = await operator()
  await passWithKeys(601)
  const victim = visitor()
  victim.cookies.set('__Secure-redmint-console', operatorCookie(thief) ?? '')
  // The thief can wait for this, too.
  const page = asPage(await signInOn(victim, await victim.page('/console/people/bob/disable'), 'ada'))
  t.equal(page.title, 'Disable Bob?')
  t.not(operatorCookie(victim), operatorCookie(thief))
  t.equal((await thief.request('GET', '/console/people')).status, 302)
  const made_up = visitor()
  made_up.cookies.set('__Secure-redmint-console', 'x'.repeat(43))
  t.equal((await made_up.request('GET', '/console/people')).status, 302)
})

t.test(
  'the answer of a sign-in counts in the browser that began it, once, and from this issuer',
  async (t) => {
    const { visitor, passWithKeys } = await scene(t, { with: ['console'] })
    const begin = async () => {
      const ada = visitor()
      let found = await ada.request('GET', '/console/people')
      const login = await ada.page(pathOf(found.headers.location))
      const body = new URLSearchParams({ ...login.hidden, username: 'ada', password: PASSWORD }).toString()
      found = await ada.request('POST', '/oauth2/interaction', body)
      while (!String(found.headers.location).includes('/console/callback'))
        found = await ada.request('GET', pathOf(found.headers.location))
      return { ada, callback: pathOf(found.headers.location) }
    }
    const refused = { status: 400, title: 'That sign-in does not count' }
    const { ada, callback } = await begin()
    t.match(await visitor().page(callback), refused, 'another browser')
    const other = visitor()
    other.cookies.set('__Secure-redmint-console-start', 'x'.repeat(43))
    t.match(await other.page(callback), refused, 'another key')
    for (const [name, value] of [
      ['iss', 'https://other.example'],
      ['state', 'x'],
      ['code', ''],
    ] as const)
      t.match(await ada.page(withParameter(callback, name, value)), refused, name)
    t.match(await ada.page(callback), { status: 200, title: 'People' })
    t.equal((await ada.request('GET', callback)).status, 400, 'once')
    const late = await begin()
    const unused = await begin()
    await unused.ada.request('GET', unused.callback)
    t.not(operatorCookie(unused.ada), undefined)
    await passWithKeys(1801)
    t.match(await late.ada.page(late.callback), refused, 'too late')
    t.equal((await unused.ada.request('GET', '/console/people')).status, 302, 'a session that nobody used')
  },
)

t.test(
  'H1 changes take a sign-in of the last ten minutes, by the strongest way of the account',
  async (t) => {
    const { operator, passWithKeys, fastify, visitor, storage } = await scene(t, { with: ['console'] })
    const { redmint } = fastify
    const ada = await operator()
    const question = await ada.page(DISABLE)
    t.equal(question.title, 'Disable Bob?')
    await passWithKeys(601)
    t.match(await ada.submit(question, {}), { status: 403, title: 'Confirm it is you' })
    t.equal((await ada.page('/console/people')).status, 200, 'reading goes on')
    const looking = await ada.page('/console/explain/token')
    for (const time of ['once', 'and again'])
      t.match(
        asPage(await ada.submit(looking, { token: 'x' })),
        { title: 'This is no token that counts here' },
        time,
      )
    t.equal((await ada.request('GET', DISABLE)).status, 302)
    const login = await ada.page(DISABLE)
    t.match(login, { title: 'Confirm it is you', text: /To change what is of others/ })
    t.match(login.text, 'name="password"')
    t.match(login.text, /name="username"[^>]*value="ada"/, 'whose sign-in it is')
    const former = operatorCookie(ada)
    const back = asPage(await signInOn(ada, login, 'ada'))
    t.equal(back.title, 'Disable Bob?')
    t.not(operatorCookie(ada), former, 'with a new session')
    const stale = visitor()
    stale.cookies.set('__Secure-redmint-console', former ?? '')
    t.equal((await stale.request('GET', '/console/people')).status, 302, 'and the old one ended')

    await changeUser(storage, 'ada', { set: { email: 'ada.new@example.com' } })
    t.equal((await ada.request('GET', DISABLE)).status, 302, 'the address changed')
    t.equal(asPage(await signInOn(ada, await ada.page(DISABLE), 'ada')).title, 'Disable Bob?')

    const { begun, key } = await beginTotp(redmint, 'ada')
    await confirmTotp(redmint, 'ada', begun, appCode(key, redmint.now() - 30_000))
    t.equal((await ada.request('GET', DISABLE)).status, 302, 'the account changed')
    const password = asPage(await signInOn(ada, await ada.page(DISABLE), 'ada'))
    t.match(password.text, 'one-time-code')
    const confirmed = asPage(await ada.submit(password, { code: appCode(key, redmint.now()) }))
    t.equal(confirmed.title, 'Disable Bob?')
  },
)

t.test('H1 a sign-in of the last ten minutes counts, at whatever application it was', async (t) => {
  const { operator, passWithKeys, storage } = await scene(t, { with: ['console'] })
  const opened = async () => {
    const ada = await operator()
    ada.cookies.delete('__Secure-redmint-console')
    return ada
  }
  const ada = await opened()
  await passWithKeys(300)
  t.equal((await ada.page('/console/people')).title, 'People', 'without a page of the sign-in')
  t.equal((await ada.page(DISABLE)).title, 'Disable Bob?', 'and without another one for a change')
  await passWithKeys(301)
  t.equal((await ada.page(DISABLE)).title, 'Confirm it is you', 'until ten minutes after it')
  const late = await opened()
  await passWithKeys(601)
  t.equal((await late.page('/console/people')).title, 'Confirm it is you')
  const changed = await opened()
  await changeUser(storage, 'ada', { set: { email: 'ada.new@example.com' } })
  t.equal((await changed.page('/console/people')).title, 'Confirm it is you', 'the account changed since')
})

t.test('H1 a sign-in that is weaker than the account counts nowhere', async (t) => {
  const { operator, fastify } = await scene(t, { with: ['console'] })
  const { redmint } = fastify
  const ada = await operator()
  ada.cookies.delete('__Secure-redmint-console')
  const { begun, key } = await beginTotp(redmint, 'ada')
  await confirmTotp(redmint, 'ada', begun, appCode(key, redmint.now() - 30_000))
  const asked = await ada.page(DISABLE)
  t.notMatch(asked.title, 'Disable')
  t.equal(operatorCookie(ada), undefined)
})

t.test(
  'H1 who confirms is who asked: another one who is signed in at the issuer signs in anew',
  async (t) => {
    const { operator, passWithKeys, storage } = await scene(t, { with: ['console'] })
    await changeUser(storage, 'ben', { set: { admin: 'redmint:read redmint:write' } })
    const ada = await operator()
    await passWithKeys(601)
    const ben = await operator('ben')
    await passWithKeys(5)
    // A browser in which somebody else signed in at the issuer meanwhile.
    for (const name of ['__Host-redmint-browser', '__Host-redmint-session'])
      ada.cookies.set(name, ben.cookies.get(name) ?? '')
    const asked = await ada.page(DISABLE)
    t.match(asked.text, 'name="password"')
    t.equal(asPage(await signInOn(ada, asked, 'ada')).title, 'Disable Bob?')
  },
)

t.test('who is signed in at the issuer only by a password shows the second step here', async (t) => {
  const { operator, fastify, visitor, grantsOf } = await scene(t, { with: ['console'] })
  const { redmint } = fastify
  const before = await operator('ben')
  await before.submit(await before.page('/console/sign-out'), {})
  const { begun, key } = await beginTotp(redmint, 'ben')
  await confirmTotp(redmint, 'ben', begun, appCode(key, redmint.now() - 30_000))
  const ben = visitor()
  for (const name of ['__Host-redmint-browser', '__Host-redmint-session'])
    ben.cookies.set(name, before.cookies.get(name) ?? '')
  const page = await ben.page('/console/people')
  t.match(page.text, 'one-time-code')
  t.equal(operatorCookie(ben), undefined)
  t.same(await grantsOf('ben'), [], 'what the weak sign-in was granted ended')
  t.equal(asPage(await ben.submit(page, { code: appCode(key, redmint.now()) })).title, 'People')
})

t.test(
  'who takes the strength out of the request comes back as weak, and is not sent in circles',
  async (t) => {
    const { operator, fastify, visitor, grantsOf } = await scene(t, { with: ['console'] })
    const { redmint } = fastify
    const before = await operator('ben')
    await before.submit(await before.page('/console/sign-out'), {})
    const { begun, key } = await beginTotp(redmint, 'ben')
    await confirmTotp(redmint, 'ben', begun, appCode(key, redmint.now() - 30_000))
    const ben = visitor()
    for (const name of ['__Host-redmint-browser', '__Host-redmint-session'])
      ben.cookies.set(name, before.cookies.get(name) ?? '')
    const follow = async (path: string) => {
      let { headers } = await ben.request('GET', path)
      while (!String(headers.location).includes('/console/callback'))
        headers = (await ben.request('GET', pathOf(headers.location))).headers
      return ben.request('GET', pathOf(headers.location))
    }
    const weak = await follow('/console/people')
    t.match(weak.headers.location, /acr_values=2/)
    const url = new URL(String(weak.headers.location), ISSUER)
    url.searchParams.delete('acr_values')
    const again = await follow(url.pathname + url.search)
    t.match(again, { status: 400, text: /That sign-in does not count/ })
    t.equal(operatorCookie(ben), undefined)
    t.same(await grantsOf('ben'), [])
  },
)

t.test('only a token of the console, for the admin API, makes an operator', async (t) => {
  const { operator, fastify, storage, visitor, tokenOf } = await scene(t, { with: ['console'] })
  const open = async (token: string) => {
    const session = { token, started_at: fastify.redmint.now(), confirmed: undefined }
    const browser = visitor()
    browser.cookies.set(
      '__Secure-redmint-console',
      await createConsoleSession(fastify.redmint, session, undefined),
    )
    return (await browser.request('GET', '/console/people')).status
  }
  t.equal(await open(await tokenOf('redmint:read')), 302, 'of another client')
  const elsewhere = { client_id: 'redmint-console', scope: 'redmint:read' }
  t.equal(await open(await issueClientToken(storage, elsewhere)), 302, 'for something else')
  t.equal((await (await operator()).request('GET', '/console/people')).status, 200)
})

t.test('a start that the browser has in another form is made anew', async (t) => {
  const { visitor } = await scene(t, { with: ['console'] })
  const ada = visitor()
  ada.cookies.set('__Secure-redmint-console-start', 'x')
  const login = await ada.page('/console/people')
  t.match(ada.cookies.get('__Secure-redmint-console-start'), /^[\w-]{43}$/)
  t.equal(asPage(await signInOn(ada, login, 'ada')).title, 'People')
})

t.test('signing out ends the session and its token, and offers to sign out everywhere', async (t) => {
  const { operator, grantsOf, visitor } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const kept = operatorCookie(ada) ?? ''
  t.match(await ada.request('POST', '/console/sign-out', 'csrf=x'), { status: 403 })
  const page = asPage(await ada.submit(await ada.page('/console/sign-out'), {}))
  t.match(page, { status: 200, title: 'You are signed out of the console' })
  t.match(page.text, `href="${ISSUER}/oauth2/logout"`)
  t.equal(operatorCookie(ada), undefined)
  const thief = visitor()
  thief.cookies.set('__Secure-redmint-console', kept)
  t.equal((await thief.request('GET', '/console/people')).status, 302)
  t.same(await grantsOf('ada'), [])
})

t.test('the token of one session is of no use in another', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const [ada, ben] = [await operator(), await operator('ben')]
  const kind = { name: 'console-session', parse: () => ({ ok: true as const, record: {} }) }
  const [of_ada, of_ben] = [ada, ben].map((one) => cookieDigest(operatorCookie(one) ?? ''))
  const { hash } = (await storage.records.read(kind, of_ada ?? '')) ?? {}
  await storage.records.change(kind, of_ben ?? '', { set: { token: hash?.token ?? '' } })
  t.equal((await ben.request('GET', '/console/people')).status, 302)
  t.equal((await ada.request('GET', '/console/people')).status, 200)
})
