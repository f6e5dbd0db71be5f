// Where a link leads on: to the request that began the way, to the application of the invitation, else to the account.
import t from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { asksForCode, asksForPassword, isSignIn, STEP } from '../../../support/scene/pages.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asPage, type Page } from '../../../support/visitor.ts'

const SAID = en.messages
const NEW = 'seven wet umbrellas at noon'
const START = 'https://shop.example.com/login?tenant=1'

/** The address of the main button. */
const mainOf = ({ text }: Page) =>
  /class="button main" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

t.test('a forgotten password keeps the request that waits, in its own browser', async (t) => {
  const { visitor, post, mailedLink, claims } = await scene(t, { with: ['mail'] })
  const [alice, elsewhere] = [visitor(), visitor()]
  const login = await alice.page(requestUrl({ client_id: 'own' }))
  const [, path = ''] = /href="(\/forgot-password\?transaction=[^"]+)"/.exec(login.text) ?? []
  const asked = await alice.page(path)
  t.match(asked.text, /to continue to/)
  const sent = asPage(await alice.submit(asked, { username: 'alice' }))
  t.match(sent.text, /href="\/oauth2\/interaction\?transaction=/, 'and back')
  const link = await mailedLink()
  t.notMatch(
    (await elsewhere.page(link)).text,
    /to continue to/,
    'nobody goes on with a request of another browser',
  )
  const page = await alice.page(link)
  t.match(page.text, /to continue to/)
  const done = await alice.submit(page, { password: NEW })
  t.match(await claims(done), { sub: 'sub-of-alice', amr: ['pwd'], acr: '1' })
  t.equal((await post('/forgot-password', { username: 'alice', transaction: 'over' })).status, 200)
  t.equal(
    (await visitor().page('/forgot-password?transaction=over')).status,
    200,
    'one that is over is left out',
  )
})

t.test(
  'with another device nothing of the request is told, and the account page is the way on',
  async (t) => {
    const { visitor, openReset } = await scene(t, { account_page: 'on' })
    const alice = visitor()
    const done = asPage(await alice.submit(await openReset(alice), { password: NEW }))
    t.equal(done.title, SAID.reset_done_title)
    t.match(done.text, 'You are signed in on this browser')
    t.equal(mainOf(done), '/account')
    t.match(done.text, `href="/account/passkeys">${SAID.arrived_add_passkey}</a>`)
    t.equal((await alice.page('/account')).title, 'Your account')
    t.equal((await alice.page(done.url)).title, SAID.reset_done_title, 'it can be loaded again')
  },
)

t.test('a link that somebody else opens, or that was used, signs nobody in', async (t) => {
  const { visitor, resetLink, openReset } = await scene(t, { account_page: 'on' })
  const url = await resetLink()
  const [alice, scanner] = [visitor(), visitor()]
  const page = await openReset(alice, url)
  const seen = await openReset(scanner, url)
  t.notOk(
    [...scanner.cookies.keys()].some((name) => /session/.test(name)),
    'opening does nothing',
  )
  t.equal(asPage(await scanner.submit(seen, {})).status, 400, 'nor does pressing the button')
  t.equal(asPage(await scanner.submit(page, { password: NEW })).status, 400, 'the form is of one browser')
  t.equal(asPage(await alice.submit(page, { password: NEW })).status, 200)
  const late = asPage(await scanner.submit(seen, { password: `${NEW}!` }))
  t.equal(late.status, 400)
  t.notOk([...scanner.cookies.keys()].some((name) => /session/.test(name)))
})

t.test('the session of somebody else in the browser ends, and the browser id is new', async (t) => {
  const { visitor, signIn, openReset } = await scene(t, { account_page: 'on' })
  const browser = visitor()
  await signIn('bob', PASSWORD, undefined, browser)
  const planted = new Map(browser.cookies)
  const page = await openReset(browser)
  t.match(page.text, /bob/, 'the page says who is signed in')
  asPage(await browser.submit(page, { password: NEW }))
  t.match((await browser.page('/account')).text, 'alice')
  for (const name of ['session', 'browser']) {
    const [cookie = ''] = [...planted.keys()].filter((one) => one.endsWith(name))
    t.not(browser.cookies.get(cookie), planted.get(cookie), `${name} is new`)
  }
  const thief = visitor()
  for (const [name, value] of planted) thief.cookies.set(name, value)
  t.ok(isSignIn(asPage(await thief.open('/account'))), 'what was planted is of no use')
})

