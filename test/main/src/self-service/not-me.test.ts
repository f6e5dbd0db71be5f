// "This was not me": what each notice undoes, and what it does not give.
import t from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { checkSecondStep, MAX_FAILURES } from '../../../../src/factors/check-second-step.ts'
import { newRecoveryCodes, removeTotp } from '../../../../src/factors/totp.ts'

import { changeUser } from '../../../support/records.ts'

import { asksForCode, asksForPassword } from '../../../support/scene/pages.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { addressFor, scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const NEW = 'new@example.net'
const HOUR = 3600
const DAY = 86_400

t.test('it ends sessions, grants and the password in two clicks, and signs nobody in', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { visitor, afterPassword, redeem, refresh, told, press, user } = service
  const thief = visitor()
  const { json } = await redeem(await afterPassword(thief, { scope: 'openid offline_access' }))
  const link = await told({ event: 'password_changed', username: 'alice' })
  service.pass(1)
  const done = await press(link)
  t.equal(done.title, 'Your account is locked for others')
  t.match(done.text, /class="button main" href="\/forgot-password"/)
  t.notMatch(String(done.set_cookies), /session/)
  t.equal((await user())?.password_hash, undefined)
  t.ok(asksForPassword(await thief.page('/account')))
  const refreshed = await refresh(json.refresh_token)
  t.equal(refreshed.status, 400)
  const again = visitor()
  t.ok(asksForPassword(asPage(await signInOn(again, await again.page('/account')))), 'the password is over')
  t.equal((await press(link).catch(() => ({ status: 400 }))).status, 400, 'it counts once')
  const { text: metrics } = await service.get('/actuator/prometheus')
  t.match(metrics, 'redmint_events_total{event="change_disowned"} 1')
})

t.test('a passkey that was added is taken away, an older one stays', async (t) => {
  const { makePasskey, pass, mails, press, factors } = await scene(t, { with: ['mail'] })
  const own = await makePasskey()
  await mails(1)
  pass(HOUR)
  const stolen = await makePasskey()
  const [mail] = await mails(1)
  t.equal((await press(mail?.link ?? '')).status, 200)
  t.same([...(await factors()).passkeys.keys()], [own.id])
  t.not(stolen.id, own.id)
})

t.test('an app of an account without a second step is taken away with its codes', async (t) => {
  const { setUp, mails, press, factors } = await scene(t, { with: ['mail'] })
  const { recovery } = await setUp()
  await recovery()
  const [first] = await mails(2)
  const done = await press(first?.link ?? '')
  t.equal(done.status, 200)
  t.match(await factors(), { totp: undefined, recovery: undefined })
  t.notMatch(done.text, /recovery code/)
})

t.test('an account that had a second step keeps one: a reset demands it', async (t) => {
  const { setUp, mails, press, pass, factors, resetByMail, user } = await scene(t, { with: ['mail'] })
  const own = await setUp()
  const codes = await own.recovery()
  await mails(2)
  pass(HOUR)
  const theirs = await setUp()
  const [mail] = await mails(1)
  const done = await press(mail?.link ?? '')
  t.match(done.text, /Use a recovery code from before/)
  t.equal((await factors()).totp?.failures, MAX_FAILURES)
  const { browser, page } = await resetByMail()
  t.ok(asksForCode(page), 'the mailbox alone is not enough')
  const password = 'seven wet umbrellas at noon'
  for (const code of ['', own.code(), theirs.code()]) {
    t.equal(asPage(await browser.submit(page, { password, code })).status, 400)
  }
  t.equal((await user())?.password_hash, undefined)
  t.equal(asPage(await browser.submit(page, { password, recovery_code: codes[0] })).status, 200)
})

t.test('an app that was replaced twice, or after the notice, is no way around the second step', async (t) => {
  const { setUp, mails, press, pass, factors, told } = await scene(t, { with: ['mail'] })
  await setUp()
  await mails(1)
  pass(HOUR)
  const link = await told({ event: 'passkey_removed', username: 'alice' })
  pass(HOUR)
  await setUp()
  await setUp()
  await mails(2)
  const done = await press(link)
  t.match(done.text, /cannot be brought back/)
  t.equal((await factors()).totp?.failures, MAX_FAILURES)
})

t.test('recovery codes that were made since, or that somebody knows, are taken away', async (t) => {
  for (const event of ['recovery_codes_made', 'recovery_code_used', 'password_changed'] as const) {
    const { setUp, mails, press, pass, factors, told, redmint } = await scene(t, { with: ['mail'] })
    await (await setUp()).recovery()
    await mails(2)
    pass(HOUR)
    let link: string
    if (event === 'recovery_codes_made') {
      await newRecoveryCodes(redmint, 'alice')
      link = (await mails(1))[0]?.link ?? ''
    } else link = await told({ event, username: 'alice', left: 9 } as SecurityEvent)
    t.equal((await press(link)).status, 200)
    const { totp, recovery } = await factors()
    t.equal(totp?.failures, 0, 'the app stays')
    t.equal(recovery !== undefined, event === 'password_changed', event)
  }
})

