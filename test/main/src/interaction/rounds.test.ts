// Other sign-in methods than a password: a challenge on a page, a visit to another site, a proof made on the first page.
import t from 'tap'
import { SEND_ONCE_SCRIPT, SEND_ONCE_SOURCE } from '../../../../src/pages/send-once.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import {
  answerTo,
  ONLY_WORD,
  OTHER_METHODS,
  proofFor,
  UPSTREAM,
} from '../../../support/interaction/other-methods.ts'
import { forEachStorage, spyOn } from '../../../support/matrix.ts'
import { changeUser, readConsent } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest, ISSUER } from '../../../support/service.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const AGREE = 'Allow The Shop to access your account?'
const EXPIRED = 'This sign-in is no longer open'
const SESSION = '__Host-redmint-session'
const methods = OTHER_METHODS

const claimsOf = (jwt: unknown) =>
  JSON.parse(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
const challengeOn = (page: Page) => /<p id="challenge">(.*?)<\/p>/.exec(page.text)?.[1] ?? ''
const hasFailed = (page: Page) => page.title === 'Sign in' && page.text.includes('role="alert"')

/** Starts a sign-in by riddle: the page that shows the challenge. */
const askRiddle = async (visitor: Visitor, login: Page, username = 'alice') =>
  asPage(await visitor.submit(login, { method: 'otp', username }))
/** Goes to the other site: the state that it was given. */
async function visitUpstream(visitor: Visitor, login: Page) {
  const away = asDeparture(await visitor.submit(login, { method: 'fed' }))
  return { ...away, state: String(away.told.get('state')) }
}
const returnUrl = (parameters: Record<string, string>) =>
  `/oauth2/interaction?${new URLSearchParams(parameters)}`

forEachStorage(t, 'a sign-in in two rounds', async (t, makeStorage) => {
  const { visitor, token } = await scene(t, { storage: (await makeStorage()).storage, methods })
  const alice = visitor()
  const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } })
  const login = await alice.page(requestUrl({ claims }))
  t.match(login.text, 'name="password"')
  const riddle = await askRiddle(alice, login)
  t.equal(riddle.title, 'Sign in')
  t.ok(riddle.text.includes(String(SEND_ONCE_SCRIPT)))
  t.ok(String(riddle.headers['content-security-policy']).includes(SEND_ONCE_SOURCE))
  t.equal(challengeOn(riddle), 'alice 123')
  t.notMatch(riddle.text, /name="(username|password)"|role="alert"/)
  t.equal(challengeOn(await alice.page(riddle.url)), 'alice 123', 'the page can be reloaded')
  t.notOk(alice.cookies.has(SESSION))
  const consent = asPage(await alice.submit(riddle, { answer: answerTo('alice 123') }))
  t.equal(consent.title, AGREE)
  const back = asDeparture(await alice.submit(consent, { decision: 'allow' }))
  const { id_token } = (await token(codeRequest(String(back.told.get('code')), { client_id: 'shop' }))).json
  t.match(claimsOf(id_token), { sub: 'sub-of-alice', amr: ['otp'], acr: '2' })
})

t.test('a sign-in by a weaker method than the request demands gets no code', async (t) => {
  const { visitor } = await scene(t, { methods, second_factor: 'off' })
  const alice = visitor()
  const claims = JSON.stringify({ id_token: { acr: { essential: true, value: '2' } } })
  const { told } = asDeparture(await signInOn(alice, await alice.page(requestUrl({ claims }))))
  t.equal(told.get('error'), 'unmet_authentication_requirements')
  t.equal(told.get('code'), null)
})

t.test('a wrong answer ends the round, and an older page gives no more guesses', async (t) => {
  const { visitor } = await scene(t, { methods, sign_in_failures: 3 })
  const alice = visitor()
  const riddle = await askRiddle(alice, await alice.page(requestUrl()))
  const failed = asPage(await alice.submit(riddle, { answer: 'wrong' }))
  t.ok(hasFailed(failed))
  t.match(failed.text, 'name="password"')
  t.equal(challengeOn(failed), '')
  for (const answer of ['wrong', 'still wrong']) {
    t.ok(hasFailed(asPage(await alice.submit(riddle, { answer }))), 'an answer to an older page counts')
  }
  const late = asPage(await alice.submit(riddle, { answer: answerTo('alice 123') }))
  t.match(late.text, 'Too many attempts')
  t.notOk(alice.cookies.has(SESSION))
})

