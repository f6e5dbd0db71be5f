// SIGN_IN=passkeys: nobody has a password, and links end in a passkey. The names begin with the number of the check that they makePasskey.
import t from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { MAX_PASSKEYS } from '../../../../src/factors/passkeys/create-passkey.ts'
import { ownerOfPasskey } from '../../../../src/factors/passkeys/passkey-owner.ts'
import type { MailRequest } from '../../../../src/mail/mailer.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { changePassword } from '../../../../src/self-service/change-password.ts'
import { sendResetLink } from '../../../../src/self-service/forgot-password.ts'

import { showReset, takeReset } from '../../../../src/self-service/reset-password.ts'
import { sendSignUpLink } from '../../../../src/self-service/sign-up.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'

import { PASSWORD } from '../../../support/accounts.ts'
import { BROWSER, optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { linkIn } from '../../../support/link-in.ts'
import { observed, ofRequests } from '../../../support/observed.ts'
import { changeUser } from '../../../support/records.ts'
import { alertOn, STEP } from '../../../support/scene/pages.ts'
import { createPasskey, requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { type Lies, SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { asDeparture, asPage, type Page } from '../../../support/visitor.ts'
import { WITH_MAIL } from '../../../support/with-mail.ts'

const SAID = en.messages
const OWN = requestUrl({ client_id: 'own' })
const NEW = 'seven wet umbrellas at noon'
const asks = ({ text }: Page) => text.includes(SAID.still_yours_title)

t.test('the sign-in page has a passkey and no password, and says what it needs', async (t) => {
  const { visitor, makePasskey, byPasskey, claims, log } = await scene(t, {
    sign_in: 'passkeys',
    ...WITH_MAIL,
  })
  const passkey = await makePasskey()
  const page = await visitor().page(OWN)
  t.notMatch(page.text, 'type="password"')
  t.match(page.text, /<input id="username" name="username" value="" autocomplete="username webauthn"/)
  t.match(page.text, /data-passkey-use="get" data-passkey-suggest hidden>/, 'hidden without a script')
  t.match(page.text, `<noscript><p>${SAID.passkey_missing.replace("'", '&#39;')}</p></noscript>`)
  t.match(page.text, '<div data-passkey-missing hidden>')
  t.match(page.text, /href="\/forgot-password\?transaction=[^"]+">Lost your passkey\?<\/a>/)
  t.match(optionsOn(page), { userVerification: 'required', allowCredentials: [] })
  t.match(await claims(await byPasskey(passkey)), { amr: ['swk', 'user', 'mfa'], acr: 'phr' })
  t.notMatch(log.join(''), '"level":50')
})

t.test('it takes a hint of the name, and asks whether to stay signed in', async (t) => {
  const { visitor, makePasskey, byPasskey } = await scene(t, {
    sign_in: 'passkeys',
    session_persistent: 'choice',
  })
  const page = await visitor().page(requestUrl({ client_id: 'own', login_hint: 'alice' }))
  t.match(page.text, 'name="username" value="alice"')
  t.match(page.text, 'name="stay" value="yes"')
  const alice = visitor()
  const login = await alice.page(OWN)
  const credential = (await makePasskey()).get(optionsOn(login))
  const found = asDeparture(await alice.submit(login, { credential, stay: 'yes' }))
  t.ok(found)
  t.ok(
    [...alice.cookies.keys()].some((name) => name.includes('session')),
    'signed in',
  )
  t.ok('location' in (await byPasskey(await makePasskey('bob'))))
})

t.test('23 no password lets anybody in, and none can be set', async (t) => {
  const { visitor, makePasskey, openReset, post, get, user, redmint, account, byPasskey, pass } = await scene(
    t,
    { sign_in: 'passkeys', ...WITH_MAIL },
  )
  const before = (await user())?.password_hash
  t.ok(before, 'there is one from before')
  for (const method of ['pwd', 'password', 'passkey', '', undefined]) {
    const browser = visitor()
    const page = await browser.page(OWN)
    const found = await browser.submit(page, { username: 'alice', password: PASSWORD, method })
    t.equal(alertOn(asPage(found)), SAID.login_failed_answer, `method=${method}`)
  }
  const alice = visitor()
  const passkey = await makePasskey()
  const login = await alice.page('/account')
  const own = asPage(await alice.submit(login, { credential: passkey.get(optionsOn(login)) }))
  t.equal(own.title, SAID.own_title)
  t.notMatch(own.text, SAID.own_change_password)
  t.notMatch(own.text, SAID.own_no_password)
  t.notMatch(own.text, SAID.own_second_step_off, 'an app would protect nothing')
  t.equal((await alice.page('/account/password')).status, 404)
  const { csrf = '' } = (await alice.page('/account/passkeys')).hidden
  const changing = new URLSearchParams({ csrf, password: NEW }).toString()
  t.equal((await alice.request('POST', '/account/change-password', changing)).status, 404)
  t.equal((await get('/.well-known/change-password')).status, 404)
  const context = { ...redmint, passwords: redmint.passwords } as typeof redmint
  const asker = { address: '', user: '' }
  t.equal(await changePassword(context, await account(), NEW, asker), 'off', 'nor by the function')
  for (const fields of [
    { password: NEW },
    { password: NEW, credential: '' },
    { password: NEW, username: 'x' },
  ]) {
    const browser = visitor()
    const refused = asPage(await browser.submit(await openReset(browser), fields))
    t.equal(refused.status, 400)
    t.equal(alertOn(refused), SAID.choose_passkey_refused)
  }
  t.equal((await post('/reset-password', { password: NEW })).status, 400)
  pass(700)
  const devices = visitor()
  const device = await devices.page('/device?user_code=WDJB-MJHT')
  t.notMatch(device.text, 'type="password"', 'nor at a device')
  t.equal((await user())?.password_hash, before)
  t.ok('location' in (await byPasskey(passkey)))
})

t.test('E3 an invitation ends in a passkey', async (t) => {
  const { visitor, openReset, user, passkeys, letsIn, invite } = await scene(t, { sign_in: 'passkeys' })
  const { url } = await invite({ groups: ['staff'] })
  const carol = visitor()
  const page = await openReset(carol, url)
  t.notMatch(page.text, 'type="password"')
  t.match(page.text, 'data-passkey-missing')
  t.match(page.text, /data-passkey-needs="username"/)
  const tried: Record<string, string>[] = [{ username: 'carol', password: NEW }, { username: 'carol' }, {}]
  for (const fields of tried) {
    const refused = asPage(await carol.submit(page, fields))
    t.equal(refused.status, 400, JSON.stringify(fields))
    if (fields.username !== undefined) t.equal(alertOn(refused), SAID.choose_passkey_refused)
    t.equal(await user('carol'), undefined)
  }
  const passkey = new SoftwarePasskey(ISSUER)
  const again = asPage(await carol.submit(page, { username: 'carol', password: NEW }))
  const credential = passkey.create(optionsOn(again))
  const done = asPage(await carol.submit(again, { username: 'carol', password: NEW, credential }))
  t.equal(done.title, SAID.welcome_done_title)
  t.match(await user('carol'), { disabled: undefined, 'claim:groups': '["staff"]' })
  t.notOk((await user('carol'))?.password_hash)
  t.strictSame(await passkeys('carol'), [passkey.id])
  t.ok(await letsIn(passkey))
})

t.test('B13 after a lost passkey a link makes a new one, and asks about the others', async (t) => {
  const { visitor, makePasskey, openReset, passkeys, letsIn, user, byPasskey, happened } = await scene(t, {
    sign_in: 'passkeys',
  })
  const [old, other] = [await makePasskey(), await makePasskey()]
  const elsewhere = visitor()
  t.ok('location' in (await byPasskey(old, elsewhere)))
  const alice = visitor()
  const page = await openReset(alice)
  t.equal(page.title, SAID.renew_title)
  t.notMatch(page.text, 'type="password"')
  t.match(page.text, 'data-passkey-missing')
  t.match(optionsOn(page), {
    user: { id: old.user_handle, name: 'alice' },
    excludeCredentials: [],
    authenticatorSelection: { userVerification: 'required', residentKey: 'required' },
  })
  const passkey = new SoftwarePasskey(ISSUER)
  const review = await createPasskey(alice, page, passkey)
  t.equal(review.title, SAID.renew_done_title)
  t.ok(asks(review))
  t.notMatch(review.text, passkey.id, 'not about the new one')
  t.strictSame(new Set(await passkeys()), new Set([old.id, other.id, passkey.id]))
  t.ok(await letsIn(passkey))
  t.notOk((await user())?.password_hash, 'what opened the account before it was lost is gone')
  t.equal((await elsewhere.page('/account')).title, SAID.login_title, 'others are signed out')
  const unharmed = asPage(await alice.submit(review, { passkey: passkey.id }))
  t.ok(asks(unharmed), 'the new one stays, whatever the form says')
  const one = asPage(await alice.submit(unharmed, { passkey: old.id }))
  t.ok(asks(one))
  const done = asPage(await alice.submit(one, { passkey: 'all' }))
  t.equal(done.title, SAID.renew_done_title)
  t.notOk(asks(done))
  t.strictSame(await passkeys(), [passkey.id])
  t.notOk(await letsIn(old))
  t.equal(happened('passkey_removed'), 2)
})

t.test('B13 who has no other passkey is asked nothing', async (t) => {
  const { visitor, openReset, passkeys, letsIn } = await scene(t, { sign_in: 'passkeys' })
  const alice = visitor()
  const passkey = new SoftwarePasskey(ISSUER)
  const done = await createPasskey(alice, await openReset(alice), passkey)
  t.equal(done.title, SAID.renew_done_title)
  t.notOk(asks(done))
  t.strictSame(await passkeys(), [passkey.id])
  t.ok(await letsIn(passkey))
})

t.test('B1 B3 B4 a passkey counts only as its page asked for it', async (t) => {
  const { redmint, visitor, makePasskey, resetLink, openReset, passkeys, pass, invite } = await scene(t, {
    sign_in: 'passkeys',
  })
  const known = await makePasskey('bob')
  const [alice, other, url] = [visitor(), visitor(), await resetLink()]
  let page = await openReset(alice, url)
  for (const lies of [
    { is_verified: false },
    { origin: 'https://evil.example' },
    { rp_id: 'evil.example' },
    { type: 'webauthn.get' },
    { challenge: 'x' },
    { credential_id: known.id },
  ]) {
    page = await createPasskey(alice, page, new SoftwarePasskey(ISSUER), lies)
    t.equal(alertOn(page), SAID.choose_passkey_refused, JSON.stringify(lies))
    t.match(page.text, ' data-passkey-unknown', 'its keeper is told')
  }
  t.equal((await ownerOfPasskey(redmint, known.id))?.username, 'bob')
  const challengeOn = (found: Page) => ({
    challenge: (optionsOn(found) as { challenge: string }).challenge,
  })
  const of_sign_in = challengeOn(await visitor().page(OWN))
  t.equal(
    (await createPasskey(alice, page, new SoftwarePasskey(ISSUER), of_sign_in)).status,
    400,
    'of a sign-in',
  )
  const of_other = challengeOn(await openReset(other, url))
  t.equal(
    (await createPasskey(alice, page, new SoftwarePasskey(ISSUER), of_other)).status,
    400,
    'of another browser',
  )
  const invitation = await invite()
  const of_join = challengeOn(await openReset(visitor(), invitation.url))
  t.equal(
    (await createPasskey(alice, page, new SoftwarePasskey(ISSUER), of_join)).status,
    400,
    'of an invitation',
  )
  const late = page
  pass(301)
  page = await createPasskey(alice, late)
  t.equal(page.status, 400, 'after five minutes')
  const older = challengeOn(page)
  const newer = await openReset(alice, await resetLink())
  t.equal(
    (await createPasskey(alice, newer, new SoftwarePasskey(ISSUER), older)).status,
    400,
    'of another link',
  )
  t.strictSame(await passkeys(), [])
  const twin = new SoftwarePasskey(ISSUER)
  const both = await Promise.all([createPasskey(alice, newer, twin), createPasskey(alice, newer, twin)])
  t.strictSame(both.map(({ status }) => status).sort(), [200, 400], 'it counts once')
  t.equal((await passkeys()).length, 1)
})

t.test('mails speak of passkeys', async (t) => {
  const { redmint, storage, visitor, openReset } = await scene(t, {
    sign_in: 'passkeys',
    ...WITH_MAIL,
    sign_up: 'open',
  })
  const email = 'alice@example.com'
  await changeUser(storage, 'alice', { set: { email, email_verified: 'true' }, unset: [] })
  await indexUser(storage, 'alice')
  const sent: MailRequest[] = []
  const send = async (request: MailRequest) => void sent.push(request)
  const mailing = { ...redmint, send }
  await sendResetLink(mailing, { typed: 'alice', language: 'en', nth: 1 })
  await sendSignUpLink(mailing, { typed: email, language: 'en', nth: 1 })
  t.strictSame(
    sent.map(({ content }) => content.kind),
    ['reset_passkey', 'known_address_passkey'],
  )
  const alice = visitor()
  t.equal(
    (await createPasskey(alice, await openReset(alice, sent[0]?.content.link))).title,
    SAID.renew_done_title,
  )
  const forgot = await alice.page('/forgot-password')
  t.equal(forgot.title, SAID.passkey_lost)
  t.match(forgot.text, SAID.passkey_lost_lead)
})

t.test('D2 a link makes one passkey, also of two that are posted at the same moment', async (t) => {
  const { redmint, visitor, openReset, passkeys } = await scene(t, { sign_in: 'passkeys' })
  const alice = visitor()
  const pages = [await openReset(alice), await alice.page('/reset-password')]
  const made = pages.map(() => new SoftwarePasskey(ISSUER))
  const both = await Promise.all(pages.map((page, i) => createPasskey(alice, page, made[i])))
  t.strictSame(both.map(({ status }) => status).sort(), [200, 400])
  t.equal((await passkeys()).length, 1)
  const owners = await Promise.all(made.map(({ id }) => ownerOfPasskey(redmint, id)))
  t.equal(owners.filter((owner) => owner !== undefined).length, 1, 'the other claim was given up')
})

t.test('D10 a change of the account ends the link', async (t) => {
  const { redmint, visitor, makePasskey, openReset, passkeys, setUp } = await scene(t, {
    sign_in: 'passkeys',
  })
  const alice = visitor()
  const page = await openReset(alice)
  await setUp()
  t.equal((await createPasskey(alice, page)).status, 400)
  t.strictSame(await passkeys(), [])
  const again = await openReset(alice)
  await makePasskey()
  t.equal((await createPasskey(alice, again)).status, 400)
  t.equal((await findFactors(redmint, 'alice')).factors.passkeys.size, 1)
})

t.test('D6 an account with an app passes it before the new passkey counts', async (t) => {
  const { visitor, openReset, setUp, passkeys, pass, letsIn } = await scene(t, { sign_in: 'passkeys' })
  const app = await setUp()
  const [code] = await app.recovery()
  const alice = visitor()
  let page = await openReset(alice)
  t.match(page.text, 'autocomplete="one-time-code"')
  const credentialFor = (found: Page, passkey = new SoftwarePasskey(ISSUER)) =>
    passkey.create(optionsOn(found))
  for (const fields of [{}, { code: '' }, { code: app.wrong() }]) {
    page = asPage(await alice.submit(page, { credential: credentialFor(page), ...fields }))
    t.equal(alertOn(page), SAID.second_step_wrong)
  }
  t.strictSame(await passkeys(), [])
  pass(STEP)
  const passkey = new SoftwarePasskey(ISSUER)
  const credential = credentialFor(page, passkey)
  t.equal(asPage(await alice.submit(page, { credential, code: app.code() })).title, SAID.renew_done_title)
  t.ok(await letsIn(passkey))
  const again = await openReset(alice)
  const fields = { credential: credentialFor(again), recovery_code: code }
  t.equal(asPage(await alice.submit(again, fields)).title, SAID.renew_done_title, 'by a recovery code')
  const guessed = visitor()
  let guess = await openReset(guessed)
  for (let i = 0; i < 5; i++)
    guess = asPage(await guessed.submit(guess, { credential: credentialFor(guess), code: app.wrong() }))
  const over = asPage(await guessed.submit(guess, { credential: credentialFor(guess), code: app.wrong() }))
  t.equal(over.title, SAID.link_over_title)
})

t.test('A7 the last passkey cannot be removed, also by who has a password from before', async (t) => {
  const { visitor, makePasskey, passkeys } = await scene(t, { sign_in: 'passkeys' })
  const passkey = await makePasskey()
  const alice = visitor()
  const login = await alice.page('/account/passkeys')
  const page = asPage(await alice.submit(login, { credential: passkey.get(optionsOn(login)) }))
  const body = new URLSearchParams({ csrf: page.hidden.csrf ?? '', passkey: passkey.id }).toString()
  const { text } = await alice.request('POST', '/account/remove-passkey', body)
  t.match(text, SAID.own_passkey_last)
  t.strictSame(await passkeys(), [passkey.id])
})

t.test(
  'B12 where there are as many as there can be, the one that was used longest ago gives way',
  async (t) => {
    const { redmint, visitor, makePasskey, openReset, passkeys, byPasskey, pass } = await scene(t, {
      sign_in: 'passkeys',
    })
    const made: SoftwarePasskey[] = []
    for (let i = 0; i < MAX_PASSKEYS; i++) {
      made.push(await makePasskey())
      pass(1)
    }
    const [first, second] = made
    await byPasskey(first as SoftwarePasskey)
    const alice = visitor()
    const passkey = new SoftwarePasskey(ISSUER)
    t.equal((await createPasskey(alice, await openReset(alice), passkey)).title, SAID.renew_done_title)
    const kept = await passkeys()
    t.equal(kept.length, MAX_PASSKEYS)
    t.ok(kept.includes(passkey.id))
    t.notOk(kept.includes(second?.id ?? ''))
    t.equal(await ownerOfPasskey(redmint, second?.id ?? ''), undefined)
  },
)

t.test('a new passkey by a link takes as many calls of storage, however many there are', async (t) => {
  const calls: string[] = []
  const around = ofRequests((call, run) => {
    calls.push(call)
    return run()
  })
  const { redmint, resetLink, makePasskey } = await scene(t, {
    sign_in: 'passkeys',
    storage: observed(new MemoryStorage(), around),
  })
  // What ends in the background waits for its worker.
  const context = { ...redmint, logouts: undefined, endings: undefined } as unknown as typeof redmint
  const taken = async (lies: Lies = {}) => {
    const link = linkIn(await resetLink())
    calls.length = 0
    const shown = await showReset(context, link, BROWSER)
    const cost_of_page = calls.length
    const options = ('passkey' in shown && shown.passkey?.options) || {}
    const credential = new SoftwarePasskey(ISSUER).create(options, lies)
    calls.length = 0
    const { page } = await takeReset(context, link, { credential }, { address: '', user: '' }, BROWSER)
    return { page, cost_of_page, cost: calls.length }
  }
  await makePasskey()
  const first = await taken()
  t.match(first, { page: 'review', cost_of_page: 3, cost: 26 })
  for (let i = 0; i < 5; i++) await makePasskey()
  t.strictSame(await taken(), first)
  t.match(await taken({ is_verified: false }), { page: 'choose', cost: 3 })
})
