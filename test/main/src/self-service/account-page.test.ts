// The page of the own account. The names begin with the number of the check that they make.
import t, { type Test } from 'tap'

import { FACTORS, passkeyField } from '../../../../src/factors/factors-record.ts'
import { newRecoveryCodes, removeTotp } from '../../../../src/factors/totp.ts'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { ACTIONS } from '../../../../src/self-service/actions.ts'
import type { Session } from '../../../../src/sessions/session.ts'
import { clientField, SESSION } from '../../../../src/sessions/session-record.ts'
import { USER } from '../../../../src/users/user-kind.ts'

import { PASSWORD } from '../../../support/accounts.ts'
import { optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { changeUser } from '../../../support/records.ts'
import { asksForCode, asksForPassword, STEP } from '../../../support/scene/pages.ts'

import { scene } from '../../../support/scene.ts'
import { startService } from '../../../support/service.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'
import { WITH_MAIL } from '../../../support/with-mail.ts'

const NEW = 'seven wet umbrellas at noon'
const NOTICES = {
  ask_people: 'on',
  web_push_private_key: Buffer.alloc(32, 1).toString('base64'),
  web_push_contact: 'mailto:ops@example.com',
} as const
const ALL = { account_deletion: 'on', sign_in: 'providers', ...WITH_MAIL, ...NOTICES } as const
const CONFIRMED_SECONDS = 600
const CHANGES = Object.keys(ACTIONS).filter((name) => ACTIONS[name]?.confirmed)

const post = (browser: Visitor, name: string, fields: Record<string, string>) =>
  browser.request('POST', `/account/${name}`, new URLSearchParams(fields).toString())

/** What each of the changes needs so that it takes effect. */
const fieldsOf = (csrf: string) => ({
  csrf,
  password: NEW,
  email: 'new@example.org',
  others: 'yes',
  code: '123456',
  begun: 'x',
})

/** Posts each change in a browser without a confirmation: it leads to the sign-in. */
async function refusesChanges(t: Test, browser: Visitor, csrf: string): Promise<void> {
  for (const name of CHANGES) {
    const { status, headers } = await post(browser, name, fieldsOf(csrf))
    t.match(headers.location, /\btransaction=/, `${name} ${status}`)
  }
}

t.test('people come by a sign-in of the page itself, and see their account', async (t) => {
  const { visitor, arrive } = await scene(t, ALL)
  const alice = visitor()
  const page = await arrive(alice, '/account')
  t.equal(page.title, 'Your account')
  t.match(page.text, /This browser/)
  t.equal(page.headers['cache-control'], 'no-store')
  t.equal((await alice.page('/account')).title, 'Your account', 'and stay signed in')
  const data = JSON.parse((await alice.request('GET', '/account/data')).text)
  t.match(data, { username: 'alice', sub: 'sub-of-alice' })
  t.notMatch(JSON.stringify(data), /argon2|password_hash/)
})

t.test(
  'who is signed in confirms who it is on a page that says so, with nothing for strangers',
  async (t) => {
    const service = await scene(t, { ...ALL, sign_up: 'open' })
    const { visitor, arrive, pass, makePasskey } = service
    const alice = visitor()
    const first = await alice.page('/account/password')
    t.equal(first.title, 'Sign in', 'who is not signed in signs in')
    t.match(first.text, /Create an account/)
    await arrive(alice, '/account')
    pass(CONFIRMED_SECONDS)
    const asked = await alice.page('/account/password')
    t.equal(asked.title, 'Confirm it is you')
    t.match(asked.text, /sign in once more\./)
    t.match(asked.text, /name="username" value="alice"/)
    t.notMatch(asked.text, /Create an account|to continue to/)
    const wrong = asPage(await alice.submit(asked, { username: 'alice', password: 'wrong' }))
    t.equal(wrong.title, 'Confirm it is you', 'after a wrong password, too')

    await makePasskey()
    t.match((await alice.page('/account/password')).text, /sign in once more with your passkey\./)
  },
)

t.test('where only a passkey counts, nothing else is asked for', async (t) => {
  const { visitor, arrive, makePasskey, setFields } = await scene(t, ALL)
  await setFields('alice', { name: 'Alice Liddell' })
  const alice = visitor()
  await arrive(alice, '/account')
  const before = await alice.page('/account/address')
  t.equal(before.title, 'Change e-mail address')
  const { transaction, csrf } = asPage(await alice.submit(before, { email: 'new@example.org' })).hidden
  t.notOk(transaction ?? csrf === undefined, 'a password alone is enough for who has nothing else')
  const passkey = await makePasskey()
  const asked = await alice.page('/account/address')
  t.equal(asked.title, 'Confirm it is you')
  t.match(asked.text, /Alice Liddell.*alice/s, 'who it is')
  t.match(asked.text, 'Then you go on to: Change e-mail address')
  t.match(asked.text, '>Use your passkey</button>')
  t.match(asked.text, /<noscript>.*JavaScript/s)
  t.match(asked.text, /Lost your passkey\?.*only they can remove them/s)
  t.notMatch(asked.text, /type="password"|name="username"|Forgot password/)
  // The page of before, in another tab.
  const weak = asPage(await alice.submit(asked, { username: 'alice', password: PASSWORD }))
  t.equal(weak.title, 'Confirm it is you')
  t.match(weak.text, 'it is not enough here: only your passkey counts')
  const credential = passkey.get(optionsOn(weak))
  const done = asPage(await alice.submit(weak, { method: 'passkey', credential }))
  t.equal(done.title, 'Change e-mail address')
})

t.test('who confirms is not sent to a provider where the account has no link', async (t) => {
  const { visitor, arrive, storage, setFields, pass } = await scene(t, ALL)
  for (const name of ['partner', 'other'])
    await storage.records.create({
      kind: PROVIDER,
      id: name,
      hash: { issuer: `https://${name}.example.com`, client_id: 'x', client_secret: 'y', name },
    })
  const alice = visitor()
  t.match((await alice.page('/account')).text, 'Sign in with partner', 'a stranger may come by any')
  await arrive(alice, '/account')
  pass(CONFIRMED_SECONDS)
  t.notMatch((await alice.page('/account/password')).text, 'Sign in with')
  await setFields('alice', { linked_subjects: 'https://other.example.com#1' })
  const { text } = await alice.page('/account/password')
  t.match(text, 'Sign in with other')
  t.notMatch(text, 'Sign in with partner')
})

t.test(
  'a session names the applications that were signed in to with it, of many only the first ones',
  async (t) => {
    const { storage, afterPassword, visitor } = await scene(t, ALL)
    const alice = visitor()
    await afterPassword(alice)
    const where = async () =>
      /<h2 id="sessions-title">.*?<\/ul>/s.exec((await alice.page('/account')).text)?.[0]
    t.match(await where(), '<bdi>Our own</bdi></small>')
    const [session] = (await storage.lists.page({ list: 'sessions-of', owner: 'alice' }, { limit: 2 }))
      .entries
    const joins = (...ids: string[]) =>
      storage.records.change(SESSION, session?.id ?? '', {
        set: Object.fromEntries(ids.map((id) => [clientField(id), ''])),
      })
    await joins('gone')
    t.match(await where(), '<bdi>Our own</bdi>, <bdi>gone</bdi></small>')
    await joins('a', 'b', 'c')
    t.notMatch(await where(), '…')
    await joins('d')
    t.match(await where(), /(<bdi>[\w ]+<\/bdi>, ){5}<bdi>…<\/bdi><\/small>/)
  },
)

t.test('what is turned off is not there', async (t) => {
  const off = await scene(t, { ...ALL, account_page: 'off' })
  t.equal((await off.visitor().request('GET', '/account')).status, 404)
  const { browser, csrf } = await (await scene(t, { ...ALL, account_deletion: 'off' })).confirmed()
  t.equal((await post(browser, 'delete-account', { csrf })).status, 404)
  t.notMatch((await browser.page('/account')).text, /Delete account/)
  const alone = await scene(t, { ...ALL, sign_in: 'password' })
  t.equal((await alone.visitor().request('GET', '/account/providers')).status, 404)
  t.equal((await post(alone.visitor(), 'unlink-provider', { csrf })).status, 404)
})

t.test('who signs in for the data arrives at the overview, where the file can be saved', async (t) => {
  const { visitor, arrive } = await scene(t, ALL)
  t.match(await arrive(visitor(), '/account/data'), { url: '/account', title: 'Your account' })
})

t.test('pages of a sign-in and of a sign-out lead to the account, only where it is on', async (t) => {
  for (const account_page of ['on', 'off'] as const) {
    const { visitor, afterPassword } = await scene(t, { ...ALL, account_page })
    const alice = visitor()
    const consent = asPage(await afterPassword(alice, { client_id: 'shop' }))
    for (const { title, text } of [consent, await alice.page('/oauth2/logout')]) {
      t.equal(text.includes('href="/account"'), account_page === 'on', `${title} ${account_page}`)
    }
  }
})

t.test('A1 no change without a confirmation, by any method and type of content', async (t) => {
  const { fastify, confirmed, setUp, stateOf, pass } = await scene(t, ALL)
  const { browser, csrf } = await confirmed('/account/password', (await setUp()).code)
  t.not(csrf, '')
  pass(CONFIRMED_SECONDS + 1)
  const before = await stateOf()
  await refusesChanges(t, browser, csrf)
  const cookie = browser.cookiesFor('/account')
  for (const name of Object.keys(ACTIONS)) {
    const url = `/account/${name}`
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      const { statusCode } = await fastify.inject({ method, url, headers: { cookie } })
      t.ok(statusCode >= 400, `${method} ${name} ${statusCode}`)
    }
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const headers = { cookie, 'content-type': type }
      const payload = JSON.stringify(fieldsOf(csrf))
      const { statusCode } = await fastify.inject({ method: 'POST', url, headers, payload })
      t.ok(statusCode >= 400, `${type} ${name} ${statusCode}`)
    }
  }
  t.strictSame(await stateOf(), before)
})