forEachStorage(t, 'a challenge is met once', async (t, makeStorage) => {
  const { visitor } = await scene(t, { storage: (await makeStorage()).storage, methods })
  const alice = visitor()
  const riddle = await askRiddle(alice, await alice.page(requestUrl()))
  const answer = answerTo('alice 123')
  const thief = visitor()
  for (const [name, value] of alice.cookies) thief.cookies.set(name, value)
  t.equal(asPage(await alice.submit(riddle, { answer })).title, AGREE)
  t.ok(hasFailed(asPage(await thief.submit(riddle, { answer }))), 'the same form and cookie once more')
  t.notOk(thief.cookies.has(SESSION))
})

t.test('a challenge belongs to its method, browser and page', async (t) => {
  const { visitor } = await scene(t, { methods })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const riddle = await askRiddle(alice, login)
  const answer = answerTo('alice 123')
  t.equal(asPage(await visitor().submit(riddle, { answer })).title, EXPIRED, 'another browser')
  for (const csrf of [undefined, 'x'.repeat(43)]) {
    const page = asPage(await alice.submit(riddle, { csrf, answer }))
    t.equal(challengeOn(page), 'alice 123', 'a form without the csrf value changes nothing')
  }
  t.notOk(alice.cookies.has(SESSION))
  const away = await visitUpstream(alice, riddle)
  t.equal(away.location.origin, UPSTREAM, 'another method can be started instead')
  const again = await askRiddle(alice, login)
  const chosen = asPage(await alice.submit(again, { method: 'pwd', username: 'bob', password: PASSWORD }))
  t.equal(chosen.title, AGREE)
  t.ok(chosen.text.includes('Bob'))
})

t.test('rounds do not count as failures, wrong answers do', async (t) => {
  const { storage, calls } = spyOn(new MemoryStorage())
  const { visitor } = await scene(t, { storage, methods, sign_in_failures: 3 })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  calls.length = 0
  await askRiddle(alice, login)
  const count = (name: string) => calls.filter((call) => call === name).length
  t.equal(count('countFailures'), 1, 'an attempt is counted before it is judged')
  t.equal(count('forgiveFailures'), 1)
  t.equal(count('rememberBrowser'), 0, 'nobody signed in yet')
  for (let round = 0; round < 10; round += 1) await askRiddle(alice, login)
  for (let failure = 0; failure < 3; failure += 1) {
    const riddle = await askRiddle(alice, await alice.page(login.url))
    t.ok(hasFailed(asPage(await alice.submit(riddle, { answer: 'wrong' }))))
  }
  const throttled = await askRiddle(alice, await alice.page(login.url))
  t.match(throttled.text, 'Too many attempts')
  t.equal(challengeOn(throttled), '', 'a throttled attempt starts no round')
})

forEachStorage(t, 'a sign-in at another site', async (t, makeStorage) => {
  const { visitor, token } = await scene(t, { storage: (await makeStorage()).storage, methods })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const away = await visitUpstream(alice, login)
  t.equal(away.status, 303, 'the form is not sent on')
  t.equal(away.location.origin + away.location.pathname, `${UPSTREAM}/login`)
  t.equal(away.told.get('return_to'), `${ISSUER}/oauth2/interaction`)
  // Each page has a challenge of its own for passkeys.
  const withoutChallenge = ({ text }: Page) => text.replace(/data-passkey-options="[^"]*"/, '')
  const again = await alice.page(login.url)
  t.equal(withoutChallenge(again), withoutChallenge(login), 'the back button shows the sign-in page')
  const waiting = await alice.page(returnUrl({ transaction: away.state.replace(/\.[^.]+$/, '') }))
  t.match(waiting.text, 'value="key"', 'every method is offered while the visit is open')
  const url = returnUrl({ state: away.state, nonce: 'n-1', user: 'alice' })
  const response = await alice.request('GET', url)
  t.equal(response.status, 302, 'the answer is not in the address of a page')
  t.match(response.headers.location, /^\/oauth2\/interaction\?transaction=/)
  t.ok(alice.cookies.has(SESSION))
  const consent = await alice.page(String(response.headers.location))
  t.equal(consent.title, AGREE)
  t.equal((await alice.page(url)).title, AGREE, 'a reload changes nothing')
  const back = asDeparture(await alice.submit(consent, { decision: 'allow' }))
  const { id_token } = (await token(codeRequest(String(back.told.get('code')), { client_id: 'shop' }))).json
  t.match(claimsOf(id_token), { sub: 'sub-of-alice', amr: ['fed'], acr: '1' })
  t.equal((await alice.page(url)).title, EXPIRED)
})

t.test('another site that refuses is a failed sign-in', async (t) => {
  const { visitor } = await scene(t, { methods })
  const alice = visitor()
  const { state } = await visitUpstream(alice, await alice.page(requestUrl()))
  t.ok(hasFailed(await alice.page(returnUrl({ state, error: 'access_denied' }))))
  t.notOk(alice.cookies.has(SESSION))
})

