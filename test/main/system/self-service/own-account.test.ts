// The account page. The names begin with the checks of its attack table.

import t from 'tap'
import { accountState } from '../../../../src/factors/account-state.ts'
import { CONFIRMED_FOR } from '../../../../src/factors/confirmation.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { appCode } from '../../../support/authenticator.ts'
import { isSignIn, keyOn, sidsOn } from '../../../support/scene/pages.ts'

import { signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asPage, type Page, type Visitor } from '../../../support/visitor.ts'

/** Signs in at the account page. */
async function arrive(visitor: Visitor, path = ''): Promise<Page> {
  return asPage(await signInOn(visitor, await visitor.page(`/account${path}`)))
}

/** Posts the form of an action with the token of a page. */
const post = async (visitor: Visitor, name: string, fields: Record<string, string> = {}) =>
  asPage(await visitor.post(`/account/${name}`, fields))

const tokenOn = ({ hidden }: Page) => hidden.csrf ?? ''

t.test('A4 a confirmation is of one session, for ten minutes, until something changes', async (t) => {
  const { visitor, pass, account, factors, setFields } = await scene(t)
  const alice = visitor()
  await arrive(alice, '/password')
  t.notOk(isSignIn(await alice.page('/account/password')), 'it holds')
  const other = visitor()
  await signInAndAgree(other)
  pass(CONFIRMED_FOR / 1000 + 1)
  t.ok(isSignIn(await alice.page('/account/password')), 'it is over')
  await arrive(alice, '/password')
  t.ok(isSignIn(await other.page('/account/password')), 'not in another session')
  const [user, { generation }] = [await account(), await factors()]
  t.not(accountState(user, { generation }), accountState(user, { generation: generation + 1 }))
  await setFields('alice', { email: 'new@example.com' })
  t.ok(isSignIn(await alice.page('/account/password')), 'the address changed')
})

t.test('one other browser is signed out, or all, and this one stays', async (t) => {
  const { visitor } = await scene(t)
  const browsers = [visitor(), visitor(), visitor()]
  for (const browser of browsers) await arrive(browser)
  const [alice, second, third] = browsers as [Visitor, Visitor, Visitor]
  const page = await alice.page('/account')
  const [sid = ''] = sidsOn(page)
  t.equal(sidsOn(page).length, 2, 'not of this browser')
  t.match(
    (await post(alice, 'end-session', { csrf: tokenOn(page), sid })).text,
    'That browser has been signed out.',
  )
  const left = await Promise.all([second, third].map((browser) => browser.page('/account')))
  t.equal(left.filter(isSignIn).length, 1)
  await post(alice, 'end-others', { csrf: tokenOn(page) })
  for (const browser of [second, third]) t.ok(isSignIn(await browser.page('/account')))
  t.equal((await alice.page('/account')).title, 'Your account')
})

t.test('this browser is signed out by a button, its session ends, and no other does', async (t) => {
  const { visitor, happened } = await scene(t)
  const [alice, other] = [visitor(), visitor()]
  for (const browser of [alice, other]) await arrive(browser)
  const page = await alice.page('/account')
  t.match(page.text, /action="\/account\/sign-out"/)
  t.match((await post(alice, 'sign-out', { csrf: 'x' })).text, 'This page was out of date')
  const cookies = new Map(alice.cookies)
  const done = await post(alice, 'sign-out', { csrf: tokenOn(page) })
  t.equal(done.title, 'You are signed out')
  t.equal(happened('signed_out', 'alice'), 1)
  t.ok(isSignIn(await alice.page('/account')))
  for (const [name, value] of cookies) alice.cookies.set(name, value)
  t.ok(isSignIn(await alice.page('/account')), 'also with the cookies of before')
  t.equal((await other.page('/account')).title, 'Your account')
})

t.test('access of an application is taken back: its tokens end, and it has to ask again', async (t) => {
  const { visitor, redeem } = await scene(t)
  const alice = visitor()
  const departure = await signInAndAgree(alice)
  const page = await alice.page('/account')
  const [, client_id = ''] = /name="client_id" value="([^"]*)"/.exec(page.text) ?? []
  t.not(client_id, '')
  const done = await post(alice, 'end-application', { csrf: tokenOn(page), client_id })
  t.match(done.text, 'The application no longer has access.')
  t.notMatch(done.text, `value="${client_id}"`)
  t.match(
    (await redeem(departure, client_id)).json,
    { error: 'invalid_grant' },
    'a code that was on its way, too',
  )
})