const MAIL = { smtp_url: 'smtp://127.0.0.1:1', mail_from: 'login@example.com' }

t.test('A1 each route that takes a form is a row of the table', async (t) => {
  const posted: string[] = []
  await startService(t, { account_deletion: 'on', sign_in: 'providers', ...MAIL, ...NOTICES }, (host) => {
    host.addHook('onRoute', ({ method, url }) => {
      const is_read = [method].flat().every((one) => one === 'GET')
      if (url.startsWith('/account') && !is_read) posted.push(`${method} ${url}`)
    })
  })
  const rows = Object.keys(ACTIONS).map((name) => `POST /account/${name}`)
  t.strictSame(posted.sort(), rows.sort())
})

t.test('A1 only what gives nobody anything needs no confirmation', async (t) => {
  const free = Object.keys(ACTIONS).filter((name) => !CHANGES.includes(name))
  t.strictSame(free, [
    ...['sign-out', 'end-session', 'end-others', 'end-application', 'end-support'],
    ...['unmute', 'change-profile', 'rename-passkey', 'codes-saved', 'add-notices', 'remove-notices'],
  ])
})

t.test('A2 a sign-in weaker than the account confirms nothing', async (t) => {
  const { redmint, visitor, confirmed, arrive, setUp, stateOf, makePasskey } = await scene(t, ALL)
  const { browser, csrf } = await confirmed()
  const app = await setUp()
  const before = await stateOf()
  await refusesChanges(t, browser, csrf)
  const asked = await arrive(browser, '/account/second-step')
  t.ok(asksForCode(asked), 'after the password the code is asked for')
  t.strictSame(await stateOf(), before)
  t.equal((await arrive(visitor(), '/account/second-step', app.code)).title, 'Second step')

  await removeTotp(redmint, 'alice')
  const weak = await confirmed()
  await makePasskey()
  await refusesChanges(t, weak.browser, weak.csrf)
  const again = await arrive(weak.browser, '/account/password')
  t.not(again.title, 'Change password', 'a password is not enough for who has a passkey')
})