t.test('the second step is proven once, and is in the session', async (t) => {
  const { visitor, openReset, setUp, claims, pass } = await scene(t, { account_page: 'on' })
  const { code } = await setUp()
  const alice = visitor()
  asPage(await alice.submit(await openReset(alice), { password: NEW, code: code() }))
  t.match(await claims(await alice.open(requestUrl({ client_id: 'own' }))), {
    amr: ['pwd', 'otp', 'mfa'],
    acr: '2',
  })
  pass(STEP)
  t.notOk(asksForCode(asPage(await alice.open('/account'))))
  t.ok(isSignIn(asPage(await alice.open('/account/password'))), 'a mail confirms nothing')
})

t.test('who must have a second step sets it up first', async (t) => {
  const { visitor, openReset, invite, openInvitation } = await scene(t, { second_factor: 'required' })
  const alice = visitor()
  const set_up = asPage(await alice.submit(await openReset(alice), { password: NEW }))
  t.equal(set_up.title, SAID.second_step_set_up_title)
  t.notOk([...alice.cookies.keys()].some((name) => /session/.test(name)))
  const carol = visitor()
  const page = await openInvitation(carol, (await invite()).url)
  const next = asPage(await carol.submit(page, { username: 'carol', password: NEW }))
  t.equal(next.title, SAID.second_step_set_up_title)
})

t.test('where nobody signs in with a password of redmint, a link signs nobody in', async (t) => {
  const { visitor, openReset } = await scene(t, { login_url: 'https://app.example.com/login' })
  const alice = visitor()
  const page = await openReset(alice)
  const done = asPage(await alice.submit(page, { password: NEW }))
  t.equal(done.title, SAID.reset_done_title)
  t.notOk([...alice.cookies.keys()].some((name) => /session/.test(name)))
})

t.test('an invitation leads on to its application, which its person may use', async (t) => {
  const { visitor, invite, openInvitation, storage, user } = await scene(t, { account_page: 'on' })
  await changeClient(storage, 'own', { set: { client_uri: 'https://shop.example.com/' } })
  const arrive = async (username: string, name = '') => {
    const browser = visitor()
    const page = await openInvitation(browser, (await invite({ client: 'own' })).url)
    return asPage(await browser.submit(page, { username, password: NEW, name }))
  }
  const at_home = await arrive('carol', 'Carol  Dodgson')
  t.equal(at_home.title, SAID.welcome_done_title)
  t.match(at_home.text, 'Carol Dodgson')
  t.equal((await user('carol'))?.name, 'Carol Dodgson')
  t.equal(mainOf(at_home), 'https://shop.example.com/')
  await changeClient(storage, 'own', { set: { initiate_login_uri: START } })
  t.equal(mainOf(await arrive('dora')), `${START}&iss=https%3A%2F%2Fauth.example.com`)
  await changeClient(storage, 'own', { set: { allowed_groups: 'staff' } })
  t.equal(mainOf(await arrive('emil')), '/account', 'not to what is closed to them')
  await changeClient(storage, 'own', { set: { disabled: 'true' }, unset: ['allowed_groups'] })
  t.equal(mainOf(await arrive('fred')), '/account')
  await storage.records.remove(CLIENT, 'own', undefined)
  t.equal(mainOf(await arrive('greta')), '/account')
})

t.test('an invitation names an application where somebody can begin, and a name can be read', async (t) => {
  const { visitor, call, tokenOf, invite, openInvitation, storage } = await scene(t, { with: ['console'] })
  const token = await tokenOf('redmint:users:write')
  const inviteTo = (client: string) => call('POST', '/invitations', { token, body: { client } })
  for (const client of ['nobody', 'own'])
    t.match(await inviteTo(client), { status: 422, text: /"client"/ }, client)
  await changeClient(storage, 'own', { set: { initiate_login_uri: START } })
  t.match(await inviteTo('own'), { status: 201, json: { client: 'own' } })
  await changeClient(storage, 'own', { set: { disabled: 'true' } })
  t.equal((await inviteTo('own')).status, 422)
  const browser = visitor()
  const page = await openInvitation(browser, (await invite()).url)
  for (const name of ['x'.repeat(101), 'Carol\u202edodgson']) {
    const refused = asPage(await browser.submit(page, { username: 'carol', password: NEW, name }))
    t.match(refused.text, SAID.choose_name_form)
  }
})

t.test('a user who is disabled in that moment is not signed in', async (t) => {
  const { visitor, openReset, storage } = await scene(t, { account_page: 'on' })
  const alice = visitor()
  const page = await openReset(alice)
  await changeUser(storage, 'alice', { set: { disabled: 'true' } })
  t.equal(asPage(await alice.submit(page, { password: NEW })).status, 400)
  t.ok(asksForPassword(asPage(await alice.open('/account'))))
})
