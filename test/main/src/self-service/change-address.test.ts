// Another e-mail address. The names begin with the number of the check that they make.
import t from 'tap'
import { evidenceTag } from '../../../../src/storage/evidence.ts'
import { findAccount } from '../../../../src/users/find-account.ts'

import { signInOn } from '../../../support/scene/requests.ts'
import { addressFor, type Scene, scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const PAGE = '/account/address'
const NEW = 'new@example.net'
const HOUR = 3600
const DAY = 86_400

/** Asks for another address in a confirmed browser: what came of it, and the two mails. */
async function ask({ confirmed, mails }: Scene, email = NEW) {
  const { browser, page } = await confirmed(PAGE)
  const asked = asPage(await browser.submit(page, { email }))
  const [told, sent] = await mails(2)
  return { browser, page, asked, told, sent, link: sent?.link ?? '' }
}

const alertOn = (text: string) => /role="alert">([^<]*)</.exec(text)?.[1]

t.test('A10 the new address counts after its link was used, and the old one is told twice', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { mails, user, visitor, redmint } = service
  const { asked, told, sent, link } = await ask(service, ` ${NEW} `)
  t.equal(asked.title, 'Your account')
  t.match(asked.text, /A link is on its way to your new address/)
  t.match(asked.text, /new@example.net/, 'what waits is shown')
  t.match(told, { to: addressFor('alice'), text: /is being changed/, link: /^\/not-me\?/ })
  t.match(sent, {
    to: NEW,
    text: /account alice at Example entered this address/,
    link: /^\/confirm-address\?/,
  })
  t.match(await user(), { email: addressFor('alice'), email_verified: 'true' }, 'nothing has changed yet')

  const elsewhere = visitor()
  const question = await elsewhere.page(link)
  t.equal(question.title, 'Confirm your e-mail address')
  t.match(await user(), { email: addressFor('alice') }, 'opening changes nothing')
  t.equal(asPage(await elsewhere.submit(question, {})).title, 'Your e-mail address is confirmed')
  t.match(await user(), { email: NEW, email_verified: 'true' })
  const [done] = await mails(1)
  t.match(done, { to: addressFor('alice'), text: /was changed/, link: /^\/not-me\?/ })
  t.match(done?.text, /^Network address: 127\.0\.0\.1\r$/m, 'with the place')
  t.equal((await findAccount(redmint, NEW)).user?.username, 'alice', 'and is a name to sign in by')
  t.equal((await findAccount(redmint, addressFor('alice'))).user, undefined)
  t.equal((await visitor().page(link)).status, 400, 'the link counts once')
})

t.test('E5 an address that is not confirmed is sent again, and counts then', async (t) => {
  const { confirmed, mails, user, setFields, press } = await scene(t, { with: ['mail'] })
  await setFields('alice', { email_verified: 'false' })
  const { browser } = await confirmed(PAGE)
  const overview = await browser.page('/account')
  t.match(overview.text, /not confirmed/)
  const form =
    /action="\/account\/change-address">[\s\S]*?<button class="small">Send again/.exec(overview.text)?.[0] ??
    ''
  t.match(form, `name="email" value="${addressFor('alice')}"`)
  await browser.post('/account/change-address', { csrf: overview.hidden.csrf, email: addressFor('alice') })
  const [mail, ...more] = await mails(1)
  t.same(more, [], 'an address that does not count is told of nothing')
  t.equal((await press(mail?.link ?? '')).status, 200)
  t.equal((await user())?.email_verified, 'true')
})

t.test('E1 what is no address, or the same, is refused, and what was typed stays', async (t) => {
  const { confirmed, smtp } = await scene(t, { with: ['mail'] })
  const { browser, page } = await confirmed(PAGE)
  for (const email of ['', 'x', 'a@b@c', '"a b"@example.com', 'a＠example.com', 'Alice <a@example.com>']) {
    const refused = asPage(await browser.submit(page, { email }))
    t.match(alertOn(refused.text), /Enter an e-mail address/, email)
  }
  t.match(alertOn(asPage(await browser.submit(page, { email: addressFor('alice') })).text), /already/)
  t.equal(smtp().mails.length, 0)
})