t.test('A2 a trusted browser confirms nothing by the password alone', async (t) => {
  const { visitor, setUp, afterPassword, arrive, pass } = await scene(t, ALL)
  const app = await setUp()
  const alice = visitor()
  await alice.submit(asPage(await afterPassword(alice)), { code: app.code(), trust: 'yes' })
  for (const name of [...alice.cookies.keys()]) if (/session/.test(name)) alice.cookies.delete(name)
  t.equal((await arrive(alice, '/account')).title, 'Your account', 'it signs in by the password')
  const asked = await arrive(alice, '/account/password')
  t.ok(asksForCode(asked), asked.title)
  pass(STEP)
  t.equal(asPage(await alice.submit(asked, { code: app.code() })).title, 'Change password')
})

t.test('A3 a link of a mail confirms nothing, and ends what was confirmed', async (t) => {
  const { confirmed, openReset } = await scene(t, ALL)
  const { browser, csrf } = await confirmed()
  const page = await openReset(browser)
  t.equal(asPage(await browser.submit(page, { password: NEW })).title, 'Your password is changed')
  t.equal((await browser.page('/account')).title, 'Your account', 'who chose a password is signed in')
  t.ok(asksForPassword(await browser.page('/account/password')), 'and has confirmed nothing')
  t.equal((await post(browser, 'change-password', fieldsOf(csrf))).status, 303)
  t.ok(asksForPassword(await browser.page('/account/password')))
})