t.test('an app is set up, gets recovery codes, which are shown once, and is removed', async (t) => {
  const { visitor, redmint, factors } = await scene(t)
  const alice = visitor()
  const page = await arrive(alice, '/second-step')
  const fields = { csrf: tokenOn(page), begun: page.hidden.begun ?? '' }
  t.match((await post(alice, 'confirm-totp', { ...fields, code: '12' })).text, 'role="alert"')
  const codes = await post(alice, 'confirm-totp', { ...fields, code: appCode(keyOn(page), redmint.now()) })
  t.equal(codes.title, 'Save your recovery codes')
  t.equal((await factors()).recovery?.digests.length, 10)
  t.match((await alice.page('/account')).text, '10 of 10 recovery codes left')
  t.ok(
    isSignIn(await post(alice, 'remove-totp', { csrf: fields.csrf })),
    'the password alone removes it no more',
  )
  t.ok((await factors()).totp)
})

t.test('what is kept about a person can be read and printed, with dates in words and no codes', async (t) => {
  const { visitor, setUp, setFields, user, makePasskey } = await scene(t)
  await setFields('alice', {
    ...{ name: 'Alice Liddell', birthdate: '1852-05-04', email_verified: 'true', locale: 'gsw' },
    ...{ address: '{"locality":"Oxford","country":"England"}', linked_subjects: 'https://idp.example.com#1' },
  })
  const alice = visitor()
  await signInAndAgree(alice)
  const page = await alice.page('/account/data/page')
  t.equal(page.title, 'Your data')
  for (const text of ['Alice Liddell', '1852-05-04', 'Oxford, England', 'Swiss German', 'idp.example.com'])
    t.match(page.text, text)
  t.match(page.text, /<time datetime="[^"]*">[A-Z][a-z]+ \d+, 20\d\d at /)
  const shown = page.text.replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, ' ')
  t.notMatch(shown, /[a-z]_[a-z]|\d{10}|sub-of|argon2|true|\{/, 'no names of fields, milliseconds or JSON')
  await makePasskey()
  await setUp()
  const more = await alice.page('/account/data/page')
  t.match(more.text, /Passkey “.*Authenticator app/s)
  t.notMatch(more.text, (await user())?.password_hash ?? 'x')
  const { claims, sessions } = JSON.parse((await alice.request('GET', '/account/data')).text)
  t.match(claims, { email_verified: true, address: { locality: 'Oxford' } }, 'the types of tokens')
  t.match(sessions[0].started_at, /^20\d\d-\d\d-\d\dT/)
})

t.test('what is kept about a person can be downloaded, without anything that gives access', async (t) => {
  const { visitor, setUp, user, factors } = await scene(t)
  const alice = visitor()
  await arrive(alice)
  const { recovery } = await setUp()
  await recovery()
  const { text, headers } = await alice.request('GET', '/account/data')
  t.match(headers['content-disposition'], 'attachment')
  t.match(JSON.parse(text), { username: 'alice', second_step: { recovery_codes: 10 } })
  const { totp, recovery: codes } = await factors()
  const { password_hash = '' } = (await user()) ?? {}
  t.ok(totp && codes && password_hash)
  for (const secret of [totp?.secret ?? '', ...(codes?.digests ?? []), password_hash])
    t.notMatch(text, secret)
  t.notMatch(text, '"sid"')
})

t.test('an account is deleted by its person, where that is on, and never that of an operator', async (t) => {
  const { visitor, user } = await scene(t, { account_deletion: 'on' })
  const alice = visitor()
  const page = await arrive(alice, '/delete')
  const gone = await post(alice, 'delete-account', { csrf: tokenOn(page) })
  t.equal(gone.title, 'Your account has been deleted')
  t.equal(await user(), undefined)
  t.ok(isSignIn(await alice.page('/account')))

  const on = await scene(t, { account_deletion: 'on', people: { alice: { admin: 'redmint:write' } } })
  const dave = on.visitor()
  const asked = await arrive(dave, '/delete')
  t.match(asked.text, 'Ask another administrator')
  const token = tokenOn(await dave.page('/account'))
  t.match((await post(dave, 'delete-account', { csrf: token })).text, 'nothing was changed')
})

t.test(
  'A4 one sign-in confirms once: its page in the history of the browser confirms nothing again',
  async (t) => {
    const { visitor, setFields } = await scene(t)
    const alice = visitor()
    const login = await alice.page('/account/password')
    const posted = new URLSearchParams({ ...login.hidden, username: 'alice', password: PASSWORD }).toString()
    const { headers } = await alice.request('POST', '/oauth2/interaction', posted)
    const again = String(headers.location)
    t.notOk(isSignIn(await alice.page(again)), 'the first time it confirms')
    await setFields('alice', { email: 'new@example.com' })
    t.ok(isSignIn(await alice.page('/account/password')), 'a change ended it')
    t.ok(isSignIn(await alice.page(again)), 'and the old page does not begin it anew')
  },
)
