// A new password by a link.
import t from 'tap'
import { changeFactors } from '../../../../src/factors/change-factors.ts'
import { MAX_GUESSES } from '../../../../src/factors/check-second-step.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { evidenceTag } from '../../../../src/storage/evidence.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { observed } from '../../../support/observed.ts'
import { changeUser } from '../../../support/records.ts'
import { alertOn, asksForCode, asksForPassword } from '../../../support/scene/pages.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { bearer } from '../../../support/service.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const NEW = 'seven wet umbrellas at noon'
const HOUR = 3600
const SAID = en.messages

t.test('a link leads to a new password, and signs in who chose it', async (t) => {
  const { visitor, resetLink, openReset, signIn } = await scene(t)
  const alice = visitor()
  t.match(await resetLink(), /^https:\/\/auth\.example\.com\/reset-password\?link=[\w-]{16}\.[\w-]{43}$/)
  const page = await openReset(alice)
  t.equal(page.title, 'Choose a new password')
  t.notOk(asksForCode(page), 'there is no second step')
  const done = asPage(await alice.submit(page, { password: NEW }))
  t.equal(done.title, 'Your password is changed')
  t.notOk([...alice.cookies.keys()].some((name) => /link/.test(name)))
  t.ok(asDeparture(await alice.open(requestUrl({ client_id: 'own' }))))
  t.ok(asDeparture(await signIn('alice', NEW)))
  t.ok(asksForPassword(asPage(await signIn('alice', PASSWORD))), 'the old one is over')
})

t.test('the rules for passwords hold, and the link stays', async (t) => {
  const { visitor, openReset, signIn } = await scene(t)
  const alice = visitor()
  let page = await openReset(alice)
  for (const [password, alert] of [
    ['short', /needs at least 15 characters/],
    ['a'.repeat(20), /only repeats/],
    ['alice@example.com', /name or an address/],
    ['passwordpassword', /most common/],
    ['a long one '.repeat(400), /too long, or has characters/],
  ] as const) {
    page = asPage(await alice.submit(page, { password }))
    t.equal(page.status, 400)
    t.match(alertOn(page), alert, password)
    t.notMatch(page.text, `value="${password}"`)
  }
  t.equal(asPage(await alice.submit(page, { password: NEW })).status, 200)
  t.ok(asDeparture(await signIn('alice', NEW)))
})

t.test('D2 a link ends after an hour, and storage has only its digest', async (t) => {
  const { visitor, resetLink, openReset, pass, storage } = await scene(t)
  const url = await resetLink()
  const kept = JSON.stringify([...(await storage.evidence.list(evidenceTag('alice')))])
  t.notMatch(kept, url?.slice(-43) ?? '')
  pass(HOUR - 5)
  t.equal((await openReset(visitor(), url)).status, 200)
  pass(10)
  const over = await openReset(visitor(), url)
  t.equal(over.status, 400)
  t.equal(over.title, 'This link does not work any more')
})

t.test('D6 an account with a second step passes it before the password counts', async (t) => {
  const { visitor, openReset, setUp, signIn, afterPassword } = await scene(t)
  const { code, wrong, recovery } = await setUp()
  const codes = await recovery()
  const alice = visitor()
  let page = await openReset(alice)
  t.ok(asksForCode(page))
  for (const more of [{}, { code: '' }, { code: wrong() }, { recovery_code: '0'.repeat(24) }]) {
    page = asPage(await alice.submit(page, { password: NEW, ...more }))
    t.equal(page.status, 400)
    t.match(alertOn(page), /^Wrong code/)
  }
  t.ok(asksForCode(asPage(await afterPassword(visitor()))), 'the old password still counts')
  t.equal(asPage(await alice.submit(page, { password: NEW, code: code() })).status, 200)
  t.ok(asksForCode(asPage(await signIn('alice', NEW))))

  const again = visitor()
  const next = await openReset(again)
  t.match(next.text, 'href="/reset-password?way=recovery"', 'a recovery code has a form of its own')
  let other = await again.page('/reset-password?way=recovery')
  for (const typed of ['0'.repeat(24), 'nonsense']) {
    t.match(other.text, 'name="recovery_code"')
    t.notOk(asksForCode(other))
    other = asPage(await again.submit(other, { password: `${NEW}!`, recovery_code: typed }))
    t.equal(alertOn(other), SAID.second_step_recovery_wrong, 'which says what is wrong')
  }
  t.equal(asPage(await again.submit(other, { password: `${NEW}!`, recovery_code: codes[0] })).status, 200)
})

t.test('D6 guesses end the link, and never count for a sign-in', async (t) => {
  const { visitor, resetLink, openReset, setUp, afterPassword } = await scene(t)
  const { code, wrong } = await setUp()
  const [alice, url] = [visitor(), await resetLink()]
  const page = await openReset(alice, url)
  for (let guess = 1; guess <= MAX_GUESSES; guess++)
    asPage(await alice.submit(page, { password: NEW, code: wrong() }))
  const over = asPage(await alice.submit(page, { password: NEW, code: code() }))
  t.equal(over.title, 'This link does not work any more')
  t.equal((await openReset(visitor(), url)).status, 400)
  t.ok(asksForCode(asPage(await afterPassword(visitor()))), 'the old password still counts')
})

