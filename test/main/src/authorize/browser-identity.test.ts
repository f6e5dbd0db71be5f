// The browser cookie is ours, and new after each sign-in and sign-out. Requests of other tabs start again.
import t from 'tap'
import { openBrowser, sealBrowser, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { takeSession } from '../../../../src/sessions/session-store.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { asDeparture, asPage, type Visitor } from '../../../support/visitor.ts'

const COOKIE = '__Host-redmint-browser'
const SESSION = '__Host-redmint-session'
const AGREE = 'Allow The Shop to access your account?'
const EXPIRED = 'This sign-in is no longer open'

/** A service, and who it takes a browser for. */
async function start(t: Parameters<typeof scene>[0], options: TestOptions = {}) {
  const service = await scene(t, options)
  const { sealer } = service.fastify.redmint
  const identityOf = (visitor: Visitor) => {
    const identity = openBrowser(sealer, visitor.cookies.get(COOKIE))
    if (identity === undefined) throw new Error('no cookie of ours')
    return identity
  }
  return { ...service, sealer, identityOf }
}

t.test('a cookie that is not ours counts as absent', async (t) => {
  const { visitor, sealer, identityOf } = await start(t)
  const alice = visitor()
  await alice.page(requestUrl())
  const own = alice.cookies.get(COOKIE) ?? ''
  const { id, device } = identityOf(alice)
  for (const [name, planted] of [
    ['a random text', 'x'.repeat(43)],
    ['a value without a seal', `${id} ${device} `],
    ['a changed one', own.replace(/.$/, '') + (own.endsWith('A') ? 'Q' : 'A') + 'A'.repeat(4)],
    ['sealed for another purpose', sealer.seal('pending', `${id} ${device} `)],
    ['sealed, but no identity', sealer.seal('browser', 'x y z')],
  ] as const) {
    const other = visitor()
    other.cookies.set(COOKIE, planted)
    const login = await other.page(requestUrl())
    t.equal(login.title, 'Sign in', name)
    t.equal(login.set_cookies.length, 1, `${name}: a new one is set`)
    t.not(identityOf(other).id, id)
  }
  await alice.page(requestUrl())
  t.equal(identityOf(alice).id, id, 'ours is kept')
})

forEachStorage(t, 'a sign-in and a sign-out make the cookie new', async (t, makeStorage) => {
  const { visitor, identityOf } = await start(t, { storage: (await makeStorage()).storage })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const before = identityOf(alice)
  t.equal(asPage(await signInOn(alice, login, 'alice', 'wrong')).title, 'Sign in')
  t.strictSame(identityOf(alice), before, 'a failure changes nothing')
  t.equal(asPage(await signInOn(alice, login)).title, AGREE)
  const signedIn = identityOf(alice)
  t.not(signedIn.id, before.id)
  t.not(signedIn.device, before.device)

  const asking = await alice.page('/oauth2/logout')
  t.equal(asPage(await alice.submit(asking, { decision: 'logout' })).title, 'You are signed out')
  const signedOut = identityOf(alice)
  t.notOk(alice.cookies.has(SESSION))
  t.not(signedOut.id, signedIn.id)
  t.equal(signedOut.device, signedIn.device, 'the browser is still known to the limit of failures')
})

t.test('a sign-out that needs no question makes the cookie new as well', async (t) => {
  const { visitor, identityOf, token } = await start(t)
  const alice = visitor()
  const { told } = await signInAndAgree(alice, { scope: 'openid' })
  const before = identityOf(alice)
  const form = {
    grant_type: 'authorization_code',
    client_id: 'shop',
    redirect_uri: 'https://app.example.com/callback',
    code: String(told.get('code')),
    code_verifier: 'a-code-verifier-of-forty-three-characters-or-more',
  }
  const { id_token } = (await token(form)).json
  const page = asPage(await alice.open(`/oauth2/logout?id_token_hint=${id_token}`))
  t.equal(page.title, 'You are signed out')
  t.not(identityOf(alice).id, before.id)
})

t.test('an attacker who planted the cookie knows nothing of the browser after a sign-in', async (t) => {
  const { visitor, identityOf } = await start(t)
  const attacker = visitor()
  const planted = await attacker.page(requestUrl())
  const alice = visitor()
  for (const [name, value] of attacker.cookies) alice.cookies.set(name, value)
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl())))
  t.equal(consent.title, AGREE)
  t.not(identityOf(alice).id, identityOf(attacker).id)
  t.equal((await attacker.page(consent.url)).title, EXPIRED, 'her request is not theirs')
  // The attacker's own request is worth no more in her browser than a link to it: nobody is signed in as somebody else.
  const posted = asPage(await signInOn(alice, planted, 'bob'))
  t.equal(posted.title, AGREE)
  t.match(posted.text, 'Alice')
})

