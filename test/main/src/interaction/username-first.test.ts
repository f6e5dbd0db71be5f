// The username on a page of its own, before the rest. What the second page says does not depend on whether there is such an account.
import t, { type Test } from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { personNamed, startFakeDirectory } from '../../../support/directory/fake-directory.ts'

import { makePasskey, optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { observed } from '../../../support/observed.ts'
import { federate, signInThere, UPSTREAM } from '../../../support/providers/federation.ts'
import { alertOn, asksForPassword } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asDeparture, asPage, type Page, type Visitor, withoutTransaction } from '../../../support/visitor.ts'

const SAID = en.messages
const OWN = requestUrl({ client_id: 'own' })
const asksForNameAlone = (page: Page) => page.text.includes(`>${SAID.login_next}<`) && !asksForPassword(page)
const valueOn = ({ text }: Page) => /name="username" value="([^"]*)"/.exec(text)?.[1]
const withoutTokens = (text: string) =>
  withoutTransaction(text)
    .replace(/(name="csrf" value=")[\w.-]+/g, '$1…')
    .replace(/data-passkey-options="[^"]*"/g, '')

const startWithNames = (test: Test) => scene(test, { username_first: 'on' })
/** Sends the first page. */
const name = async (visitor: Visitor, username: string, page?: Page) =>
  asPage(await visitor.submit(page ?? (await visitor.page(OWN)), { username }))

t.test('the first page asks for the name, the second for the password of that name', async (t) => {
  const { visitor } = await startWithNames(t)
  const alice = visitor()
  const first = await alice.page(OWN)
  t.ok(asksForNameAlone(first))
  t.match(first.text, /autocomplete="username webauthn"[^>]* required autofocus>/)
  t.match(first.text, /data-passkey-use="get" data-passkey-suggest/, 'passkeys are suggested there')
  t.match(first.headers['content-security-policy'], /script-src 'sha256-\S+' 'sha256-\S+' 'self'/)
  const second = await name(alice, 'alice', first)
  t.ok(asksForPassword(second))
  t.equal(valueOn(second), 'alice')
  t.match(second.text, /id="username"[^>]* autocomplete="username webauthn"/, 'for password managers')
  t.match(second.text, /autocomplete="current-password" autofocus>/)
  t.match(second.text, 'data-passkey-use="get"')
  t.ok('location' in (await alice.submit(second, { username: 'alice', password: PASSWORD })))
})

t.test('a password manager that fills in both sends both at once', async (t) => {
  const { visitor } = await startWithNames(t)
  const alice = visitor()
  t.ok('location' in (await signInOn(alice, await alice.page(OWN))))
})

t.test('an unknown name gets the same page by the same calls, and counts nothing', async (t) => {
  const calls: string[] = []
  const storage = observed(new MemoryStorage(), (call, run) => {
    calls.push(call)
    return run()
  })
  const { visitor } = await scene(t, { username_first: 'on', sign_in_failures: 1, storage })
  const seen = new Set<string>()
  for (const username of ['alice', 'nobody', 'Alice@Example.com', 'x'.repeat(300), '<b>', ' ']) {
    const browser = visitor()
    const page = await browser.page(OWN)
    calls.length = 0
    const next = await name(browser, username, page)
    t.notOk(
      calls.some((call) => /user|factors|sign-in|count/i.test(call)),
      `${calls}`,
    )
    const shown = valueOn(next) ?? ''
    seen.add(withoutTokens(next.text).replace(`value="${shown}"`, 'value="…"'))
  }
  t.equal(seen.size, 1)
  const alice = visitor()
  const first = await alice.page(OWN)
  let page = first
  for (let i = 0; i < 20; i++) page = await name(alice, 'alice', first)
  t.ok('location' in (await alice.submit(page, { username: 'alice', password: PASSWORD })))
})

t.test('after a wrong password the second page stays, with the name', async (t) => {
  const { visitor } = await startWithNames(t)
  const alice = visitor()
  const page = asPage(await signInOn(alice, await name(alice, 'alice'), 'alice', 'wrong'))
  t.equal(alertOn(page), SAID.login_failed)
  t.ok(asksForPassword(page))
  t.equal(valueOn(page), 'alice')
  t.ok('location' in (await signInOn(alice, page)))
})

t.test('a name that is known is not asked for', async (t) => {
  const { visitor } = await startWithNames(t)
  const alice = visitor()
  const hinted = await alice.page(requestUrl({ client_id: 'own', login_hint: 'alice' }))
  t.ok(asksForPassword(hinted))
  t.equal(valueOn(hinted), 'alice')
  t.ok('location' in (await signInOn(alice, hinted)))
  const again = await alice.page(requestUrl({ client_id: 'own', prompt: 'login' }))
  t.ok(asksForPassword(again))
  t.equal(valueOn(again), 'alice')
  t.ok(asksForNameAlone(await visitor().page('/account')), 'at the account page, too')
})

t.test('a passkey signs in at the first page', async (t) => {
  const { fastify, visitor } = await startWithNames(t)
  const user = await fastify.redmint.accounts.find('alice')
  t.ok(user)
  const passkey = user && (await makePasskey(fastify.redmint, user))
  const alice = visitor()
  const page = await alice.page(OWN)
  const credential = passkey?.get(optionsOn(page))
  t.ok('location' in (await alice.submit(page, { username: '', method: 'passkey', credential })))
})

t.test('the wish to stay signed in is taken to the second page', async (t) => {
  const { visitor } = await scene(t, { username_first: 'on', session_persistent: 'choice' })
  const alice = visitor()
  const page = await alice.page(OWN)
  t.match(page.text, /name="stay" value="yes">/)
  const next = asPage(await alice.submit(page, { username: 'alice', stay: 'yes' }))
  t.match(next.text, /name="stay" value="yes" checked>/)
})

t.test('auto: two pages where a provider has a domain, to which an address leads', async (t) => {
  const { person, provide, claims } = await federate(t, { creates_users: true, links_by_email: true })
  t.ok(asksForPassword(await person().here.page(OWN)), 'no name leads anywhere')
  await provide('acme', { creates_users: true, links_by_email: true, email_domains: ['example.com'] })
  const alice = person()
  const first = await alice.here.page(OWN)
  t.ok(asksForNameAlone(first))
  t.match(first.text, 'value="provider:acme" formnovalidate')
  const gone = asDeparture(await alice.here.submit(first, { username: 'Alice@Example.com' }))
  t.equal(gone.location.origin, UPSTREAM)
  t.equal(gone.location.searchParams.get('login_hint'), 'Alice@Example.com')
  const back = await alice.here.open(await signInThere(alice, gone))
  t.equal((await claims(back)).amr[0], 'fed')
  for (const username of ['alice', 'alice@elsewhere.example', 'alice@sub.example.com']) {
    const page = await name(person().here, username)
    t.ok(asksForPassword(page), username)
    t.match(page.text, 'value="provider:acme"', 'its button stays')
  }
  await provide('acme', { email_domains: ['example.com'], disabled: true })
  t.ok(asksForPassword(await person().here.page(OWN)), 'it is disabled')
})

t.test('a provider that does not answer leaves the other ways on one page', async (t) => {
  const meddle = { now: async () => new Response('no', { status: 500 }) }
  const { person } = await federate(t, { email_domains: ['example.com'] }, {}, meddle)
  const { here } = person()
  const page = asPage(await here.submit(await here.page(OWN), { username: 'alice@example.com' }))
  t.equal(alertOn(page), SAID.provider_broken)
  t.ok(asksForPassword(page))
  t.equal(valueOn(page), 'alice@example.com')
  t.ok('location' in (await signInOn(here, page)))
})

t.test('off: one page, also where a provider has a domain', async (t) => {
  const { person } = await federate(t, { email_domains: ['example.com'] }, { username_first: 'off' })
  t.ok(asksForPassword(await person().here.page(OWN)))
})

t.test('on, with a directory beside passwords: the second page offers both', async (t) => {
  const { settings } = await startFakeDirectory(t, [personNamed('carol')])
  const { visitor } = await scene(t, {
    ...settings,
    sign_in: 'password,directory',
    username_first: 'on',
  })
  const carol = visitor()
  const first = await carol.page(OWN)
  t.ok(asksForNameAlone(first))
  const second = await name(carol, 'carol', first)
  const fields = { username: 'carol', password: 'password of carol', method: 'directory' }
  t.ok('location' in (await carol.submit(second, fields)))
})