t.test('D7 success ends sessions, grants and other links, and forgets failures', async (t) => {
  const { visitor, resetLink, openReset, signIn, storage, redeem, get } = await scene(t, {
    sign_in_failures: 2,
  })
  const session = visitor()
  const { json } = await redeem(await signIn('alice', PASSWORD, undefined, session))
  t.equal((await get('/userinfo', bearer(String(json.access_token)))).status, 200)
  for (let i = 0; i < 4; i++) await signIn('alice', 'wrong')
  t.match(alertOn(asPage(await signIn('alice', PASSWORD, undefined, visitor()))), /Too many attempts/)
  const other = { purpose: 'verify_email', step: '', browser: '', value: '', account_state: '' }
  const ends_at = Date.now() + HOUR * 1000
  await storage.evidence.give('other', { ...other, account: 'alice', created_at: 0, ends_at })
  const alice = visitor()
  const page = await openReset(alice, await resetLink())
  t.equal(asPage(await alice.submit(page, { password: NEW })).status, 200)
  t.equal((await storage.evidence.list(evidenceTag('alice'))).size, 0)
  t.ok(asksForPassword(await session.page(requestUrl({ client_id: 'own' }))), 'the session is over')
  const { status } = await get('/userinfo', bearer(String(json.access_token)))
  t.equal(status, 401, 'and so is the access token')
  t.ok(asDeparture(await signIn('alice', NEW)), 'nobody waits')
})

t.test(
  'D8 D11 an unknown or disabled account gets no link, and one that is disabled later has none',
  async (t) => {
    const { visitor, resetLink, openReset, storage } = await scene(t)
    t.equal(await resetLink('nobody'), undefined)
    const url = await resetLink()
    await changeUser(storage, 'alice', { set: { disabled: 'true' } })
    t.equal(await resetLink(), undefined)
    t.equal((await openReset(visitor(), url)).status, 400)
  },
)

t.test('D2 a link of an account without a password counts once, also at the same moment', async (t) => {
  const { visitor, resetLink, openReset, storage, happened } = await scene(t)
  await changeUser(storage, 'alice', { set: {}, unset: ['password_hash'] })
  const [alice, url] = [visitor(), await resetLink()]
  const page = await openReset(alice, url)
  const answers = Array.from(
    { length: 4 },
    async () => asPage(await alice.submit(page, { password: NEW })).status,
  )
  t.strictSame((await Promise.all(answers)).sort(), [200, 400, 400, 400])
  t.equal(happened('password_reset'), 1)
})

t.test('D10 a new link makes the older ones dead', async (t) => {
  const { visitor, resetLink, openReset } = await scene(t)
  const [older, newer] = [await resetLink(), await resetLink()]
  t.equal((await openReset(visitor(), older)).status, 400)
  t.equal((await openReset(visitor(), newer)).status, 200)
})

t.test('A11 a link dies with each change of the account, also while its page is open', async (t) => {
  const { visitor, resetLink, openReset, storage, redmint, signIn } = await scene(t)
  const changes = {
    address: () => changeUser(storage, 'alice', { set: { email: 'alice@example.net' } }),
    verified: () => changeUser(storage, 'alice', { set: { email_verified: 'false' } }),
    factors: () => changeFactors(redmint, 'alice', (factors) => factors),
    password: () => changeUser(storage, 'alice', { set: { password_hash: 'another' } }),
  }
  for (const [what, change] of Object.entries(changes)) {
    const [alice, url] = [visitor(), await resetLink()]
    const page = await openReset(alice, url)
    await change()
    t.equal(asPage(await alice.submit(page, { password: NEW })).status, 400, what)
    t.equal((await openReset(visitor(), url)).status, 400, what)
  }
  t.ok(asksForPassword(asPage(await signIn('alice', NEW))))
})

for (const [what, when, change] of [
  [
    'a change of the account',
    'after',
    (memory: MemoryStorage) => changeUser(memory, 'alice', { set: { password_hash: 'of somebody else' } }),
  ],
  ['the end of the link', 'before', (memory: MemoryStorage) => memory.evidence.end(evidenceTag('alice'))],
] as const)
  t.test(`A11 ${what} at the last moment wins, and the link is over`, async (t) => {
    const memory = new MemoryStorage()
    let is_due = false
    const storage = observed(memory, async (call, run, args) => {
      const is_taken = is_due && call === 'take' && args[0] === evidenceTag('alice')
      if (is_taken && when === 'before') await change(memory)
      const answer = await run()
      if (is_taken && when === 'after') await change(memory)
      return answer
    })
    const { visitor, openReset, signIn } = await scene(t, { storage })
    const alice = visitor()
    const page = await openReset(alice)
    is_due = true
    t.equal(asPage(await alice.submit(page, { password: NEW })).title, 'This link does not work any more')
    t.ok(asksForPassword(asPage(await signIn('alice', NEW))), 'the new password is none')
  })

t.test('with SECOND_FACTOR=off no code is asked for, as at a sign-in', async (t) => {
  const { visitor, openReset, setUp, signIn } = await scene(t, { second_factor: 'off', passkeys: 'off' })
  await setUp()
  const alice = visitor()
  const page = await openReset(alice)
  t.notOk(asksForCode(page))
  t.equal(asPage(await alice.submit(page, { password: NEW })).title, 'Your password is changed')
  t.ok(asDeparture(await signIn('alice', NEW)))
})

t.test('E8 no link is in the log', async (t) => {
  const { visitor, resetLink, openReset, log } = await scene(t)
  const alice = visitor()
  const url = (await resetLink()) ?? ''
  const page = await openReset(alice, url)
  await alice.submit(page, { password: NEW })
  const secret = url.slice(-43)
  t.notOk(log.some((line) => line.includes(secret)))
  t.ok(log.some((line) => line.includes('"event":"password_reset"')))
})
