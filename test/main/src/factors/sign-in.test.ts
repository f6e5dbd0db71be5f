// The second step of a sign-in.
import { hash } from '@node-rs/argon2'
import t from 'tap'
import { changeFactors, findFactors } from '../../../../src/factors/change-factors.ts'
import { MAX_FAILURES, MAX_GUESSES } from '../../../../src/factors/check-second-step.ts'
import { newRecoveryCodes, removeTotp } from '../../../../src/factors/totp.ts'
import { readLockouts } from '../../../../src/limits/lockouts.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { forgetFailures } from '../../../../src/self-service/forget-failures.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'
import { PASSWORD, userRecord } from '../../../support/accounts.ts'
import { appCode } from '../../../support/authenticator.ts'
import { deviceOf, storeDevices } from '../../../support/device.ts'
import { changeClient, changeUser, createUser } from '../../../support/records.ts'
import { alertOn, asksForCode, asksForPassword, keyOn, STEP } from '../../../support/scene/pages.ts'
import { pathOf, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../../../support/visitor.ts'

const SAID = en.messages
const WRONG = SAID.second_step_wrong
const TRUSTED = 'redmint-remembered'

/** Goes on after the page that follows a recovery code. */
const goOn = async (person: Visitor, found: Promise<Page | Departure>) =>
  person.submit(asPage(await found), {})

t.test('after the password the code is asked for, and the id_token says so', async (t) => {
  const { visitor, afterPassword, setUp, claims } = await scene(t)
  t.match(await claims(await afterPassword(visitor())), { amr: ['pwd'], acr: '1' }, 'without an app')
  const { code, wrong } = await setUp()
  const alice = visitor()
  const page = asPage(await afterPassword(alice))
  t.equal(page.title, 'Enter your code')
  t.ok(asksForCode(page))
  t.equal(alertOn(page), '')
  const again = asPage(await alice.submit(page, { code: wrong() }))
  t.match(alertOn(again), WRONG)
  t.ok(asksForCode(again))
  t.match(await claims(await alice.submit(again, { code: code() })), { amr: ['pwd', 'otp', 'mfa'], acr: '2' })
  t.match(await claims(await alice.open(requestUrl({ client_id: 'own' }))), { acr: '2' }, 'and stays so')
})

t.test('the wish to stay signed in is carried over the second step', async (t) => {
  const { visitor, setUp, pass } = await scene(t, { session_persistent: 'choice' })
  const { code, wrong } = await setUp()
  for (const stay of ['yes', undefined]) {
    const alice = visitor()
    const login = await alice.page(requestUrl({ client_id: 'own' }))
    const page = asPage(await alice.submit(login, { username: 'alice', password: PASSWORD, stay }))
    const again = asPage(
      await alice.submit(page, { code: wrong(), ...(stay === undefined && { stay: 'yes' }) }),
    )
    const { set_cookies } = asDeparture(await alice.submit(again, { code: code() }))
    t.equal(/session=[^;]*; Max-Age/.test(set_cookies.join('\n')), stay === 'yes')
    pass(STEP)
  }
})

t.test('C1 a page that was left open, and a code that was used, sign nobody in', async (t) => {
  const { visitor, afterPassword, setUp } = await scene(t)
  const { code } = await setUp()
  const [one, other] = [visitor(), visitor()]
  const [page, also] = [asPage(await afterPassword(one)), asPage(await afterPassword(other))]
  const right = code()
  t.ok(asDeparture(await one.submit(page, { code: right })).told.has('code'))
  const used = asPage(await other.submit(also, { code: right }))
  t.match(alertOn(used), WRONG, 'that it was right is not told')
})

t.test('C3 five wrong codes end the attempt, and never lock the password', async (t) => {
  const { visitor, afterPassword, setUp } = await scene(t)
  const { code, wrong } = await setUp()
  const alice = visitor()
  let page = asPage(await afterPassword(alice))
  for (let guess = 1; guess <= MAX_GUESSES; guess++) {
    page = asPage(await alice.submit(page, { code: wrong() }))
    t.ok(asksForCode(page), `guess ${guess}`)
  }
  const ended = asPage(await alice.submit(page, { code: code() }))
  t.equal(alertOn(ended), SAID.second_step_too_many, 'the right one comes too late')
  t.ok(asksForPassword(ended))
  const again = asPage(await signInOn(alice, ended))
  t.ok(asDeparture(await alice.submit(again, { code: code() })).told.has('code'))
})

t.test(
  'C3 wrong codes count for their account, also by older pages, and for known browsers apart',
  async (t) => {
    const { visitor, afterPassword, setUp, claims, pass, redmint } = await scene(t, {
      sign_in_failures: 3,
    })
    const { code, wrong } = await setUp()
    const bobs = await setUp('bob')
    const known = visitor()
    await known.submit(asPage(await afterPassword(known)), { code: code() })
    pass(STEP)
    // Somebody knows the password of alice, and has an account as well.
    const [thief, thug] = [visitor(), visitor()]
    const first = asPage(await afterPassword(thief))
    for (const _ of [1, 2, 3]) t.ok(asksForCode(asPage(await thief.submit(first, { code: wrong() }))))
    for (const older of [first, asPage(await afterPassword(thief))]) {
      const refused = asPage(await thief.submit(older, { code: code() }))
      t.match(alertOn(refused), /^Too many attempts/)
      t.ok(asksForPassword(refused))
    }
    const own = asPage(await afterPassword(thug, {}, 'bob'))
    for (let guess = 0; guess < 20; guess++) await thug.submit(own, { recovery_code: '0'.repeat(24) })
    t.match(alertOn(asPage(await thug.submit(own, { code: bobs.code() }))), /^Too many attempts/)
    const page = asPage(await afterPassword(known, { prompt: 'login' }))
    t.match(
      await claims(await known.submit(page, { code: code() })),
      { acr: '2' },
      'the owner, in a known browser',
    )
    const listed = await readLockouts(redmint.storage)
    t.match(listed.map(({ counter, username }) => [counter, username]).sort(), [
      ['second_step', 'alice'],
      ['second_step', 'bob'],
    ])
    pass(STEP)
    await forgetFailures(redmint, 'alice', undefined)
    const unlocked = visitor()
    t.match(await claims(await unlocked.submit(asPage(await afterPassword(unlocked)), { code: code() })), {
      acr: '2',
    })
  },
)

t.test('C3 without the password nobody reaches the second step, or counts for it', async (t) => {
  const { visitor, setUp, redmint } = await scene(t)
  const { code } = await setUp()
  const stranger = visitor()
  const login = await stranger.page(requestUrl())
  for (const fields of [
    { code: code() },
    { code: code(), username: 'alice' },
    { code: code(), username: 'alice', password: 'wrong' },
    { recovery_code: '0'.repeat(24), username: 'alice', password: 'wrong' },
  ]) {
    const page = asPage(await stranger.submit(login, fields))
    t.ok(asksForPassword(page) && !asksForCode(page), JSON.stringify(Object.keys(fields)))
  }
  t.equal((await findFactors(redmint, 'alice')).factors.totp?.failures, 0)
})

t.test('C4 when the codes of an app end, the page says so, and a recovery code is the way in', async (t) => {
  const { visitor, afterPassword, setUp, check, claims } = await scene(t)
  const { code, wrong, recovery } = await setUp()
  const [first = ''] = await recovery()
  for (let guess = 0; guess < MAX_FAILURES; guess++) await check('alice', wrong())
  const alice = visitor()
  const page = asPage(await alice.submit(asPage(await afterPassword(alice)), { code: code() }))
  t.match(alertOn(page), SAID.second_step_limited)
  t.match(await claims(await goOn(alice, alice.submit(page, { recovery_code: first }))), { acr: '2' })
})

t.test('C4 a right code takes back the wrong ones of its own sign-in alone', async (t) => {
  const { visitor, afterPassword, setUp, redmint } = await scene(t)
  const { code, wrong } = await setUp()
  const thief = visitor()
  await thief.submit(asPage(await afterPassword(thief)), { code: wrong() })
  const alice = visitor()
  const page = asPage(await alice.submit(asPage(await afterPassword(alice)), { code: wrong() }))
  t.ok(asDeparture(await alice.submit(page, { code: code() })).told.has('code'))
  t.equal((await findFactors(redmint, 'alice')).factors.totp?.failures, 1)
})

t.test('C6 a recovery code stands in for the app, never for the password, once', async (t) => {
  const { visitor, afterPassword, setUp, claims } = await scene(t)
  const { code, recovery } = await setUp()
  const [first = '', second = ''] = await recovery()
  const alice = visitor()
  const login = await alice.page(requestUrl({ client_id: 'own' }))
  const refused = asPage(
    await alice.submit(login, { username: 'alice', password: first, recovery_code: first }),
  )
  t.ok(asksForPassword(refused))
  const page = asPage(await afterPassword(alice))
  t.match(page.text, />Use a recovery code<\/a>/)
  const spent = await goOn(alice, alice.submit(page, { code: '', recovery_code: first.toLowerCase() }))
  t.match(await claims(spent), { amr: ['pwd', 'otp', 'mfa'], acr: '2' })
  const bob = visitor()
  const again = asPage(await bob.submit(asPage(await afterPassword(bob)), { recovery_code: first }))
  t.match(alertOn(again), SAID.second_step_recovery_wrong)
  t.match(await claims(await bob.submit(again, { code: code(), recovery_code: second })), { acr: '2' })
  const carol = visitor()
  const left = await goOn(carol, carol.submit(asPage(await afterPassword(carol)), { recovery_code: second }))
  t.match(await claims(left), { acr: '2' }, 'a code beside that of the app was not spent')
})

const OTHER_PASSWORD = { password_hash: '$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHQ$aGFzaA' }
type Apps = Awaited<ReturnType<typeof scene>>
const CHANGES: Readonly<Record<string, (service: Apps) => Promise<unknown>>> = {
  'another password': ({ storage }) => changeUser(storage, 'alice', { set: OTHER_PASSWORD }),
  'a disabled account': ({ storage }) => changeUser(storage, 'alice', { set: { disabled: 'true' } }),
  'new recovery codes': ({ redmint }) => newRecoveryCodes(redmint, 'alice'),
  'no second step': ({ redmint }) => removeTotp(redmint, 'alice'),
}

for (const [what, change] of Object.entries(CHANGES)) {
  t.test(`a sign-in in flight ends with ${what}`, async (t) => {
    const service = await scene(t)
    const { code } = await service.setUp()
    const alice = service.visitor()
    const page = asPage(await service.afterPassword(alice))
    await change(service)
    const ended = asPage(await alice.submit(page, { code: code() }))
    t.match(alertOn(ended), SAID.second_step_over)
    t.ok(asksForPassword(ended))
  })
}

const NEW_FACTORS: typeof CHANGES = {
  'new recovery codes': ({ redmint }) => newRecoveryCodes(redmint, 'alice'),
  'another app': ({ setUp }) => setUp(),
  'a passkey': ({ redmint }) => changeFactors(redmint, 'alice', (factors) => factors),
  'a new hash of the password': async ({ storage }) =>
    changeUser(storage, 'alice', {
      set: { password_hash: await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 }) },
    }),
}

