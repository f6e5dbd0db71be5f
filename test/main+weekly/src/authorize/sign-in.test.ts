// A user signs in, gives consent, and returns to the client with a code.

import t from 'tap'
import { sessionIdOf, sessionSecretOf } from '../../../../src/sessions/browser.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { takeSession, useSession, useSessionFor } from '../../../../src/sessions/session-store.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSWORD, RELYING_PARTIES } from '../../../support/accounts.ts'
import { forEachStorage, spyOn } from '../../../support/matrix.ts'
import { changeClient, changeUser, createUser } from '../../../support/records.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { basic, codeRequest, REDIRECT_URI } from '../../../support/service.ts'
import { asDeparture, asPage, type Departure, withoutTransaction } from '../../../support/visitor.ts'

const claimsOf = (jwt: unknown) =>
  JSON.parse(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
const codeIn = ({ told }: Departure) => String(told.get('code'))

forEachStorage(t, 'sign-in, consent, code, tokens, user information', async (t, makeStorage) => {
  const { visitor, token, get } = await scene(t, { storage: (await makeStorage()).storage })
  const alice = visitor()
  const login = await alice.page(requestUrl({ state: 'a & b', scope: 'openid profile email' }))
  t.equal(login.status, 200)
  t.equal(login.title, 'Sign in')
  t.match(login.url, /^\/oauth2\/interaction\?transaction=[\w-]{8}\.[\w-]+$/)
  t.match(login.set_cookies, [
    /^__Host-redmint-browser=[\w-]{8}\.[\w-]+; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  ])
  t.equal(login.headers['cache-control'], 'no-store')

  const consent = asPage(await signInOn(alice, login))
  t.equal(consent.title, 'Allow The Shop to access your account?')
  t.match(consent.set_cookies, [
    /^__Host-redmint-browser=/,
    /^__Host-redmint-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  ])
  t.ok(consent.text.includes('Alice Example'))

  const back = asDeparture(await alice.submit(consent, { decision: 'allow' }))
  t.equal(back.status, 303)
  t.equal(back.location.origin + back.location.pathname, REDIRECT_URI)
  t.equal(back.told.get('state'), 'a & b')
  const tokens = (await token(codeRequest(codeIn(back), { client_id: 'shop' }))).json
  const claims = claimsOf(tokens.id_token)
  t.match(claims, {
    sub: 'sub-of-alice',
    aud: 'shop',
    nonce: 'a nonce',
    acr: '1',
    amr: ['pwd'],
    sid: /^[\w-]{16}$/,
  })
  t.notOk('email' in claims || 'name' in claims, 'nothing unasked in the id_token of the code flow')
  const info = (await get('/userinfo', { authorization: `Bearer ${tokens.access_token}` })).json
  t.same(info, {
    sub: 'sub-of-alice',
    name: 'Alice Example',
    given_name: 'Alice',
    preferred_username: 'alice',
    updated_at: 1_700_000_000,
    zoneinfo: 'Europe/Berlin',
    email: 'alice@example.com',
    email_verified: true,
  })
})

forEachStorage(
  t,
  'a user who is signed in is not asked again, whatever the client',
  async (t, makeStorage) => {
    const { visitor, token } = await scene(t, { storage: (await makeStorage()).storage })
    const alice = visitor()
    const first = claimsOf(
      (await token(codeRequest(codeIn(await signInAndAgree(alice)), { client_id: 'shop' }))).json.id_token,
    )
    const again = asDeparture(await alice.open(requestUrl()))
    t.equal(again.status, 302)
    const second = claimsOf((await token(codeRequest(codeIn(again), { client_id: 'shop' }))).json.id_token)
    for (const claim of ['sub', 'sid', 'auth_time', 'acr', 'amr']) t.same(second[claim], first[claim], claim)

    const [redirect_uri = ''] = RELYING_PARTIES.wiki.redirect_uris
    const wiki = await alice.page(requestUrl({ client_id: 'wiki', redirect_uri }))
    t.equal(wiki.title, 'Allow The Wiki to access your account?', 'a client asks for consent once')
    const back = asDeparture(await alice.submit(wiki, { decision: 'allow' }))
    t.equal(back.location.searchParams.get('tenant'), 'a b')
    const form = codeRequest(codeIn(back), { redirect_uri })
    const { client_id: _, ...byBasic } = form
    const third = claimsOf((await token(byBasic, basic('wiki'))).json.id_token)
    t.equal(third.sid, first.sid, 'one session')

    asDeparture(await alice.open(requestUrl({ client_id: 'own' })))
    const stranger = visitor()
    t.equal((await stranger.page(requestUrl({ client_id: 'own' }))).title, 'Sign in', 'another browser')
    asDeparture(await signInOn(stranger, await stranger.page(requestUrl({ client_id: 'own' }))))
  },
)

forEachStorage(
  t,
  'after a failed sign-in the page says so, and the next attempt can succeed',
  async (t, makeStorage) => {
    const { visitor, storage } = await scene(t, { storage: (await makeStorage()).storage })
    await createUser(storage, 'carol', { sub: 'sub-of-carol' })
    await changeUser(storage, 'bob', { set: { disabled: 'true' }, unset: [] })
    const alice = visitor()
    const login = await alice.page(requestUrl())
    const failed: [name: string, username: string, password: string | undefined][] = [
      ['a wrong password', 'alice', 'wrong'],
      ['an unknown user', 'alixe', PASSWORD],
      ['no password', 'alice', undefined],
      ['an empty password', 'alice', ''],
      ['a user without password', 'carol', PASSWORD],
      ['a disabled user', 'bob', PASSWORD],
      ['what is no username', 'a:b', PASSWORD],
    ]
    let shown: string | undefined
    for (const [name, username, password] of failed) {
      const page = asPage(await alice.submit(login, { username, password }))
      t.equal(page.status, 200, name)
      t.ok(page.text.includes('role="alert"'), name)
      t.same(page.set_cookies, [], `${name}: no cookie`)
      const bytes = withoutTransaction(page.text).replaceAll(`value="${username}"`, 'value="…"')
      shown ??= bytes
      t.equal(bytes, shown, `${name} looks like the others`)
      const reloaded = await alice.page(page.url)
      t.equal(
        withoutTransaction(reloaded.text),
        withoutTransaction(page.text),
        'reloading tries nothing again',
      )
    }
    const consent = asPage(await signInOn(alice, login))
    t.equal(consent.title, 'Allow The Shop to access your account?')
    t.notOk(consent.text.includes('role="alert"'))
  },
)

t.test('too many failures: the page says when to try again, also with the right password', async (t) => {
  const { visitor, pass } = await scene(t, { sign_in_failures: 2, sign_in_window: 600 })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  for (let i = 0; i < 2; i++) await alice.submit(login, { username: 'alice', password: 'wrong' })
  const stopped = asPage(await signInOn(alice, login))
  t.ok(stopped.text.includes('in 10 minutes'))
  t.equal(asPage(await signInOn(alice, login, 'bob')).title, 'Allow The Shop to access your account?')
  pass(601)
  const other = visitor()
  t.equal(
    asPage(await signInOn(other, await other.page(requestUrl()))).title,
    'Allow The Shop to access your account?',
  )
})

forEachStorage(
  t,
  'a new session cookie at each sign-in; another user ends the one before',
  async (t, makeStorage) => {
    const { visitor, storage } = await scene(t, { storage: (await makeStorage()).storage })
    const alice = visitor()
    alice.cookies.set('__Host-redmint-session', 'p'.repeat(43))
    await signInAndAgree(alice)
    const first = alice.cookies.get('__Host-redmint-session') ?? ''
    t.match(first, /^[\w-]{43}$/)
    t.notOk(first.startsWith('ppp'), 'nothing of a planted cookie is in the one after the sign-in')
    const before = await useSession(storage, sessionIdOf(first), 60)

    const login = await alice.page(requestUrl({ prompt: 'login' }))
    t.ok(login.text.includes('value="alice"'), 'who is signed in need not type the username')
    asDeparture(await signInOn(alice, login))
    const second = alice.cookies.get('__Host-redmint-session') ?? ''
    t.not(second, first)
    const with_first = await useSessionFor(storage, sessionIdOf(first), 60, '', sessionSecretOf(first))
    t.equal(with_first, undefined, 'the earlier cookie signs nobody in')
    const after = await useSession(storage, sessionIdOf(second), 60)
    t.equal(after?.sid, before?.sid, 'clients know it by the same sid')
    t.same(after?.clients, before?.clients)

    const consent = asPage(await signInOn(alice, await alice.page(requestUrl({ prompt: 'login' })), 'bob'))
    t.ok(consent.text.includes('Bob'))
    const third = await useSession(
      storage,
      sessionIdOf(alice.cookies.get('__Host-redmint-session') ?? ''),
      60,
    )
    t.not(third?.sid, before?.sid)
    t.equal(await useSession(storage, sessionIdOf(second), 60), undefined)
  },
)

t.test('a session ends after its idle time, and after its lifetime in any case', async (t) => {
  const { visitor, pass } = await scene(t, { session_idle_ttl: 100, session_ttl: 250 })
  const alice = visitor()
  await signInAndAgree(alice)
  pass(90)
  asDeparture(await alice.open(requestUrl()))
  pass(90)
  asDeparture(await alice.open(requestUrl()))
  pass(80)
  t.equal((await alice.page(requestUrl())).title, 'Sign in', 'after 260 seconds of use')
  await signInOn(alice, await alice.page(requestUrl()))
  pass(101)
  t.equal((await alice.page(requestUrl())).title, 'Sign in', 'after 101 seconds without')
})

t.test('with SESSION_PERSISTENT the session cookie lives as long as the session can', async (t) => {
  const settings = { session_ttl: 5000, session_idle_ttl: 4000 }
  const lifetimes = async (session_persistent: boolean) => {
    const { visitor, pass } = await scene(t, { ...settings, session_persistent })
    const alice = visitor()
    const first = asPage(await signInOn(alice, await alice.page(requestUrl())))
    pass(1000)
    const again = asPage(await signInOn(alice, await alice.page(requestUrl({ prompt: 'login' }))))
    return [first, again].map(({ set_cookies }) => {
      const session = set_cookies.find((cookie) => cookie.startsWith('__Host-redmint-session='))
      return session?.replace(/^[^;]*/, '')
    })
  }
  const kept = '; Max-Age=5000; Path=/; HttpOnly; Secure; SameSite=Lax'
  t.strictSame(await lifetimes(true), [kept, kept], 'each sign-in starts the lifetime anew')
  const ends = '; Path=/; HttpOnly; Secure; SameSite=Lax'
  t.strictSame(await lifetimes(false), [ends, ends])
})

t.test('with SESSION_PERSISTENT=choice the user says so, for this sign-in alone', async (t) => {
  const box = '<input type="checkbox" name="stay" value="yes"'
  const { visitor } = await scene(t, { session_persistent: 'choice', session_ttl: 5000 })
  const alice = visitor()
  const lifetimeOf = ({ set_cookies }: { set_cookies: string[] }) =>
    set_cookies.find((cookie) => cookie.startsWith('__Host-redmint-session='))?.includes('Max-Age=5000')
  const login = await alice.page(requestUrl())
  t.match(login.text, `${box}>`, 'not ticked')
  const wrong = asPage(await alice.submit(login, { username: 'alice', password: 'wrong', stay: 'yes' }))
  t.match(wrong.text, `${box} checked>`, 'what was ticked stays so after a wrong password')
  const first = asPage(await alice.submit(wrong, { username: 'alice', password: PASSWORD, stay: 'yes' }))
  t.equal(lifetimeOf(first), true)
  const again = await alice.page(requestUrl({ prompt: 'login' }))
  t.match(again.text, `${box}>`, 'asked anew')
  t.equal(lifetimeOf(asPage(await signInOn(alice, again))), false)
  const odd = asPage(
    await alice.submit(await alice.page(requestUrl({ prompt: 'login' })), {
      ...{ username: 'alice', password: PASSWORD, stay: 'no' },
    }),
  )
  t.equal(lifetimeOf(odd), false, 'another value')

  for (const session_persistent of [true, false]) {
    const service = await scene(t, { session_persistent })
    const bob = service.visitor()
    const page = await bob.page(requestUrl())
    t.notMatch(page.text, box)
    const done = asPage(await bob.submit(page, { username: 'bob', password: PASSWORD, stay: 'yes' }))
    t.equal(
      /session=[^;]*; Max-Age/.test(done.set_cookies.join('\n')),
      session_persistent,
      'the setting decides',
    )
  }
})

t.test('cookies with plain http on loopback', async (t) => {
  const { visitor } = await scene(t, { issuer: 'http://localhost:3000' })
  const login = await visitor().page(requestUrl())
  t.match(login.set_cookies, [
    /^redmint-browser=[\w-]{8}\.[\w-]+; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
  ])
})

t.test('the pages ignore the Authorization header of a proxy in front', async (t) => {
  const service = await scene(t)
  for (const authorization of ['Bearer abc', 'Basic abc!', 'Negotiate abc']) {
    const alice = service.visitor()
    alice.headers.authorization = authorization
    t.ok((await signInAndAgree(alice)).told.get('code'), authorization)
  }
})

t.test('a session that ends while its code is issued yields no code', async (t) => {
  const storage = new MemoryStorage()
  const change = storage.records.change.bind(storage.records)
  storage.records.change = async (kind, id, wanted) => {
    if (kind.name === SESSION.name) await takeSession(storage, id)
    return change(kind, id, wanted)
  }
  const { visitor } = await scene(t, { storage })
  const alice = visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl())))
  t.equal(asPage(await alice.submit(consent, { decision: 'allow' })).title, 'Sign in', 'from the page')
  await signInOn(alice, await alice.page(requestUrl({ prompt: 'consent' })))
  t.equal((await alice.page(requestUrl({ client_id: 'own' }))).title, 'Sign in', 'from the request')
})

t.test('clients are notified if another user signs in, and not if the same user does', async (t) => {
  const { storage, calls } = spyOn(new MemoryStorage())
  const { visitor } = await scene(t, { storage })
  await changeClient(storage, 'shop', { set: { backchannel_logout_uri: 'https://192.0.2.1/' }, unset: [] })
  const alice = visitor()
  await signInAndAgree(alice)
  const again = async (username: string) =>
    void (await signInOn(alice, await alice.page(requestUrl({ prompt: 'login' })), username))
  await again('alice')
  t.notOk(calls.includes('add'))
  await again('bob')
  t.ok(calls.includes('add'))
})
