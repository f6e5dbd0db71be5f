// Sign-in at the page of an application.
import t from 'tap'
import { changeFactors } from '../../../../src/factors/change-factors.ts'
import { password } from '../../../../src/interaction/password-method.ts'
import type { SignInMethod } from '../../../../src/interaction/sign-in-method.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { appCode } from '../../../support/authenticator.ts'
import { ALICE, challengeOf, leave, startWithLogin } from '../../../support/own-login/application.ts'
import { readUser } from '../../../support/records.ts'
import { alertOn, asksForCode, asksForPassword, keyOn } from '../../../support/scene/pages.ts'
import { pathOf, requestUrl } from '../../../support/scene/requests.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

t.test('the browser goes to the page, and comes back as who the application says', async (t) => {
  const { backend, visitor, claims, storage } = await startWithLogin(t)
  const browser = visitor()
  const challenge = await leave(browser, {
    acr_values: '1',
    login_hint: 'ann',
    ui_locales: 'de en',
    max_age: '60',
    prompt: 'login',
  })
  const asked = await backend.read(challenge)
  t.match(asked.json, {
    kind: 'authorization',
    client: { client_id: 'own' },
    acr_values: ['1'],
    prompt: ['login'],
    is_again: true,
    max_age: 0,
    login_hint: 'ann',
    ui_locales: ['de', 'en'],
  })
  t.ok(Date.parse(String(asked.json.expires_at)) > Date.now())
  const body = {
    sub: 'own-7',
    username: 'ann',
    amr: ['pwd', 'sms'],
    claims: { name: 'Ann', email: 'ann@example.org', groups: ['staff'] },
  }
  const back = await backend.accept(challenge, body)
  t.ok(String(back.json.redirect_to).startsWith('https://auth.example.com/oauth2/interaction?'))
  t.match(await claims(await browser.open(pathOf(back.json.redirect_to))), {
    sub: 'own-7',
    amr: ['pwd', 'sms'],
    acr: '1',
  })
  t.match(await readUser(storage, 'ann'), { sub: 'own-7', name: 'Ann', 'claim:groups': '["staff"]' })
})

t.test('the record keeps its name, and follows what the application says', async (t) => {
  const { backend, visitor, claims, storage } = await startWithLogin(t)
  const come = async (body: object) => {
    const browser = visitor()
    return claims(await browser.open(await backend.pathAfter(await leave(browser), body)))
  }
  await come({ sub: '4711', claims: { name: 'Ann', nickname: 'a', groups: ['x'] } })
  t.match(await readUser(storage, '4711'), { sub: '4711', name: 'Ann' }, 'the sub is the name')
  t.match(await come({ sub: '4711', username: 'other', claims: { name: 'Ann B', nickname: null } }), {
    sub: '4711',
    amr: ['ext'],
  })
  const record = await readUser(storage, '4711')
  t.match(record, { name: 'Ann B', 'claim:groups': '["x"]' })
  t.notOk(record?.nickname)
  t.notOk(await readUser(storage, 'other'))
  await come({ sub: 'with:colon' })
  t.match(await come({ sub: 'with:colon', acr: '2', amr: ['pwd', 'otp', 'mfa'] }), { acr: '2' })
})

t.test('no page with a password is served', async (t) => {
  const { backend, visitor, get, fastify } = await startWithLogin(t, { account_page: 'on' })
  t.equal(fastify.redmint.settings.passkeys, 'off')
  t.equal(fastify.redmint.settings.admin_api, 'on')
  const browser = visitor()
  const page = asPage(await browser.open(`/oauth2/interaction?state=${await leave(browser)}`))
  t.notOk(asksForPassword(page), 'also after an attempt that failed')
  const again = challengeOf(await browser.submit(page, { method: 'login' }))
  await browser.open(await backend.pathAfter(again))
  t.match(await browser.page('/account'), { status: 200 })
  for (const path of ['/account/password', '/forgot-password', '/sign-up'])
    t.equal((await browser.page(path)).status, 404, path)
  t.equal((await get('/.well-known/change-password')).status, 404)
})

t.test('the account page asks there who it is', async (t) => {
  const { backend, visitor } = await startWithLogin(t)
  const browser = visitor()
  const challenge = challengeOf(await browser.open('/account'))
  const asked = await backend.read(challenge)
  t.match(asked.json, { kind: 'account', client: undefined })
  const page = asPage(await browser.open(await backend.pathAfter(challenge)))
  t.match(page.url, /^\/account/)

  const refusing = visitor()
  const { json } = await backend.refuse(challengeOf(await refusing.open('/account')))
  const told = asPage(await refusing.open(pathOf(json.redirect_to)))
  t.equal(alertOn(told), en.messages.provider_denied, 'no client waits for an answer')
})

t.test('who gives up is told to the client', async (t) => {
  const { backend, visitor } = await startWithLogin(t)
  const browser = visitor()
  const { json } = await backend.refuse(await leave(browser, { state: 'xyz' }))
  const { told } = asDeparture(await browser.open(pathOf(json.redirect_to)))
  t.match(Object.fromEntries(told), { error: 'access_denied', state: 'xyz' })
})

t.test('prompt=login and max_age ask anew, and prompt=none asks nobody', async (t) => {
  const { backend, visitor, pass } = await startWithLogin(t)
  const browser = visitor()
  await browser.open(await backend.pathAfter(await leave(browser)))
  t.ok(asDeparture(await browser.open(requestUrl({ client_id: 'own' }))).told.get('code'), 'a session')
  const again = await leave(browser, { prompt: 'login' })
  t.match((await backend.read(again)).json, { is_again: true })
  t.ok(asDeparture(await browser.open(await backend.pathAfter(again))).told.get('code'))
  pass(61)
  const old = await leave(browser, { max_age: '60' })
  t.ok(asDeparture(await browser.open(await backend.pathAfter(old))).told.get('code'))
  const { told } = asDeparture(await visitor().open(requestUrl({ client_id: 'own', prompt: 'none' })))
  t.equal(told.get('error'), 'login_required')
})