for (const [what, change] of Object.entries(NEW_FACTORS)) {
  t.test(`C10 a browser is not trusted any more after ${what}`, async (t) => {
    const service = await scene(t)
    const { code } = await service.setUp()
    const alice = service.visitor()
    await alice.submit(asPage(await service.afterPassword(alice)), { code: code(), trust: 'yes' })
    const again = () => service.afterPassword(alice, { prompt: 'login' })
    t.ok(asDeparture(await again()).told.has('code'))
    await change(service)
    t.ok(asksForCode(asPage(await again())))
  })
}

t.test('C10 a browser is trusted for its user and its days, as long as no client wants more', async (t) => {
  const { visitor, afterPassword, setUp, claims, pass } = await scene(t)
  const { code } = await setUp()
  await setUp('bob')
  const alice = visitor()
  const page = asPage(await afterPassword(alice))
  t.match(page.text, /<input type="checkbox" name="trust" value="yes">Trust this browser for 30 days</)
  t.match(await claims(await alice.submit(page, { code: code(), trust: 'yes' })), { acr: '2' })
  const cookie = alice.cookies.get(TRUSTED) ?? ''
  t.notMatch(cookie, 'alice', 'it is sealed')
  t.match(await claims(await afterPassword(alice, { prompt: 'login' })), { amr: ['pwd'], acr: '1' })
  t.ok(asksForCode(asPage(await afterPassword(alice, { prompt: 'login', acr_values: '2' }))))
  const elsewhere = visitor()
  elsewhere.cookies.set(TRUSTED, cookie)
  t.ok(asksForCode(asPage(await afterPassword(elsewhere, {}, 'bob'))), 'another user')
  for (const changed of [`${cookie.slice(0, -2)}AA`, 'x'])
    t.ok(asksForCode(asPage(await afterPassword(visitorWith(changed)))), 'a cookie of others')
  pass(30 * 86_400)
  t.ok(asksForCode(asPage(await afterPassword(alice, { prompt: 'login' }))), 'after 30 days')
  function visitorWith(value: string) {
    const other = visitor()
    other.cookies.set(TRUSTED, value)
    return other
  }
})