t.test('an answer of another site counts only for the visit that it belongs to', async (t) => {
  const { visitor } = await scene(t, { methods })
  const alice = visitor()
  const answer = { nonce: 'n-1', user: 'alice' }
  const login = await alice.page(requestUrl())
  const { state } = await visitUpstream(alice, login)
  const { transaction = '', csrf = '' } = login.hidden
  const other = await visitUpstream(alice, await alice.page(requestUrl()))
  t.equal((await visitor().page(returnUrl({ ...answer, state }))).title, EXPIRED, 'another browser')
  for (const [name, wrong, title] of [
    ['no state', '', EXPIRED],
    ['a made-up state', 'x', EXPIRED],
    ['a state without a transaction', `.${'x'.repeat(43)}`, EXPIRED],
    ['a transaction without a token', transaction, EXPIRED],
    ['a made-up token', `${transaction}.${'x'.repeat(43)}`, 'Sign in'],
    ['the csrf value of the page', `${transaction}.${csrf}`, 'Sign in'],
    ['the token of another request', `${transaction}.${other.state.split('.').at(-1)}`, 'Sign in'],
  ] as const) {
    t.equal((await alice.page(returnUrl({ ...answer, state: wrong }))).title, title, name)
    t.notOk(alice.cookies.has(SESSION), `${name}: nobody is signed in`)
  }
  const token = state.split('.').at(-1)
  const posted = asPage(await alice.submit(login, { csrf: token, method: 'fed', ...answer }))
  t.notOk(alice.cookies.has(SESSION), 'the state is no csrf value')
  t.equal(posted.title, 'Sign in')
  t.equal((await alice.page(returnUrl({ ...answer, state }))).title, AGREE, 'the visit is still open')
})

t.test('a visit to another site can be given up for a password', async (t) => {
  const { visitor } = await scene(t, { methods })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const { state } = await visitUpstream(alice, login)
  t.equal(asPage(await signInOn(alice, login, 'bob')).title, AGREE)
  const late = await alice.page(returnUrl({ state, nonce: 'n-1', user: 'alice' }))
  t.equal(late.title, AGREE)
  t.ok(late.text.includes('Bob'), 'the state belongs to the session of that time')
})

t.test('the address of the pages starts no sign-in', async (t) => {
  const { visitor } = await scene(t, { methods })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const away = await visitUpstream(alice, login)
  const riddle = await askRiddle(alice, login)
  const token = away.state.split('.').at(-1)
  const credentials = { username: 'alice', password: PASSWORD, method: 'pwd' }
  const noVisit = `${login.hidden.transaction}.${token}`
  t.notOk(hasFailed(await alice.page(returnUrl({ ...credentials, state: noVisit }))), 'no visit is open')
  const onPage = `${riddle.hidden.transaction}.${token}`
  const answered = await alice.page(returnUrl({ state: onPage, answer: answerTo('alice 123') }))
  t.equal(challengeOn(answered), challengeOn(riddle), 'a challenge on a page is answered by its form')
  t.notOk(alice.cookies.has(SESSION))
})

t.test('another site can answer nothing but its own visit', async (t) => {
  const { visitor, storage } = await scene(t, { methods })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  const { state } = await visitUpstream(alice, login)
  const credentials = { method: 'pwd', username: 'alice', password: PASSWORD }
  t.ok(hasFailed(await alice.page(returnUrl({ state, ...credentials }))), 'a password by GET')
  t.notOk(alice.cookies.has(SESSION))

  await signInOn(alice, login)
  const again = await alice.page(requestUrl({ prompt: 'login' }))
  const visit = await visitUpstream(alice, again)
  t.equal(asPage(await signInOn(alice, again)).title, AGREE)
  for (const decision of ['allow', 'deny', 'other_account']) {
    t.equal((await alice.page(returnUrl({ state: visit.state, decision }))).title, 'Sign in', decision)
  }

  const consent = await alice.page(requestUrl())
  const other = asPage(await alice.submit(consent, { decision: 'other_account' }))
  const token = (await visitUpstream(alice, other)).state.split('.').at(-1)
  for (const decision of ['allow', 'deny', 'other_account']) {
    const state = `${consent.hidden.transaction}.${token}`
    t.equal((await alice.page(returnUrl({ state, decision }))).title, AGREE, `${decision}, of an older page`)
  }
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined)
})

t.test('the token that another site was given answers no question of an earlier page', async (t) => {
  const { visitor, storage } = await scene(t, { methods })
  const alice = visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl())))
  t.equal(consent.title, AGREE)
  const login = asPage(await alice.submit(consent, { decision: 'other_account' }))
  const { state } = await visitUpstream(alice, login)
  // It is for the same browser, request and session as the page that asks for consent.
  const of_consent = `${consent.hidden.transaction}${state.slice(state.lastIndexOf('.'))}`
  for (const decision of ['allow', 'deny', 'other_account']) {
    const page = await alice.page(returnUrl({ state: of_consent, decision }))
    t.equal(page.title, AGREE, decision)
  }
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined)
})