forEachStorage(t, 'a request of another tab starts again after a sign-in', async (t, makeStorage) => {
  const { visitor } = await start(t, { storage: (await makeStorage()).storage })
  const alice = visitor()
  const [first, second] = [await alice.page(requestUrl()), await alice.page(requestUrl({ state: 'second' }))]
  const consent = asPage(await signInOn(alice, first))
  t.equal(consent.title, AGREE)
  t.equal((await alice.page(second.url)).title, AGREE, 'a reload')
  const posted = asPage(await signInOn(alice, second, 'bob'))
  t.equal(posted.title, AGREE, 'its form is older than the sign-in, so it has no effect')
  t.match(posted.text, 'Alice')
  t.equal(asDeparture(await alice.submit(posted, { decision: 'allow' })).told.get('state'), 'second')
  t.ok(asDeparture(await alice.submit(consent, { decision: 'allow' })).told.get('code'), 'both are answered')
})

t.test('a request that starts again has no progress, and is still answered once', async (t) => {
  const { visitor } = await start(t)
  const alice = visitor()
  const ask = () => alice.page(requestUrl({ prompt: 'login' }))
  const earlier = asPage(await signInOn(alice, await ask()))
  const login = await ask()
  const consent = asPage(await signInOn(alice, login))
  // The same user keeps the sid, which the earlier request noted.
  t.equal((await alice.page(earlier.url)).title, 'Sign in', 'each request wants a sign-in of its own')
  t.equal((await alice.page(login.url)).title, 'Sign in')
  t.ok(asDeparture(await alice.submit(consent, { decision: 'allow' })).told.get('code'))
  t.equal(asPage(await signInOn(alice, await alice.page(login.url))).title, EXPIRED)
})

t.test('a request from two sign-ins ago belongs to another browser', async (t) => {
  const { visitor } = await start(t)
  const alice = visitor()
  const old = await alice.page(requestUrl())
  await signInOn(alice, await alice.page(requestUrl()))
  await signInOn(alice, await alice.page(requestUrl({ prompt: 'login' })))
  t.equal((await alice.page(old.url)).title, EXPIRED)
})

t.test('a form whose session ended has no effect: it is no attempt to sign in', async (t) => {
  const { visitor, storage } = await start(t)
  const alice = visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl())))
  await takeSession(storage, sessionIdOf(alice.cookies.get(SESSION) ?? ''))
  const login = asPage(await alice.submit(consent, { decision: 'allow' }))
  t.equal(login.title, 'Sign in')
  t.notMatch(login.text, 'role="alert"')
})

t.test('an identity is read as it was sealed', async (t) => {
  const { sealer } = await start(t)
  const identity = { id: 'i'.repeat(43), device: 'd'.repeat(43) }
  t.strictSame(openBrowser(sealer, sealBrowser(sealer, identity)), identity)
  const renewed = { ...identity, former: 'f'.repeat(43) }
  t.strictSame(openBrowser(sealer, sealBrowser(sealer, renewed)), renewed)
  t.equal(openBrowser(sealer, undefined), undefined)
})

t.test('the cookie of a browser is opened only where it is needed, and once', async (t) => {
  const { visitor, sealer } = await start(t)
  const alice = visitor()
  await signInAndAgree(alice)
  const opened: string[] = []
  const open = sealer.open.bind(sealer)
  sealer.open = (purpose, sealed) => {
    opened.push(purpose)
    return open(purpose, sealed)
  }
  asDeparture(await alice.open(requestUrl()))
  t.strictSame(opened, [], 'the answer to a user who is signed in needs the session only')
  const { url } = await alice.page(requestUrl({ prompt: 'login' }))
  opened.length = 0
  await alice.request('GET', url)
  t.strictSame(opened.sort(), ['browser', 'pending'])
})