t.test('D9 three mails an hour for a person and for an address', async (t) => {
  const { confirmed, pass, smtp, mails } = await scene(t, { with: ['mail'] })
  const { browser, page } = await confirmed(PAGE)
  const ask = async (email: string) => alertOn(asPage(await browser.submit(page, { email })).text)
  for (const email of ['a@example.net', 'b@example.net', 'c@example.net'])
    t.equal(await ask(email), undefined)
  t.match(await ask('d@example.net'), /Too many mails/)
  await mails(6)
  t.notOk(smtp().mails.some(({ to }) => to.includes('d@example.net')))
  pass(HOUR)
  const again = await confirmed(PAGE)
  t.equal(alertOn(asPage(await again.browser.submit(again.page, { email: 'd@example.net' })).text), undefined)
})

t.test('D10 a new link makes the older one dead, and "Send again" is no news', async (t) => {
  const { confirmed, mails, press, user } = await scene(t, { with: ['mail'] })
  const { browser, page } = await confirmed(PAGE)
  await browser.submit(page, { email: NEW })
  const [, first] = await mails(2)
  await browser.submit(page, { email: NEW })
  const [second, ...more] = await mails(1)
  t.same(more, [])
  t.equal((await press(second?.link ?? '')).status, 200)
  t.equal((await user())?.email, NEW)
  const dead = await scene(t, { with: ['mail'] })
  const other = await ask(dead)
  await other.browser.submit(other.page, { email: 'newer@example.net' })
  t.equal((await dead.visitor().page(other.link)).status, 400)
  t.not(first?.link, second?.link)
})

t.test('A11 a link dies with each change of the account, and after a day', async (t) => {
  const changes: [string, (service: Scene) => Promise<unknown>][] = [
    ['password', ({ setFields }) => setFields('alice', { password_hash: '$argon2id$x' })],
    ['address', ({ setFields }) => setFields('alice', { email: 'op@example.org' })],
    ['state', ({ setFields }) => setFields('alice', { disabled: 'true' })],
    ['factors', ({ setUp }) => setUp()],
    ['time', async ({ pass }) => pass(DAY)],
  ]
  for (const [name, change] of changes) {
    const service = await scene(t, { with: ['mail'] })
    const { link } = await ask(service)
    const elsewhere = service.visitor()
    const open = await elsewhere.page(link)
    await change(service)
    t.equal(asPage(await elsewhere.submit(open, {})).status, 400, name)
    t.not((await service.user())?.email, NEW, name)
  }
})

t.test('A11 links that were given die with another address', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { press, resetLink, openReset, storage, visitor } = service
  const reset = await resetLink()
  const { link } = await ask(service)
  t.equal((await press(link)).status, 200)
  t.equal((await openReset(visitor(), reset)).status, 400)
  t.equal((await storage.evidence.list(evidenceTag('alice'))).size, 0)
})

t.test('nobody gets the name of somebody else, and nobody learns that there is one', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { visitor, user } = service
  const { asked, sent, link } = await ask(service, addressFor('bob'))
  t.match(asked.text, /A link is on its way/)
  t.equal(sent?.to, addressFor('bob'))
  t.equal((await visitor().page(link)).status, 400)
  t.equal((await user())?.email, addressFor('alice'))
})

t.test('a name that somebody got while the page was open is refused', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { visitor, setFields, user } = service
  const { link } = await ask(service)
  const elsewhere = visitor()
  const open = await elsewhere.page(link)
  await setFields('bob', { email: NEW })
  t.equal(asPage(await elsewhere.submit(open, {})).status, 400)
  t.equal((await user())?.email, addressFor('alice'))
})

