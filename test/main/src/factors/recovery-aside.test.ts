// After a sign-in with a recovery code: what is left, another app, and whether the passkeys are still the person's own.
import t, { type Test } from 'tap'
import { accountState } from '../../../../src/factors/account-state.ts'
import { changeFactors, findFactors } from '../../../../src/factors/change-factors.ts'
import { recoveryAside } from '../../../../src/factors/recovery-aside.ts'

import { asksForCode, STEP } from '../../../support/scene/pages.ts'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const ASKED = 'You used a recovery code'
const asks = ({ text }: Page) => text.includes('Are these passkeys still yours?')

async function start(test: Test, options: TestOptions = {}) {
  const service = await scene(test, options)
  const { visitor, setUp, afterPassword, pass } = service
  const app = await setUp()
  const codes = [...(await app.recovery())]
  return {
    ...service,
    app,
    /** Signs in with a recovery code, in one of the two fields. */
    recover: async (browser: Visitor = visitor(), field = 'recovery_code') => {
      pass(STEP)
      const page = asPage(await afterPassword(browser))
      return browser.submit(page, { [field]: codes.pop() })
    },
  }
}

t.test('it says how many are left, leads to another app, and goes on', async (t) => {
  const { visitor, recover } = await start(t)
  const alice = visitor()
  const page = asPage(await recover(alice))
  t.equal(page.title, ASKED)
  t.match(page.text, /9 of 10 recovery codes left/)
  t.notOk(asks(page), 'there is no passkey')
  t.equal((await alice.page(page.url)).title, ASKED, 'also after a reload')
  const set_up = await alice.page('/account/second-step')
  t.equal(set_up.title, 'Second step', 'the sign-in counts as a confirmation')
  t.ok(asDeparture(await alice.submit(page, {})).told.has('code'))
  const again = asPage(await recover(visitor(), 'code'))
  t.equal(again.title, ASKED, 'each time')
})

t.test('a code of the app leads straight on', async (t) => {
  const { visitor, afterPassword, app, pass, makePasskey } = await start(t)
  await makePasskey()
  pass(STEP)
  const alice = visitor()
  const page = asPage(await afterPassword(alice))
  t.ok(asksForCode(page))
  t.ok(asDeparture(await alice.submit(page, { code: app.code() })))
})

t.test('B13 the passkeys are shown, and one or all are removed in one step', async (t) => {
  const { visitor, recover, makePasskey, passkeys, redmint } = await start(t)
  const made = [await makePasskey(), await makePasskey(), await makePasskey()]
  const alice = visitor()
  const page = asPage(await recover(alice))
  t.ok(asks(page))
  const next = asPage(await alice.submit(page, { passkey: made[1]?.id }))
  t.ok(asks(next))
  t.equal((await passkeys()).length, 2)
  t.notOk((await findFactors(redmint, 'alice')).factors.passkeys.has(made[1]?.id ?? ''))
  t.ok(asDeparture(await alice.submit(next, { passkey: 'all' })).told.has('code'))
  t.equal((await passkeys()).length, 0)
})

t.test('B13 a change of the account ends it, and ten minutes do', async (t) => {
  const { visitor, recover, makePasskey, passkeys, redmint, pass } = await start(t)
  await makePasskey()
  const alice = visitor()
  const page = asPage(await recover(alice))
  await changeFactors(redmint, 'alice', (factors) => factors)
  t.ok(asDeparture(await alice.submit(page, { passkey: 'all' })), 'the sign-in goes on')
  t.equal((await passkeys()).length, 1, 'and nothing was removed')
  const other = visitor()
  const late = asPage(await recover(other))
  pass(601)
  t.ok(asDeparture(await other.submit(late, { passkey: 'all' })))
  t.equal((await passkeys()).length, 1)
})

t.test('where there is no account page and no passkey, nothing of it is shown', async (t) => {
  const { recover, makePasskey } = await start(t, { account_page: 'off', passkeys: 'off' })
  await makePasskey()
  const page = asPage(await recover())
  t.equal(page.title, ASKED)
  t.notMatch(page.text, '/account')
  t.notOk(asks(page))
})

t.test('it is about one sign-in, by its own method, and one account as it was', async (t) => {
  const { redmint, makePasskey, app, passkeys } = await start(t)
  await makePasskey()
  const [code = ''] = await app.recovery()
  const user = await redmint.accounts.find('alice')
  if (user === undefined) throw new Error('no alice')
  const state = async () => accountState(user, (await findFactors(redmint, 'alice')).factors)
  const { isPossible, page, take } = recoveryAside(redmint, 'pwd')
  const answer = { recovery_code: code }
  t.ok(isPossible({ method: 'pwd', answer }))
  t.notOk(isPossible({ method: 'passkey', answer }), 'another way to sign in has no such code')
  t.notOk(isPossible({ method: 'pwd', answer: { code: '123456' } }))
  const [browser, before] = [{ digest: '' }, await state()]
  t.ok(await page(user, browser, before))
  for (const other of [undefined, '', 'another']) {
    t.equal(await page(user, browser, other), undefined)
    t.equal(await take(user, browser, { passkey: 'all' }, other), 'over')
  }
  t.equal(await take(user, browser, {}, before), 'over', 'nothing is named')
  const off = recoveryAside({ ...redmint, settings: { ...redmint.settings, passkeys: 'off' } }, 'pwd')
  t.equal(await off.take(user, browser, { passkey: 'all' }, before), 'over')
  t.equal((await passkeys()).length, 1, 'nothing was removed')
  t.equal(await take(user, browser, { passkey: 'all' }, before), 'over')
  t.equal((await passkeys()).length, 0)
})