t.test('C4 the hundredth wrong code is told by mail, and its link ends the password', async (t) => {
  const { setUp, mails, press, redmint, user } = await scene(t, { with: ['mail'] })
  await setUp()
  await mails(1)
  for (let n = 0; n < MAX_FAILURES; n++) t.equal(await checkSecondStep(redmint, 'alice', 'none'), 'wrong')
  const [mail] = await mails(1)
  t.match(mail?.text, /wrong codes very often/)
  t.equal(await checkSecondStep(redmint, 'alice', 'none'), 'too_many')
  t.equal((await press(mail?.link ?? '')).status, 200)
  t.equal((await user())?.password_hash, undefined)
})

t.test('what was removed cannot come back, and the page says so', async (t) => {
  const { setUp, mails, press, redmint, factors } = await scene(t, { with: ['mail'] })
  await setUp()
  await mails(1)
  await removeTotp(redmint, 'alice')
  const [mail] = await mails(1)
  t.match((await press(mail?.link ?? '')).text, /cannot be brought back/)
  t.equal((await factors()).totp, undefined)
})

t.test('A10 an address goes back to the one before, whatever followed', async (t) => {
  const { confirmed, mails, press, user, makePasskey, redmint, visitor, told } = await scene(t, {
    with: ['mail'],
  })
  const { browser, page } = await confirmed('/account/address')
  await browser.submit(page, { email: NEW })
  const [, link] = await mails(2)
  await press(link?.link ?? '')
  const [notice] = await mails(1)
  await makePasskey()
  const [theirs] = await mails(1)
  t.equal(theirs?.to, NEW)
  const another = await told({ event: 'password_changed', username: 'alice' })
  t.equal((await press(notice?.link ?? '')).status, 200)
  t.match(await user(), { email: addressFor('alice'), email_verified: 'true' })
  t.equal((await findFactors(redmint, 'alice')).factors.passkeys.size, 0)
  for (const dead of [theirs?.link, another, link?.link])
    t.equal((await visitor().page(dead ?? '')).status, 400, 'no link of the thief is left')
  const { page: sign_in } = await confirmed('/account')
  t.ok(asksForPassword(sign_in))
})

t.test('before it is confirmed, another address is forgotten', async (t) => {
  const { confirmed, mails, press, user, visitor } = await scene(t, { with: ['mail'] })
  const { browser, page } = await confirmed('/account/address')
  await browser.submit(page, { email: NEW })
  const [notice, link] = await mails(2)
  t.equal((await press(notice?.link ?? '')).status, 200)
  t.equal((await visitor().page(link?.link ?? '')).status, 400)
  t.equal((await user())?.email, addressFor('alice'))
})

t.test('an address that an operator entered since stays', async (t) => {
  const { confirmed, mails, press, user, storage } = await scene(t, { with: ['mail'] })
  const { browser, page } = await confirmed('/account/address')
  await browser.submit(page, { email: NEW })
  const [, link] = await mails(2)
  await press(link?.link ?? '')
  const [notice] = await mails(1)
  await changeUser(storage, 'alice', { set: { email: 'op@example.org' }, unset: [] })
  t.equal((await press(notice?.link ?? '')).status, 200)
  t.equal((await user())?.email, 'op@example.org')
})

t.test('a link outlives further changes, however many there are, and ends after a day', async (t) => {
  const { told, mails, makePasskey, press, factors, pass, visitor, storage } = await scene(t, {
    with: ['mail'],
  })
  const first = await told({ event: 'password_changed', username: 'alice' })
  for (let i = 0; i < 12; i++) await told({ event: 'recovery_codes_made', username: 'alice' })
  const late = await told({ event: 'password_reset', username: 'alice' })
  t.equal(late, '', 'further notices lead to a new password alone')
  await makePasskey()
  await mails(1)
  await changeUser(storage, 'alice', { set: { password_hash: '$argon2id$x' }, unset: [] })
  t.equal((await press(first)).status, 200)
  t.equal((await factors()).passkeys.size, 0)
  const ended = await told({ event: 'password_changed', username: 'alice' })
  pass(DAY)
  t.equal((await visitor().page(ended)).status, 400)
})

t.test('it is of one account: not of another one with the same name, nor of a disabled one', async (t) => {
  const { told, visitor, storage } = await scene(t, { with: ['mail'] })
  const link = await told({ event: 'password_changed', username: 'alice' })
  for (const set of [{ disabled: 'true' }, { disabled: 'false', sub: 'another' }]) {
    await changeUser(storage, 'alice', { set, unset: [] })
    t.equal((await visitor().page(link)).status, 400)
  }
})

t.test('E8 no link is in the log', async (t) => {
  const { told, press, log, confirmed, mails, visitor } = await scene(t, { with: ['mail'] })
  const links = [await told({ event: 'password_changed', username: 'alice' })]
  const { browser, page } = await confirmed('/account/address')
  await browser.submit(page, { email: NEW })
  links.push(...(await mails(2)).map(({ link }) => link))
  for (const link of links) await visitor().page(link)
  await press(links[0] ?? '')
  t.equal(links.length, 3)
  for (const link of links) t.notOk(log.join('').includes(link.split('link=')[1] ?? '?'))
})