t.test('A4 a confirmation is of one session, which gets another id', async (t) => {
  const { visitor, confirmed, arrive, pass } = await scene(t, ALL)
  const { browser, csrf } = await confirmed()
  pass(CONFIRMED_SECONDS + 1)
  await confirmed()
  await refusesChanges(t, browser, csrf)
  const before = new Map(browser.cookies)
  const page = await arrive(browser, '/account/password')
  t.equal(page.title, 'Change password')
  t.ok([...before].some(([name, value]) => /session/.test(name) && browser.cookies.get(name) !== value))
  const old = visitor()
  for (const [name, value] of before) old.cookies.set(name, value)
  t.ok(asksForPassword(await old.page('/account')), 'the id from before signs nobody in')
})

t.test('A4 a confirmation ends with each change of a factor', async (t) => {
  const { redmint, confirmed, setUp } = await scene(t, ALL)
  const app = await setUp()
  const { browser, csrf, page } = await confirmed('/account/password', app.code)
  t.equal(page.title, 'Change password')
  await newRecoveryCodes(redmint, 'alice')
  await refusesChanges(t, browser, csrf)
})

for (const [name, others] of [
  ['A5 another password ends the other sessions, with their refresh tokens', 'yes'],
  ['A5 without the tick another password leaves the other sessions', ''],
] as const) {
  t.test(name, async (t) => {
    const { visitor, afterPassword, confirmed, redeem, refresh, pass } = await scene(t, ALL)
    const other = visitor()
    const { json } = await redeem(await afterPassword(other, { scope: 'openid offline_access' }))
    const { browser, page } = await confirmed()
    t.match(page.text, /name="others" value="yes" checked/)
    pass(1)
    const done = asPage(await browser.submit(page, { password: NEW, others }))
    t.equal(done.title, 'Your account')
    t.match(done.text, /Your password has been changed/)
    t.equal(asksForPassword(await other.page('/account')), others === 'yes')
    t.equal((await refresh(json.refresh_token)).status, others === 'yes' ? 400 : 200)
  })
}