const requestOn = (page: Page) => /data-request="(.*?)"/.exec(page.text)?.[1] ?? ''
const proofOn = (page: Page, user = 'alice') => ({ method: 'key', proof: proofFor(requestOn(page)), user })

forEachStorage(t, 'a proof that is made on the first page counts once', async (t, makeStorage) => {
  const { visitor } = await scene(t, { storage: (await makeStorage()).storage, methods })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  t.match(login.text, 'name="password"')
  t.match(login.text, /<button name="method" value="key" lang="en" data-request="[\w-]{43}">/)
  t.match(login.headers['content-security-policy'], /script-src 'sha256-[^']+' 'self';/)
  t.not(requestOn(await alice.page(requestUrl())), requestOn(login), 'each request has its own')
  const thief = visitor()
  for (const [name, value] of alice.cookies) thief.cookies.set(name, value)
  t.equal(asPage(await alice.submit(login, proofOn(login))).title, AGREE)
  t.ok(hasFailed(asPage(await thief.submit(login, proofOn(login)))), 'the same form and cookie once more')
  t.notOk(thief.cookies.has(SESSION))
})

t.test('a method learns which acr the client wants, and all that can be reached are published', async (t) => {
  const { visitor, token, get } = await scene(t, { methods })
  t.strictSame((await get('/.well-known/openid-configuration')).json.acr_values_supported, ['1', '2', 'phr'])
  const essential = JSON.stringify({ id_token: { acr: { essential: true, value: 'phr' } } })
  for (const [wish, acr] of [
    [{}, '2'],
    [{ acr_values: 'phr 2' }, 'phr'],
    [{ claims: essential, acr_values: '2' }, 'phr'],
  ] as const) {
    const alice = visitor()
    const login = await alice.page(requestUrl({ ...wish, prompt: 'consent' }))
    const consent = asPage(await alice.submit(login, proofOn(login)))
    const back = asDeparture(await alice.submit(consent, { decision: 'allow' }))
    const answer = await token(codeRequest(String(back.told.get('code')), { client_id: 'shop' }))
    t.match(claimsOf(answer.json.id_token), { amr: ['hwk'], acr })
  }
})

t.test('a disabled user is refused, whatever the method says', async (t) => {
  const { visitor, storage } = await scene(t, { methods })
  await changeUser(storage, 'alice', { set: { disabled: 'true' }, unset: [] })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  t.ok(hasFailed(asPage(await alice.submit(login, proofOn(login)))))
  t.notOk(alice.cookies.has(SESSION))
})

t.test('a method that finds nothing out, or fails itself, locks nobody out', async (t) => {
  const { visitor } = await scene(t, { methods, sign_in_failures: 1 })
  const alice = visitor()
  const login = await alice.page(requestUrl())
  for (const [proof, status] of [
    ['no answer', 503],
    ['too long', 500],
  ] as const) {
    for (let i = 0; i < 12; i += 1) {
      t.equal(asPage(await alice.submit(login, { method: 'key', proof })).status, status, proof)
    }
  }
  t.equal(asPage(await alice.submit(login, proofOn(login))).title, AGREE)
})

t.test('a page can ask again, until the limit', async (t) => {
  const { visitor } = await scene(t, { methods: ONLY_WORD, sign_in_failures: 3 })
  const alice = visitor()
  const first = await alice.page(requestUrl())
  t.equal(challengeOn(first), 'none', 'the fields of the first method are those of the first page')
  t.notMatch(first.text, 'name="password"')
  let asked = asPage(await alice.submit(first, { username: 'alice' }))
  t.notMatch(asked.text, 'role="alert"')
  for (const guess of ['one', 'two']) {
    asked = asPage(await alice.submit(asked, { word: guess }))
    t.equal(challengeOn(asked), 'alice')
    t.match(asked.text, 'That did not work. Please try again.')
  }
  t.equal(asPage(await alice.submit(asked, { word: 'right' })).title, AGREE)

  const mallory = visitor()
  asked = asPage(await mallory.submit(await mallory.page(requestUrl()), { username: 'bob' }))
  for (let i = 0; i < 3; i += 1) asked = asPage(await mallory.submit(asked, { word: 'wrong' }))
  asked = asPage(await mallory.submit(asked, { word: 'right' }))
  t.match(asked.text, 'Too many attempts')
  t.equal(challengeOn(asked), 'none', 'the sign-in starts anew')
})
