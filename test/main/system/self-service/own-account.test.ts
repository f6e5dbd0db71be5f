// The account page. The names begin with the checks of its attack table.

import t from 'tap'
import { accountState } from '../../../../src/factors/account-state.ts'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { CONFIRMED_FOR } from '../../../../src/factors/confirmation.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { isSignIn, sidsOn } from '../../../support/scene/pages.ts'

import { signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { asPage, type Page, type Visitor } from '../../../support/visitor.ts'

/** Signs in at the account page. */
async function arrive(visitor: Visitor, path = ''): Promise<Page> {
  return asPage(await signInOn(visitor, await visitor.page(`/account${path}`)))
}

/** Posts the form of an action with the token of a page. */
const post = async (visitor: Visitor, name: string, fields: Record<string, string> = {}) =>
  asPage(await visitor.post(`/account/${name}`, fields))

const tokenOn = ({ text }: Page) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

t.test('A4 a confirmation is of one session, for ten minutes, until something changes', async (t) => {
  const { visitor, pass, redmint, storage } = await scene(t, { account_deletion: 'on' })
  const alice = visitor()
  await arrive(alice, '/password')
  t.notOk(isSignIn(await alice.page('/account/password')), 'it holds')
  const other = visitor()
  await signInAndAgree(other)
  pass(CONFIRMED_FOR / 1000 + 1)
  t.ok(isSignIn(await alice.page('/account/password')), 'it is over')
  await arrive(alice, '/password')
  t.ok(isSignIn(await other.page('/account/password')), 'not in another session')
  const user = await redmint.accounts.find('alice')
  const { factors } = await findFactors(redmint, 'alice')
  t.not(
    user && accountState(user, factors),
    user && accountState(user, { generation: factors.generation + 1 }),
  )
  await storage.records.change({ name: 'user' }, 'alice', { set: { email: 'new@example.com' } })
  t.ok(isSignIn(await alice.page('/account/password')), 'the address changed')
})

t.test('one other browser is signed out, or all, and this one stays', async (t) => {
  const { visitor } = await scene(t, { account_deletion: 'on' })
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

t.test('access of an application is taken back: its tokens end, and it has to ask again', async (t) => {
  const { visitor, token } = await scene(t, { account_deletion: 'on' })
  const alice = visitor()
  const { told } = await signInAndAgree(alice)
  const page = await alice.page('/account')
  const [, client_id = ''] = /name="client_id" value="([^"]*)"/.exec(page.text) ?? []
  t.not(client_id, '')
  const done = await post(alice, 'end-application', { csrf: tokenOn(page), client_id })
  t.match(done.text, 'The application no longer has access.')
  t.notMatch(done.text, `value="${client_id}"`)
  const late = await token(codeRequest(told.get('code') ?? '', { client_id }))
  t.match(late.json, { error: 'invalid_grant' }, 'a code that was on its way, too')
})

t.test('an app is set up, gets recovery codes, which are shown once, and is removed', async (t) => {
  const { visitor, redmint } = await scene(t, { account_deletion: 'on' })
  const { appCode } = await import('../../../support/authenticator.ts')
  const alice = visitor()
  const page = await arrive(alice, '/second-step')
  const [, key = ''] = /translate="no">([A-Z2-7 ]+)</.exec(page.text) ?? []
  const [, begun = ''] = /name="begun" value="([^"]*)"/.exec(page.text) ?? []
  const fields = { csrf: tokenOn(page), begun }
  t.match((await post(alice, 'confirm-totp', { ...fields, code: '12' })).text, 'role="alert"')
  const codes = await post(alice, 'confirm-totp', { ...fields, code: appCode(key, redmint.now()) })
  t.equal(codes.title, 'Save your recovery codes')
  t.equal((await findFactors(redmint, 'alice')).factors.recovery?.digests.length, 10)
  t.match((await alice.page('/account')).text, '10 of 10 recovery codes left')
  t.ok(
    isSignIn(await post(alice, 'remove-totp', { csrf: fields.csrf })),
    'the password alone removes it no more',
  )
  t.ok((await findFactors(redmint, 'alice')).factors.totp)
})

t.test('what is kept about a person can be downloaded, without anything that gives access', async (t) => {
  const { visitor, setUp, redmint } = await scene(t, { account_deletion: 'on' })
  const alice = visitor()
  await arrive(alice)
  const { recovery } = await setUp()
  await recovery()
  const { text, headers } = await alice.request('GET', '/account/data')
  t.match(headers['content-disposition'], 'attachment')
  t.match(JSON.parse(text), { username: 'alice', second_step: { recovery_codes: 10 } })
  const { factors } = await findFactors(redmint, 'alice')
  const { password_hash = '' } = (await redmint.accounts.find('alice')) ?? {}
  for (const secret of [factors.totp?.secret ?? '', ...(factors.recovery?.digests ?? []), password_hash])
    t.notMatch(text, secret)
  t.notMatch(text, '"sid"')
})

t.test('an account is deleted by its person, where that is on, and never that of an operator', async (t) => {
  const { visitor, storage, setUp } = await scene(t, { account_deletion: 'on' })
  const alice = visitor()
  await setUp('bob')
  const page = await arrive(alice, '/delete')
  const gone = await post(alice, 'delete-account', { csrf: tokenOn(page) })
  t.equal(gone.title, 'Your account has been deleted')
  t.equal(
    await storage.records.read({ name: 'user', parse: (hash) => ({ ok: true, record: hash }) }, 'alice'),
    undefined,
  )
  t.ok(isSignIn(await alice.page('/account')))

  const off = await scene(t, { account_deletion: 'off' })
  const carol = off.visitor()
  const csrf = tokenOn(await arrive(carol))
  t.equal((await carol.request('POST', '/account/delete-account', `csrf=${csrf}`)).status, 404)

  const on = await scene(t, { account_deletion: 'on' })
  await on.storage.records.change({ name: 'user' }, 'alice', { set: { admin: 'redmint:write' } })
  const dave = on.visitor()
  const asked = await arrive(dave, '/delete')
  t.match(asked.text, 'Ask another administrator')
  const token = tokenOn(await dave.page('/account'))
  t.match((await post(dave, 'delete-account', { csrf: token })).text, 'nothing was changed')
})

t.test(
  'A4 one sign-in confirms once: its page in the history of the browser confirms nothing again',
  async (t) => {
    const { visitor, redmint } = await scene(t, { account_deletion: 'on' })
    const alice = visitor()
    const login = await alice.page('/account/password')
    const posted = new URLSearchParams({ ...login.hidden, username: 'alice', password: PASSWORD }).toString()
    const { headers } = await alice.request('POST', '/oauth2/interaction', posted)
    const again = String(headers.location)
    t.notOk(isSignIn(await alice.page(again)), 'the first time it confirms')
    await redmint.storage.records.change({ name: 'user' }, 'alice', { set: { email: 'new@example.com' } })
    t.ok(isSignIn(await alice.page('/account/password')), 'a change ended it')
    t.ok(isSignIn(await alice.page(again)), 'and the old page does not begin it anew')
  },
)