t.test('A6 who is disabled, or deletes the account, is out at once', async (t) => {
  const { storage, visitor, confirmed, arrive, setUp, afterPassword, pass } = await scene(t, ALL)
  const { browser } = await confirmed()
  await changeUser(storage, 'alice', { set: { disabled: 'true' }, unset: [] })
  t.ok(asksForPassword(await browser.page('/account')))
  await changeUser(storage, 'alice', { set: { disabled: 'false' }, unset: [] })
  const app = await setUp()
  const [flying, own] = [visitor(), visitor()]
  const last = asPage(await afterPassword(flying))
  const page = await arrive(own, '/account/delete', app.code)
  const before = new Map(own.cookies)
  const deleted = asPage(await own.submit(page, {}))
  t.equal(deleted.title, 'Your account has been deleted')
  t.notOk(
    [...own.cookies.keys()].some((name) => /session/.test(name)),
    'without a session',
  )
  for (const [name, value] of own.cookies) t.not(before.get(name), value, `${name} is another`)
  t.equal(await storage.records.read(USER, 'alice'), undefined)
  t.ok(asksForPassword(await own.page('/account')))
  pass(STEP)
  t.notOk('location' in (await flying.submit(last, { code: app.code() })), 'a sign-in in flight fails')
})

t.test('A8 a form of a tab from before the sign-out says so', async (t) => {
  const { confirmed, stateOf } = await scene(t, ALL)
  const { browser, csrf } = await confirmed()
  const before = await stateOf()
  for (const name of [...browser.cookies.keys()]) if (/session/.test(name)) browser.cookies.delete(name)
  for (const name of Object.keys(ACTIONS)) {
    const { status, text } = await post(browser, name, fieldsOf(csrf))
    t.equal(status, 400)
    t.match(text, /You have been signed out/, name)
  }
  t.strictSame(await stateOf(), before)
})

t.test('A9 a form counts only in its own session', async (t) => {
  const { confirmed, stateOf } = await scene(t, ALL)
  const [one, other] = [await confirmed(), await confirmed()]
  const before = await stateOf()
  for (const csrf of ['', 'x', other.csrf]) {
    for (const name of Object.keys(ACTIONS)) {
      const { headers } = await post(one.browser, name, fieldsOf(csrf))
      t.match(headers.location, /\?done=stale$/, name)
    }
  }
  t.strictSame(await stateOf(), before)
  t.equal((await other.browser.page('/account')).title, 'Your account', 'nobody was signed out')
})

t.test('A11 links that were given die with another password', async (t) => {
  const { visitor, confirmed, openReset, resetLink } = await scene(t, ALL)
  const link = await resetLink()
  const { browser, page } = await confirmed()
  await browser.submit(page, { password: NEW })
  t.equal((await openReset(visitor(), link)).title, 'This link does not work any more')
})

t.test('A7 the last way in cannot be removed', async (t) => {
  const { redmint, storage, stateOf, makePasskey, accountNow } = await scene(t, ALL)
  const actor = async () => {
    const found = await accountNow()
    const links = {
      base: '/account',
      csrf: '',
      language: 'en',
      browser: { digest: 'b' },
      asker: { address: '', user: '' },
    }
    return { ...links, user: found.user, account: found, session: {} as Session }
  }
  const { id } = await makePasskey()
  const acting = { ...redmint, send: async () => true }
  const remove = async () => ACTIONS['remove-passkey']?.run(acting, await actor(), { passkey: id })
  const has_passkey = async () =>
    Object.hasOwn((await storage.records.read(FACTORS, 'alice'))?.hash ?? {}, passkeyField(id))
  const { password_hash = '' } = (await storage.records.read(USER, 'alice'))?.hash ?? {}
  await storage.records.change(USER, 'alice', { set: {}, unset: ['password_hash'] })
  const [before] = await stateOf()
  await remove()
  t.same((await stateOf())[0], before)
  t.ok(await has_passkey(), 'without a password it stays')
  await storage.records.change(USER, 'alice', { set: { password_hash } })
  await remove()
  t.notOk(await has_passkey())
})