t.test('A24 an address counts for whoever confirms it first, in both orders, and stays theirs', async (t) => {
  const { confirmed, mails, post, visitor, press, redmint } = await scene(t, {
    with: ['mail'],
    sign_up: 'open',
  })
  const join = async (link: string, username: string) => {
    const browser = visitor()
    const page = await browser.page(link)
    const choice = { username, password: 'seven wet umbrellas at noon' }
    return page.status === 400 ? page : asPage(await browser.submit(page, choice))
  }
  const ownerOf = async (address: string) => (await findAccount(redmint, address)).user?.username
  const { browser, page } = await confirmed(PAGE)
  const arrived = async (to: string, count: number) =>
    (await mails(count)).find((mail) => mail.to === to)?.link ?? ''

  await browser.submit(page, { email: NEW })
  const asked = await arrived(NEW, 2)
  await post('/sign-up', { email: NEW })
  t.equal((await join(await arrived(NEW, 1), 'carol')).status, 200)
  t.equal((await visitor().page(asked)).status, 400, 'the link of the account that only asked')
  t.equal(await ownerOf(NEW), 'carol')

  const other = 'other@example.net'
  await post('/sign-up', { email: other })
  const too_late = await arrived(other, 1)
  await browser.submit(await browser.page(PAGE), { email: other })
  t.equal((await press(await arrived(other, 2))).status, 200)
  t.equal((await join(too_late, 'dora')).status, 400, 'the link to sign up with it')
  t.equal(await ownerOf(other), 'alice')

  const not_me = await arrived(addressFor('alice'), 1)
  await post('/sign-up', { email: addressFor('alice') })
  t.equal(
    (await join(await arrived(addressFor('alice'), 1), 'dora')).status,
    200,
    'a released address is free',
  )
  t.equal((await press(not_me)).status, 200)
  t.equal(await ownerOf(addressFor('alice')), 'dora', 'going back takes it from nobody')
})

t.test('A29 after an address changed, no link to the one before counts', async (t) => {
  const { confirmed, mails, post, visitor, press } = await scene(t, { with: ['mail'] })
  const { browser, page } = await confirmed(PAGE)
  await post('/forgot-password', { username: 'alice' })
  await browser.submit(page, { email: 'first@example.net' })
  const older = await mails(3)
  const opened = visitor()
  const reset = older.find(({ link }) => link.startsWith('/reset-password'))?.link ?? ''
  const form = await opened.page(reset)
  await browser.submit(await browser.page(PAGE), { email: NEW })
  const [, to_new] = (await mails(2)).map(({ link }) => link)
  t.equal((await press(to_new ?? '')).status, 200)
  for (const { to, link } of older.filter(({ link }) => !link.startsWith('/not-me')))
    t.equal((await visitor().page(link)).status, 400, `${to} ${link.split('?')[0]}`)
  const late = asPage(await opened.submit(form, { password: 'seven wet umbrellas at noon' }))
  t.equal(late.status, 400, 'nor the page that was open')
})

t.test('within a day of a change the address stays, so that the one before can go back', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { confirmed, mails, press, pass } = service
  const { browser, link } = await ask(service)
  await press(link)
  await mails(1)
  const again = await confirmed(PAGE, undefined, browser)
  const refused = asPage(await again.browser.submit(again.page, { email: 'third@example.net' }))
  t.match(alertOn(refused.text), /within the last day/)
  pass(DAY)
  const later = await confirmed(PAGE)
  t.equal(
    alertOn(asPage(await later.browser.submit(later.page, { email: 'third@example.net' })).text),
    undefined,
  )
})

t.test('without mail nothing of it is there', async (t) => {
  const { visitor, fastify } = await scene(t)
  const alice = visitor()
  const page = asPage(await signInOn(alice, await alice.page('/account/password')))
  const csrf = page.hidden.csrf ?? ''
  t.equal((await alice.request('GET', PAGE)).status, 404)
  const body = new URLSearchParams({ csrf, email: NEW }).toString()
  t.equal((await alice.request('POST', '/account/change-address', body)).status, 404)
  t.notMatch((await alice.page('/account')).text, /e-mail address|Send again/)
  for (const path of ['/confirm-address', '/not-me'])
    t.equal((await visitor().request('GET', path)).status, 404)
  t.equal(fastify.redmint.mail, undefined)
})