t.test('C10 with TRUSTED_BROWSER_DAYS=0 no browser is trusted', async (t) => {
  const { visitor, afterPassword, setUp } = await scene(t, { trusted_browser_days: 0 })
  const { code } = await setUp()
  const alice = visitor()
  const page = asPage(await afterPassword(alice))
  t.notMatch(page.text, 'name="trust"')
  await alice.submit(page, { code: code(), trust: 'yes' })
  t.notOk(alice.cookies.has(TRUSTED))
})

t.test('whoever must have a second step sets it up in the sign-in', async (t) => {
  const rules: Readonly<
    Record<
      string,
      { options?: TestOptions; rule?: (service: Apps) => Promise<unknown>; more?: Record<string, string> }
    >
  > = {
    'SECOND_FACTOR=required': { options: { second_factor: 'required' } },
    'the user': {
      rule: ({ storage }) => changeUser(storage, 'alice', { set: { second_factor: 'required' } }),
    },
    'the client': { rule: ({ storage }) => changeClient(storage, 'own', { set: { required_acr: '2 phr' } }) },
    acr_values: { more: { acr_values: '2' } },
    'an essential acr': { more: { claims: '{"id_token":{"acr":{"essential":true,"values":["2"]}}}' } },
  }
  for (const [what, { options, rule, more }] of Object.entries(rules)) {
    const service = await scene(t, options)
    const { visitor, afterPassword, claims, redmint } = service
    await rule?.(service)
    const alice = visitor()
    const page = asPage(await afterPassword(alice, more))
    t.equal(page.title, 'Set up a second step', what)
    t.match(page.text, '<svg class="qr" role="img" aria-label="QR code for your authenticator app"')
    const key = keyOn(page)
    const wrong = asPage(await alice.submit(page, { code: '12345' }))
    t.match(alertOn(wrong), WRONG)
    t.equal(keyOn(wrong), key, 'the same key')
    t.equal((await findFactors(redmint, 'alice')).factors.totp, undefined, 'nothing before a right code')
    const codes = asPage(await alice.submit(wrong, { code: appCode(key, redmint.now()) }))
    t.equal(codes.title, 'Save your recovery codes')
    const shown = codes.text.match(/([0-9A-Z]{6}-){3}[0-9A-Z]{6}/g) ?? []
    t.equal(shown.length, 10)
    t.match(await claims(await alice.submit(codes, {})), { amr: ['pwd', 'otp', 'mfa'], acr: '2' }, what)
    const elsewhere = visitor()
    const next = asPage(await afterPassword(elsewhere, more))
    t.equal(next.title, 'Enter your code')
    t.match(await claims(await goOn(elsewhere, elsewhere.submit(next, { recovery_code: shown[3] ?? '' }))), {
      acr: '2',
    })
  }
})

