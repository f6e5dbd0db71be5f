// A new password of an account with passkeys: it takes one, and then asks which are still the person's own.
import t from 'tap'

import { resetFactors } from '../../../../src/factors/reset-factors.ts'
import { removeTotp } from '../../../../src/factors/totp.ts'

import { beginReview } from '../../../../src/self-service/review-passkeys.ts'
import { evidenceTag } from '../../../../src/storage/evidence.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { observed } from '../../../support/observed.ts'
import { alertOn, asksForCode, STEP } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { type Lies, SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const NEW = 'seven wet umbrellas at noon'
const ASKED = 'Your password is changed'
const REFUSED = /^The passkey was not accepted/
/** Sends a new password with a passkey. */
const send = async (browser: Visitor, page: Page, passkey: SoftwarePasskey, lies: Lies = {}) =>
  asPage(await browser.submit(page, { password: NEW, credential: passkey.get(optionsOn(page), lies) }))
const asks = ({ text }: Page) => text.includes('Are these passkeys still yours?')

t.test('D6 an account with a passkey passes it before the new password counts', async (t) => {
  const { visitor, makePasskey, openReset, letsIn, pass } = await scene(t)
  const [own, other] = [await makePasskey(), await makePasskey('bob')]
  const alice = visitor()
  let page = await openReset(alice)
  t.match(optionsOn(page), { userVerification: 'required', rpId: 'auth.example.com' })
  t.match(page.headers['content-security-policy'], / 'self'/)
  t.match(page.text, /Passkeys need JavaScript/, 'which says so where there are no scripts')
  t.match(page.text, /only they can remove them/, 'who lost them has to ask')
  for (const credential of [undefined, '', '{}', 'x']) {
    page = asPage(await alice.submit(page, { password: NEW, credential }))
    t.equal(page.status, 400)
    t.match(alertOn(page), REFUSED)
  }
  page = await send(alice, page, other)
  t.match(alertOn(page), REFUSED, 'of another account')
  t.notMatch(page.text, ' data-passkey-unknown', 'and it is not forgotten')
  page = await send(alice, page, new SoftwarePasskey(ISSUER))
  t.match(page.text, ' data-passkey-unknown', 'of nobody')
  for (const lies of [
    { is_verified: false },
    { origin: 'https://evil.example' },
    { rp_id: 'evil.example' },
  ]) {
    page = await send(alice, page, own, lies)
    t.match(alertOn(page), REFUSED, JSON.stringify(lies))
  }
  const late = page
  pass(301)
  page = await send(alice, late, own)
  t.match(alertOn(page), REFUSED, 'after five minutes')
  t.notOk(await letsIn(NEW))
  t.equal((await send(alice, page, own)).title, ASKED)
  t.ok(await letsIn(NEW))
})

t.test('B3 a passkey of another purpose, browser or link changes no password', async (t) => {
  const { visitor, makePasskey, resetLink, openReset, letsIn } = await scene(t)
  const [own, url] = [await makePasskey(), await resetLink()]
  const [alice, other] = [visitor(), visitor()]
  const page = await openReset(alice, url)
  const { challenge } = optionsOn(await alice.page(requestUrl({ client_id: 'own' }))) as { challenge: string }
  t.match(alertOn(await send(alice, page, own, { challenge })), REFUSED, 'of a sign-in')
  const of_other = optionsOn(await openReset(other, url)) as { challenge: string }
  t.match(alertOn(await send(alice, page, own, of_other)), REFUSED, 'of another browser')
  const older = optionsOn(page) as { challenge: string }
  const newer = await openReset(alice, await resetLink())
  t.match(alertOn(await send(alice, newer, own, older)), REFUSED, 'of another link')
  t.notOk(await letsIn(NEW))
  const both = await Promise.all([send(alice, newer, own), send(alice, newer, own)])
  t.strictSame(both.map(({ status }) => status).sort(), [200, 400], 'it counts once')
})

t.test('who lost the passkeys gets in only after an operator removed them', async (t) => {
  const { redmint, visitor, makePasskey, openReset, letsIn } = await scene(t)
  await makePasskey()
  const alice = visitor()
  const page = await openReset(alice)
  t.equal(asPage(await alice.submit(page, { password: NEW })).status, 400)
  await resetFactors(redmint, 'alice', ['passkeys'])
  const again = await openReset(alice)
  t.notMatch(again.text, 'data-passkey')
  t.equal(asPage(await alice.submit(again, { password: NEW })).title, ASKED)
  t.ok(await letsIn(NEW))
})

t.test('where passkeys are off, none is asked for', async (t) => {
  const { visitor, makePasskey, openReset } = await scene(t, { passkeys: 'off' })
  await makePasskey()
  const alice = visitor()
  const page = await openReset(alice)
  t.notMatch(page.text, 'data-passkey')
  const done = asPage(await alice.submit(page, { password: NEW }))
  t.equal(done.title, ASKED)
  t.notOk(asks(done))
})

t.test('B13 after it the passkeys are shown, and one or all are removed in one step', async (t) => {
  const { visitor, makePasskey, openReset, setUp, passkeys, pass, happened } = await scene(t)
  const [one, two, three] = [await makePasskey(), await makePasskey(), await makePasskey()]
  const app = await setUp()
  const alice = visitor()
  const page = await openReset(alice)
  t.ok(asksForCode(page), 'the app is asked for where there is one')
  pass(STEP)
  const review = asPage(await alice.submit(page, { password: NEW, code: app.code() }))
  t.ok(asks(review))
  t.equal(review.buttons.filter((button) => button.startsWith('passkey=')).length, 4)
  t.ok(asks(await alice.page('/reset-password')), 'also after a reload')
  const next = asPage(await alice.submit(review, { passkey: two.id }))
  t.strictSame(new Set(await passkeys()), new Set([one.id, three.id]))
  t.ok(asks(next))
  t.notMatch(next.text, two.id)
  t.equal(asPage(await alice.submit(review, { passkey: one.id })).status, 400, 'a page counts once')
  const again = visitor()
  pass(STEP)
  const fields = { password: `${NEW}!`, code: app.code() }
  const later = asPage(await again.submit(await openReset(again), fields))
  const done = asPage(await again.submit(later, { passkey: 'all' }))
  t.equal(done.title, ASKED)
  t.notOk(asks(done))
  t.strictSame(await passkeys(), [])
  t.equal(happened('passkey_removed'), 3)
})

t.test('B13 a review that ended at the last moment removes nothing', async (t) => {
  const memory = new MemoryStorage()
  let is_due = false
  const storage = observed(memory, async (call, run, args) => {
    if (is_due && call === 'take' && args[0] === evidenceTag('alice'))
      await memory.evidence.end(evidenceTag('alice'))
    return run()
  })
  const { visitor, makePasskey, openReset, passkeys } = await scene(t, { storage })
  const [one, two] = [await makePasskey(), await makePasskey()]
  const alice = visitor()
  const review = await send(alice, await openReset(alice), one)
  is_due = true
  t.equal(asPage(await alice.submit(review, { passkey: two.id })).status, 400)
  t.equal((await passkeys()).length, 2)
})

t.test('B13 a form that is sent twice at the same moment counts once', async (t) => {
  const { visitor, makePasskey, openReset, passkeys } = await scene(t)
  const [one, two, three] = [await makePasskey(), await makePasskey(), await makePasskey()]
  const alice = visitor()
  const review = await send(alice, await openReset(alice), one)
  const both = await Promise.all([two, three].map(({ id }) => alice.submit(review, { passkey: id })))
  t.strictSame(both.map((page) => asPage(page).status).sort(), [200, 400])
  t.equal((await passkeys()).length, 2)
})

t.test(
  'where passkeys are off, or somebody else removed the account, nothing is asked after it',
  async (t) => {
    const { redmint, visitor, makePasskey, openReset, setUp, pass } = await scene(t, { passkeys: 'off' })
    await makePasskey()
    const app = await setUp()
    pass(STEP)
    const alice = visitor()
    const done = asPage(await alice.submit(await openReset(alice), { password: NEW, code: app.code() }))
    t.equal(done.title, ASKED)
    t.notOk(asks(done))
    const settings = { ...redmint.settings, passkeys: 'on' as const }
    const arrival = { username: 'nobody', method: 'pwd', confirms: false } as const
    t.match(await beginReview({ ...redmint, settings }, { arrival }), { page: 'done' })
  },
)

t.test('B13 it ends by itself, with a change of the account, and in another browser', async (t) => {
  const { redmint, visitor, makePasskey, openReset, setUp, passkeys, pass } = await scene(t)
  const own = await makePasskey()
  const reviewIn = async (alice: Visitor) => send(alice, await openReset(alice), own)
  const kept = visitor()
  const page = await reviewIn(kept)
  t.notOk(asks(asPage(await kept.submit(page, {}))), "they are all one's own")
  t.equal(asPage(await kept.submit(page, { passkey: own.id })).status, 400, 'that was the end of it')

  const late = visitor()
  const over = await reviewIn(late)
  pass(601)
  t.equal(asPage(await late.submit(over, { passkey: own.id })).status, 400, 'after ten minutes')

  const changed = visitor()
  const before = await reviewIn(changed)
  await setUp()
  await removeTotp(redmint, 'alice')
  t.equal(asPage(await changed.submit(before, { passkey: own.id })).status, 400, 'the account changed')

  const [alice, other] = [visitor(), visitor()]
  const mine = await reviewIn(alice)
  await openReset(other)
  t.equal(asPage(await other.submit(mine, { passkey: own.id })).status, 400, 'another browser')
  t.equal((await other.page('/welcome')).status, 400)
  t.strictSame(await passkeys(), [own.id])
  t.ok(asks(asPage(await alice.submit(mine, { passkey: 'unknown' }))))
  t.ok(
    asDeparture(await signInOn(other, await other.page(requestUrl({ client_id: 'own' })), 'bob', PASSWORD)),
  )
})
