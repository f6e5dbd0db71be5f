// A sign-in of the last ten minutes counts as "Confirm it is you". The names begin with the checks of the attack table.
import t from 'tap'
import { changeFactors } from '../../../../src/factors/change-factors.ts'
import { CONFIRMED_FOR } from '../../../../src/factors/confirmation.ts'
import { removePasskey } from '../../../../src/factors/passkeys/manage-passkeys.ts'

import { asksForCode, isSignIn, STEP } from '../../../support/scene/pages.ts'
import { signInAndAgree, usePasskey } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'

import { asDeparture, asPage } from '../../../support/visitor.ts'

const NEW = 'seven wet umbrellas at noon'

t.test('A4 a sign-in at an application counts for ten minutes, in its own session', async (t) => {
  const { visitor, pass, isConfirmed } = await scene(t)
  const [alice, other] = [visitor(), visitor()]
  await signInAndAgree(other)
  pass(CONFIRMED_FOR / 1000 - 5)
  t.ok(await isConfirmed(other))
  await signInAndAgree(alice)
  pass(10)
  t.notOk(await isConfirmed(other), 'it is over, whatever another session did')
  t.ok(await isConfirmed(alice))
})

t.test('A4 it dies with each change of the account, and no page that was open brings it back', async (t) => {
  const { visitor, redmint, isConfirmed, afterPassword } = await scene(t)
  const changes = [
    () => redmint.storage.records.change({ name: 'user' }, 'alice', { set: { email: 'new@example.com' } }),
    () => redmint.storage.records.change({ name: 'user' }, 'alice', { set: { email_verified: 'false' } }),
    () => changeFactors(redmint, 'alice', (factors) => factors),
  ]
  for (const change of changes) {
    const alice = visitor()
    const consent = asPage(await afterPassword(alice, { client_id: 'shop' }))
    t.ok(await isConfirmed(alice))
    await change()
    t.notOk(await isConfirmed(alice), 'changed')
    t.equal((await alice.page(consent.url)).title, consent.title, 'its page is still there')
    asDeparture(await alice.submit(consent, { decision: 'deny' }))
    t.notOk(await isConfirmed(alice), 'and confirms nothing')
  }
})

t.test('A2 only the strongest way of the account counts', async (t) => {
  const { visitor, setUp, afterPassword, isConfirmed, pass, makePasskey } = await scene(t)
  const before = visitor()
  asDeparture(await afterPassword(before))
  const app = await setUp()
  t.notOk(await isConfirmed(before), 'a password from before the app')
  const trusting = visitor()
  pass(STEP)
  const asked = asPage(await afterPassword(trusting))
  t.ok(asksForCode(asked))
  asDeparture(await trusting.submit(asked, { code: app.code(), trust: 'yes' }))
  t.ok(await isConfirmed(trusting), 'with the code')
  pass(CONFIRMED_FOR / 1000 + 1)
  for (const name of [...trusting.cookies.keys()]) if (/session/.test(name)) trusting.cookies.delete(name)
  asDeparture(await afterPassword(trusting))
  t.notOk(await isConfirmed(trusting), 'a browser that is trusted was not asked')

  const bob = visitor()
  asDeparture(await afterPassword(bob, {}, 'bob'))
  const passkey = await makePasskey('bob')
  t.notOk(await isConfirmed(bob), 'a password from before the passkey')
  const again = visitor()
  asDeparture(await afterPassword(again, {}, 'bob'))
  t.notOk(await isConfirmed(again), 'a password beside a passkey')
  const own = visitor()
  const login = await own.page('/account')
  await usePasskey(own, login, passkey)
  t.ok(await isConfirmed(own), 'the passkey')
})

// CVE-2026-82466 (Rodauth): an assertion that no account was found for fell back to that of the session.
t.test('a passkey of one account in the session of another one confirms nothing of that', async (t) => {
  const { visitor, redmint, isConfirmed, afterPassword, pass, makePasskey } = await scene(t)
  const [known, removed] = [await makePasskey(), await makePasskey()]
  await removePasskey(redmint, 'alice', removed.id)
  // Who has none is not asked for one.
  await makePasskey('bob')
  for (const passkey of [removed, known]) {
    const bob = visitor()
    asDeparture(await afterPassword(bob, {}, 'bob'))
    pass(CONFIRMED_FOR / 1000 + 1)
    t.notOk(await isConfirmed(bob))
    const asked = await bob.page('/account/password')
    const found = await usePasskey(bob, asked, passkey)
    const { title, text } = asPage(found)
    // Who is shown is whose passkey it is: a sign-in of her own, or nobody new.
    const shown = ['alice', 'bob'].filter((name) => text.includes(name))
    const expected = passkey === known ? ['Change password', ['alice']] : ['Confirm it is you', ['bob']]
    t.same([title, shown], expected)
  }
})

t.test('A3 a new password by a link counts for nothing', async (t) => {
  const { visitor, openReset, isConfirmed, afterPassword } = await scene(t)
  const alice = visitor()
  asDeparture(await afterPassword(alice))
  t.ok(await isConfirmed(alice))
  const page = await openReset(alice)
  t.equal(asPage(await alice.submit(page, { password: NEW })).title, 'Your password is changed')
  t.ok(isSignIn(await alice.page('/account/password')))
})

t.test(
  'without a second step, which would tell what the account has, only a sign-in that was asked for counts',
  async (t) => {
    const { visitor, isConfirmed, afterPassword, redmint } = await scene(t, { second_factor: 'off' })
    const alice = visitor()
    asDeparture(await afterPassword(alice))
    const asked = await alice.page('/account/password')
    t.ok(isSignIn(asked))
    await alice.submit(asked, { username: 'alice', password: 'correct horse battery staple' })
    t.ok(await isConfirmed(alice))
    await changeFactors(redmint, 'alice', (factors) => factors)
    t.notOk(await isConfirmed(alice))
  },
)