t.test('a password alone sets nothing up beside a passkey', async (t) => {
  const { visitor, afterPassword, redmint } = await scene(t, { second_factor: 'required' })
  await changeFactors(redmint, 'alice', (factors) => ({
    ...factors,
    passkeys: new Map([['id', {} as never]]),
  }))
  const alice = visitor()
  const page = asPage(await afterPassword(alice))
  t.equal(alertOn(page), SAID.second_step_use_passkey)
  t.ok(asksForPassword(page))
})

t.test('a set-up that somebody else finished first ends', async (t) => {
  const { visitor, afterPassword, setUp, redmint } = await scene(t, { second_factor: 'required' })
  const alice = visitor()
  const page = asPage(await afterPassword(alice))
  await setUp()
  const ended = asPage(await alice.submit(page, { code: appCode(keyOn(page), redmint.now()) }))
  t.match(alertOn(ended), SAID.second_step_over)
})

t.test('step-up: who is signed in by password enters only the code', async (t) => {
  const { visitor, afterPassword, setUp, claims, pass } = await scene(t)
  const alice = visitor()
  const before = await claims(await afterPassword(alice))
  t.match(before, { acr: '1' })
  const url = requestUrl({ client_id: 'own', acr_values: '2' })
  t.ok(asksForPassword(asPage(await alice.open(url))), 'without an app: the sign-in begins anew')
  const { code, wrong } = await setUp()
  t.equal(
    asDeparture(await alice.open(requestUrl({ client_id: 'own', acr_values: '2', prompt: 'none' }))).told.get(
      'error',
    ),
    null,
  )
  for (const more of [{ prompt: 'login' }, { max_age: '0' }])
    t.ok(
      asksForPassword(asPage(await alice.open(requestUrl({ client_id: 'own', acr_values: '2', ...more })))),
    )
  const page = asPage(await alice.open(url))
  t.ok(asksForCode(page) && !asksForPassword(page))
  const again = asPage(await alice.submit(page, { code: wrong() }))
  t.match(alertOn(again), WRONG)
  const after = await claims(await alice.submit(again, { code: code() }))
  t.match(after, { acr: '2', amr: ['pwd', 'otp', 'mfa'] })
  t.equal(after.sid, before.sid, 'the same session')
  pass(100)
  const late = requestUrl({ client_id: 'own', acr_values: '2', max_age: '60' })
  t.ok(asksForPassword(asPage(await alice.open(late))), 'with max_age that is over')
})