t.test('how fresh a sign-in is, follows the request and what the application says', async (t) => {
  const { backend, visitor, claims, redmint } = await startWithLogin(t, { account_page: 'on' })
  const now = () => Math.floor(redmint.now() / 1000)
  for (const [wanted, is_again] of [
    [{}, false],
    [{ prompt: 'login' }, true],
    [{ max_age: '0' }, true],
    [{ max_age: '60' }, true],
  ] as const)
    t.match((await backend.read(await leave(visitor(), wanted))).json, { is_again }, JSON.stringify(wanted))
  const old = { ...ALICE, auth_time: now() - 7200 }
  for (const wanted of [{ prompt: 'login' }, { max_age: '0' }, { max_age: '3600' }]) {
    const browser = visitor()
    const challenge = await leave(browser, wanted)
    const refused = { status: 422, json: { fields: [{ field: 'auth_time' }] } }
    t.match(await backend.accept(challenge, old), refused, JSON.stringify(wanted))
    for (const auth_time of [now() + 86_400, -1])
      t.match(await backend.accept(challenge, { ...ALICE, auth_time }), refused, String(auth_time))
    const { auth_time } = await claims(await browser.open(await backend.pathAfter(challenge)))
    t.ok(Math.abs(auth_time - now()) < 60, 'who was asked to ask did it just now')
  }
  const recent = visitor()
  const hour_ago = await backend.pathAfter(await leave(recent, { max_age: '10000' }), old)
  t.equal((await claims(await recent.open(hour_ago))).auth_time, old.auth_time, 'it is said on')
  const silent = visitor()
  const unsaid = await claims(await silent.open(await backend.pathAfter(await leave(silent))))
  t.equal(unsaid.auth_time, undefined, 'nobody knows when it was')
  const again = await leave(silent, { max_age: '10000' })
  t.match((await backend.read(again)).json, { is_again: true, max_age: 10_000 })
  for (const page of ['/account/second-step']) {
    const confirming = challengeOf(await silent.open(page))
    t.match((await backend.read(confirming)).json, { kind: 'account', is_again: true, max_age: 0 }, page)
  }
})

t.test('a client that demands more gets it there, or by the second step of redmint', async (t) => {
  const { backend, visitor, claims, setUp } = await startWithLogin(t)
  const essential = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } })
  const first = visitor()
  const challenge = await leave(first, { claims: essential })
  t.match((await backend.read(challenge)).json, { acr_values: ['2'] })
  const strong = { sub: 'sub-of-bob', amr: ['pwd', 'otp'], acr: '2' }
  t.match(await claims(await first.open(await backend.pathAfter(challenge, strong))), {
    acr: '2',
    amr: ['pwd', 'otp'],
  })
  const second = visitor()
  const page = asPage(
    await second.open(
      await backend.pathAfter(await leave(second, { claims: essential }), { sub: 'new', amr: ['sms'] }),
    ),
  )
  const key = keyOn(page)
  t.ok(key, 'who has none sets it up')
  const codes = asPage(await second.submit(page, { code: appCode(key, Date.now()) }))
  t.match(await claims(await second.submit(codes, {})), { acr: '2', amr: ['sms', 'otp', 'mfa'] })
  const app = await setUp('alice')
  const third = visitor()
  const asks = asPage(await third.open(await backend.pathAfter(await leave(third))))
  t.ok(asksForCode(asks), 'who has one is asked, as after a password')
  t.match(await claims(await third.submit(asks, { code: app.code() })), {
    acr: '2',
    amr: ['pwd', 'otp', 'mfa'],
  })
})

t.test('without a second step a weaker sign-in gets no code, and goes round in no circle', async (t) => {
  const { backend, visitor } = await startWithLogin(t, { second_factor: 'off' })
  const essential = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } })
  const browser = visitor()
  const { told } = asDeparture(
    await browser.open(await backend.pathAfter(await leave(browser, { claims: essential }))),
  )
  t.equal(told.get('error'), 'unmet_authentication_requirements')
})

t.test('logout ends the session, and the next request asks again', async (t) => {
  const { backend, visitor } = await startWithLogin(t)
  const browser = visitor()
  await browser.open(await backend.pathAfter(await leave(browser)))
  await browser.submit(await browser.page('/oauth2/logout'), { decision: 'logout' })
  t.ok(await leave(browser))
})

t.test('what the account page asks for and nobody can give, goes round in no circle', async (t) => {
  const { backend, visitor, redmint } = await startWithLogin(t)
  // A passkey from before, which nobody can use now.
  await changeFactors(redmint, 'alice', (factors) => ({
    ...factors,
    passkeys: new Map([['id', {} as never]]),
  }))
  const browser = visitor()
  await browser.open(await backend.pathAfter(challengeOf(await browser.open('/account'))))
  const again = challengeOf(await browser.open('/account/second-step'))
  t.match((await backend.read(again)).json, { is_again: true, acr_values: ['phr'] })
  asPage(await browser.open(await backend.pathAfter(again)))
})

t.test('an application with methods of its own keeps them', async (t) => {
  const methods: [SignInMethod, ...SignInMethod[]] = [{ ...password, name: 'own' }]
  const { visitor } = await startWithLogin(t, { methods })
  t.ok(asksForPassword(await visitor().page(requestUrl({ client_id: 'own' }))))
})
