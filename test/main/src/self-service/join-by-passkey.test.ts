// A passkey in place of a password, by an invitation. The names begin with the number of the check that they make.
import t from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { ownerOfPasskey } from '../../../../src/factors/passkeys/passkey-owner.ts'

import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { observed } from '../../../support/observed.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { createPasskey, requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { type Lies, SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const REFUSED = /The passkey was not accepted/

/** Sends the form of an invitation with a passkey. */
const join = (
  browser: Visitor,
  page: Page,
  { username = 'carol', passkey = new SoftwarePasskey(ISSUER), lies = {} as Lies } = {},
) => createPasskey(browser, page, passkey, lies, { username, password: '' })

interface Options {
  rp: { id: string }
  user: { id: string; name: string }
  challenge: string
}

t.test('E3 an invited person has a passkey and no password, and signs in with it', async (t) => {
  const { visitor, invite, openInvitation, user, redmint } = await scene(t)
  const [carol, { url }] = [visitor(), await invite({ groups: ['staff'] })]
  carol.headers['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const page = await openInvitation(carol, url)
  t.match(page.text, 'name="password"', 'the form for a password is there, too')
  t.match(page.text, /data-passkey-needs="username"[^>]* hidden/, 'what needs a script is hidden without one')
  t.match(page.headers['content-security-policy'], / 'self'/)
  const passkey = new SoftwarePasskey(ISSUER)
  t.equal((await join(carol, page, { passkey })).title, 'Your account is ready')
  const hash = await user('carol')
  t.match(hash, { disabled: undefined, 'claim:groups': '["staff"]' })
  t.notOk(hash?.password_hash)
  const { passkeys } = (await findFactors(redmint, 'carol')).factors
  t.strictSame([...passkeys.keys()], [passkey.id])
  t.match(passkeys.get(passkey.id), { name: 'Firefox on Linux' })
  t.ok(asDeparture(await carol.open(requestUrl({ client_id: 'own' }))), 'and is signed in by it')
  const elsewhere = visitor()
  const login = await elsewhere.page(requestUrl({ client_id: 'own' }))
  const credential = passkey.get(optionsOn(login))
  t.ok(asDeparture(await elsewhere.submit(login, { method: 'passkey', credential })))
  t.equal((await openInvitation(visitor(), url)).status, 400, 'the invitation is used up')
})

t.test('B7 the user handle is random, and says nothing', async (t) => {
  const { visitor, openInvitation } = await scene(t)
  const handles = new Set<string>()
  for (let i = 0; i < 3; i++) {
    const { user, rp } = optionsOn(await openInvitation(visitor())) as Options
    t.match(user, { id: /^[\w-]{43}$/, name: '' })
    t.equal(rp.id, 'auth.example.com')
    handles.add(user.id)
  }
  t.equal(handles.size, 3)
})

t.test('B7 a passkey that an account has makes no other one, and no use is spent', async (t) => {
  const { visitor, invite, openInvitation, user, usesLeft, redmint, makePasskey } = await scene(t)
  const known = await makePasskey()
  const [carol, { url, id }] = [visitor(), await invite({ groups: ['staff'] })]
  const again = await join(carol, await openInvitation(carol, url), { passkey: known })
  t.match(alertOn(again), REFUSED)
  t.match(again.text, ' data-passkey-unknown', 'its keeper is told')
  t.equal(await user('carol'), undefined)
  t.equal(await usesLeft(id), '1')
  t.equal((await ownerOfPasskey(redmint, known.id))?.username, 'alice')
})

t.test('B1 B4 B6 what another page, host or a device without a question made, is refused', async (t) => {
  const { visitor, invite, openInvitation, user, usesLeft } = await scene(t)
  const [carol, { url, id }] = [visitor(), await invite({ groups: ['staff'] })]
  const wrong: readonly Lies[] = [
    { is_verified: false },
    { origin: 'https://evil.example' },
    { rp_id: 'evil.example' },
    { type: 'webauthn.get' },
    { challenge: 'another' },
    { client_data: { crossOrigin: true } },
  ]
  for (const lies of wrong) {
    t.match(
      alertOn(await join(carol, await openInvitation(carol, url), { lies })),
      REFUSED,
      JSON.stringify(lies),
    )
  }
  t.equal(await user('carol'), undefined)
  t.equal(await usesLeft(id), '1')
  t.equal((await join(carol, await openInvitation(carol, url), { lies: { fmt: 'packed' } })).status, 200)
})

t.test('B3 a challenge counts once, for this browser, link and purpose, for five minutes', async (t) => {
  const { visitor, invite, openInvitation, user, usesLeft, pass } = await scene(t)
  const [carol, other, { url, id }] = [visitor(), visitor(), await invite({ uses: 9, groups: ['staff'] })]
  const page = await openInvitation(carol, url)
  const of_other = await openInvitation(other, url)
  const crossed = { ...of_other, text: page.text.replace(page.hidden.csrf ?? '', of_other.hidden.csrf ?? '') }
  t.match(alertOn(await join(other, crossed)), REFUSED, 'of another browser')
  const newer = await openInvitation(carol, (await invite({ groups: ['staff'] })).url)
  const older = { ...newer, text: newer.text.replace(/data-passkey-options="[^"]*"/, optionsText(page)) }
  t.match(alertOn(await join(carol, older)), REFUSED, 'of another link')
  const login = await carol.page(requestUrl({ client_id: 'own' }))
  const { challenge } = optionsOn(login) as Options
  const fresh = await openInvitation(carol, url)
  t.match(alertOn(await join(carol, fresh, { lies: { challenge } })), REFUSED, 'of a sign-in')
  pass(301)
  t.match(alertOn(await join(carol, fresh)), REFUSED, 'after five minutes')
  t.equal(await usesLeft(id), '9')

  const last = await openInvitation(carol, url)
  const names = ['carol', 'carola', 'caroline', 'charlotte']
  const pages = await Promise.all(names.map((username) => join(carol, last, { username })))
  t.strictSame(pages.map(({ status }) => status).sort(), [200, 400, 400, 400], 'at the same moment')
  const made = await Promise.all(names.map((name) => user(name)))
  t.equal(made.filter((hash) => hash !== undefined).length, 1)
  t.equal(await usesLeft(id), '8')
})

t.test('a name that somebody has stays theirs, and leaves use and passkey', async (t) => {
  const { visitor, invite, openInvitation, user, usesLeft, redmint } = await scene(t)
  const [carol, { url, id }] = [visitor(), await invite({ groups: ['staff'] })]
  const before = await user('alice')
  const passkey = new SoftwarePasskey(ISSUER)
  for (const username of ['alice', 'ALICE', 'two words', '']) {
    t.equal(
      (await join(carol, await openInvitation(carol, url), { passkey, username })).status,
      400,
      username,
    )
  }
  t.strictSame(await user('alice'), before)
  t.equal((await findFactors(redmint, 'alice')).factors.passkeys.size, 0)
  t.equal(await usesLeft(id), '1')
  t.equal((await join(carol, await openInvitation(carol, url), { passkey })).status, 200)
})

t.test('two who choose one name at the same moment: one has it, and the other keeps the use', async (t) => {
  const { visitor, invite, openInvitation, user, usesLeft, redmint } = await scene(t)
  const { url, id } = await invite({ uses: 2, groups: ['staff'] })
  const both = await Promise.all(
    [visitor(), visitor()].map(async (browser) => ({ browser, page: await openInvitation(browser, url) })),
  )
  const passkeys = both.map(() => new SoftwarePasskey(ISSUER))
  const pages = await Promise.all(
    both.map(({ browser, page }, i) => join(browser, page, { passkey: passkeys[i] as SoftwarePasskey })),
  )
  t.strictSame(pages.map(({ status }) => status).sort(), [200, 400])
  t.equal(await usesLeft(id), '1')
  t.match(await user('carol'), { disabled: undefined })
  t.equal((await findFactors(redmint, 'carol')).factors.passkeys.size, 1)
  const owners = await Promise.all(passkeys.map((passkey) => ownerOfPasskey(redmint, passkey.id)))
  t.equal(owners.filter((owner) => owner !== undefined).length, 1, 'the other claim was given up')
})

t.test('E3 the last use at the same moment: one has it, and the other gives the passkey back', async (t) => {
  const { visitor, invite, openInvitation, user, redmint } = await scene(t)
  const { url } = await invite({ groups: ['staff'] })
  const names = ['carol', 'dora']
  const both = await Promise.all(
    names.map(async (username) => {
      const browser = visitor()
      const page = await openInvitation(browser, url)
      return { username, browser, page, passkey: new SoftwarePasskey(ISSUER) }
    }),
  )
  const pages = await Promise.all(both.map(({ browser, page, ...more }) => join(browser, page, more)))
  t.strictSame(pages.map(({ title }) => title).sort(), [
    'This link does not work any more',
    'Your account is ready',
  ])
  t.equal((await Promise.all(names.map((name) => user(name)))).filter((hash) => hash !== undefined).length, 1)
  const owners = await Promise.all(both.map(({ passkey }) => ownerOfPasskey(redmint, passkey.id)))
  t.equal(owners.filter((owner) => owner !== undefined).length, 1)
})

t.test('a user whom somebody removed before the last step does not come back', async (t) => {
  const memory = new MemoryStorage()
  const storage = observed(memory, async (call, run) => {
    if (call === 'change user') await memory.records.take(USER, 'carol')
    return run()
  })
  const { visitor, openInvitation, user } = await scene(t, { storage })
  const carol = visitor()
  t.equal((await join(carol, await openInvitation(carol))).title, 'This link does not work any more')
  t.equal(await user('carol'), undefined)
})

t.test('an end before the last step leaves nobody who can sign in', async (t) => {
  const memory = new MemoryStorage()
  let is_away = false
  const storage = observed(memory, (call, run) => {
    if (is_away && call === 'change user') throw new Error('the process ended')
    return run()
  })
  const { visitor, openInvitation, user } = await scene(t, { storage })
  const carol = visitor()
  const page = await openInvitation(carol)
  is_away = true
  t.equal((await join(carol, page)).status, 500)
  t.match(await user('carol'), { disabled: 'true' })
})

t.test('where passkeys are off, none is asked for or taken', async (t) => {
  const { visitor, openInvitation, user } = await scene(t, { passkeys: 'off' })
  const carol = visitor()
  const page = await openInvitation(carol)
  t.notMatch(page.text, 'data-passkey')
  const credential = new SoftwarePasskey(ISSUER).create({
    rp: { id: 'x' },
    user: { id: 'x' },
    challenge: 'x',
  })
  const again = asPage(await carol.submit(page, { username: 'carol', password: '', credential }))
  t.match(alertOn(again), /needs at least/)
  t.equal(await user('carol'), undefined)
})

const optionsText = ({ text }: Page) => /data-passkey-options="[^"]*"/.exec(text)?.[0] ?? ''