t.test('step-up: a code is asked for only where it is enough', async (t) => {
  const { visitor, afterPassword, setUp } = await scene(t)
  const alice = visitor()
  await afterPassword(alice)
  await setUp()
  const essential = '{"id_token":{"acr":{"essential":true,"values":["phr"]}}}'
  for (const more of [{ acr_values: 'phr' }, { claims: essential }]) {
    const found = await alice.open(requestUrl({ client_id: 'own', ...more }))
    t.notOk('text' in found && asksForCode(found), JSON.stringify(more))
  }
})

t.test('C3 step-up: the guesses of a session end, however many requests there are', async (t) => {
  const { visitor, afterPassword, setUp } = await scene(t, { sign_in_failures: 3 })
  const alice = visitor()
  await afterPassword(alice)
  const { code, wrong } = await setUp()
  const url = requestUrl({ client_id: 'own', acr_values: '2' })
  for (const _ of [1, 2, 3]) await alice.submit(asPage(await alice.open(url)), { code: wrong() })
  const ended = asPage(await alice.submit(asPage(await alice.open(url)), { code: code() }))
  t.match(alertOn(ended), /^Too many attempts/)
  t.ok(asksForPassword(ended))
})

t.test(
  'a client that demands more gets no code, no silent one either, and neither does its device',
  async (t) => {
    const { visitor, afterPassword, storage, setUp, claims } = await scene(t)
    const alice = visitor()
    t.match(await claims(await afterPassword(alice)), { acr: '1' })
    await changeClient(storage, 'own', { set: { required_acr: '2' } })
    const silent = asDeparture(await alice.open(requestUrl({ client_id: 'own', prompt: 'none' })))
    t.equal(silent.told.get('error'), 'login_required')
    const claims_of_1 = '{"id_token":{"acr":{"essential":true,"values":["1"]}}}'
    const weaker = asDeparture(await alice.open(requestUrl({ client_id: 'own', claims: claims_of_1 })))
    t.equal(weaker.told.get('error'), 'unmet_authentication_requirements')
    const { code } = await setUp()
    const page = asPage(await alice.open(requestUrl({ client_id: 'own' })))
    t.ok(asksForCode(page))
    t.match(await claims(await alice.submit(page, { code: code() })), { acr: '2' })
  },
)

t.test('a device of a client that demands more is allowed only after the second step', async (t) => {
  const { visitor, storage, setUp, post, token, afterPassword } = await scene(t)
  await storeDevices(storage)
  await changeClient(storage, 'tv', { set: { required_acr: '2' } })
  const alice = visitor()
  await afterPassword(alice)
  const { code } = await setUp()
  const { verification_uri_complete } = await deviceOf({ post, token }).codes()
  const page = asPage(await alice.open(pathOf(verification_uri_complete)))
  t.ok(asksForCode(page), page.title)
  const allowed = asPage(await alice.submit(page, { decision: 'allow' }))
  t.ok(asksForCode(allowed), 'no answer passes it by')
  t.match(asPage(await alice.submit(allowed, { code: code() })).title, /^Connect /)
})

t.test('with SECOND_FACTOR=off nobody is asked, and acr 2 is not reached', async (t) => {
  const { visitor, afterPassword, setUp, claims, get } = await scene(t, { second_factor: 'off' })
  await setUp()
  t.match(await claims(await afterPassword(visitor())), { amr: ['pwd'], acr: '1' })
  const metadata = async (read: typeof get) => (await read('/.well-known/openid-configuration')).json
  t.strictSame((await metadata(get)).acr_values_supported, ['1', 'phr'])
  const on = await scene(t, { passkeys: 'off' })
  t.strictSame((await metadata(on.get)).acr_values_supported, ['1', '2'])
})

t.test('in German', async (t) => {
  const { visitor, afterPassword, setUp } = await scene(t)
  const { wrong } = await setUp()
  const alice = visitor()
  alice.headers['accept-language'] = 'de'
  const page = asPage(await afterPassword(alice))
  t.equal(page.title, 'Code eingeben')
  t.match(page.text, 'Diesem Browser 30 Tage lang vertrauen')
  t.match(
    alertOn(asPage(await alice.submit(page, { code: wrong() }))),
    builtIn('de').messages.second_step_wrong,
  )
})

t.test('the longest username fits into the sealed request', async (t) => {
  const { storage, visitor, afterPassword } = await scene(t, { second_factor: 'required' })
  const username = '💎'.repeat(255)
  await createUser(storage, username, await userRecord('sub-of-a-long-name'))
  const alice = visitor()
  const page = asPage(await afterPassword(alice, {}, username))
  t.equal(page.title, 'Set up a second step')
  const codes = asPage(await alice.submit(page, { code: appCode(keyOn(page), Date.now()) }))
  t.equal(codes.title, 'Save your recovery codes')
  t.ok(codes.url.length < 8000, `${codes.url.length}`)
})
