// Sign-in by a provider: two redmints federated with each other.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { userRecord } from '../../../support/accounts.ts'
import {
  comeBy,
  federate,
  leave,
  type Meddle,
  signInThere,
  UPSTREAM,
} from '../../../support/providers/federation.ts'
import { changeClient, changeUser, createUser } from '../../../support/records.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { asDeparture, asPage, type Page } from '../../../support/visitor.ts'

const SAID = en.messages
const THERE = linkOf(UPSTREAM, 'sub-of-alice')
const OWN = requestUrl({ client_id: 'own' })

t.test('who comes for the first time gets an account, and is the same person afterwards', async (t) => {
  const { person, claims, user, provide, upstream, log } = await federate(t, {
    creates_users: true,
    name: 'Acme',
  })
  await upstream.setFields('alice', { email: 'ann@example.org' })
  const alice = person()
  t.match((await alice.here.page(requestUrl())).text, />Sign in with Acme</)
  const first = await claims(await comeBy(alice))
  t.match(first, { amr: ['fed'], acr: '1' })
  t.not(first.sub, 'sub-of-alice')
  const record = { linked_subjects: THERE, email: 'ann@example.org', email_verified: 'true', sub: first.sub }
  t.match(await user('ann@example.org'), { ...record, name: 'Alice Example' })
  await upstream.setFields('alice', { email: 'new@example.org', name: 'Alice B' })
  t.equal((await claims(await comeBy(person()))).sub, first.sub)
  t.match(
    await user('ann@example.org'),
    { ...record, name: 'Alice B' },
    'F12: another address there changes nothing',
  )
  t.match(log.join(''), /"event":"user_changed","username":"ann@example.org","fields":\["name"\]/)
  await provide('acme', { name: 'Acme' })
  t.equal((await claims(await comeBy(person()))).sub, first.sub, 'who has an account keeps it')
  t.equal(alertOn(asPage(await comeBy(person(), 'bob'))), SAID.provider_no_account, 'F7: others get none')
})

t.test('F1 who registered the address of somebody else gets no part of the account', async (t) => {
  const { person, claims, user, storage, setFields } = await federate(t, {
    creates_users: true,
    links_by_email: true,
  })
  await setFields('alice', { email: 'other@example.com' })
  await createUser(
    storage,
    'alice@example.com',
    await userRecord('sub-of-thief', { email: 'alice@example.com', email_verified: 'false' }),
  )
  const { sub } = await claims(await comeBy(person()))
  t.not(sub, 'sub-of-thief')
  t.notOk((await user('alice@example.com'))?.linked_subjects)
})

t.test('F2, F3 an address links only if both sides verified it, and the record says so', async (t) => {
  const { person, claims, user, storage, provide, upstream, setFields } = await federate(t, {
    creates_users: true,
  })
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_known)
  t.notOk((await user('alice'))?.linked_subjects)
  await upstream.setFields('alice', { email_verified: 'false' })
  await provide('acme', { links_by_email: true })
  const unverified = alertOn(asPage(await comeBy(person())))
  t.equal(unverified, SAID.provider_no_account, 'without a hint that there is an account')
  await upstream.setFields('alice', { email_verified: 'true' })
  await provide('acme', { links_by_email: true, email_domains: ['example.org'] })
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_domain)
  await provide('acme', { links_by_email: true, email_domains: ['example.com'] })
  await setFields('alice', { admin: 'redmint:read' })
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_known, 'administrators link by hand')
  await changeUser(storage, 'alice', { set: {}, unset: ['admin'] })
  t.equal((await claims(await comeBy(person()))).sub, 'sub-of-alice')
  t.equal((await user('alice'))?.linked_subjects, THERE)
})

t.test(
  'F6 an answer counts once, in its browser, at its callback, and with what was kept for it',
  async (t) => {
    const meddle: { now: Meddle } = { now: async () => undefined }
    const { person, provide, user } = await federate(t, { creates_users: true }, {}, meddle)
    await provide('other', { creates_users: true })
    const alice = person()
    const answer = await signInThere(alice, await leave(alice), 'bob')
    const stranger = person()
    await stranger.here.page(OWN)
    t.match(await stranger.here.page(answer), { status: 400 }, 'another browser')
    const elsewhere = answer.replace('/acme/', '/other/')
    t.equal(alertOn(asPage(await alice.here.open(elsewhere))), SAID.provider_broken, 'another callback')
    const generic = answer.replace('/sign-in/acme/callback', '/oauth2/interaction')
    t.equal(alertOn(asPage(await alice.here.open(generic))), SAID.provider_broken)
    const url = new URL(answer, 'https://x.example')
    for (const [name, value] of [
      ['iss', 'https://evil.example'],
      ['code', 'of-somebody-else'],
    ] as const) {
      const changed = new URLSearchParams(url.search)
      changed.set(name, value)
      const page = asPage(await alice.here.open(`${url.pathname}?${changed}`))
      t.equal(alertOn(page), SAID.provider_broken, name)
    }
    const without = new URLSearchParams(url.search)
    without.delete('iss')
    t.equal(
      alertOn(asPage(await alice.here.open(`${url.pathname}?${without}`))),
      SAID.provider_broken,
      'RFC 9207',
    )
    const mixed = new URLSearchParams(url.search)
    mixed.set('state', `${mixed.get('state')}x`)
    t.ok('status' in (await alice.here.open(`${url.pathname}?${mixed}`)), 'another state shows the page')
    const fresh = await signInThere(alice, await leave(alice), 'bob')
    t.ok('location' in (await alice.here.open(fresh)))
    t.equal((await alice.here.page(fresh)).status, 400, 'the second time')
    t.notOk(await user('other'))
  },
)

t.test(
  'F7 who is disabled is refused at the callback, and so is what a disabled provider says',
  async (t) => {
    const { person, provide, setFields } = await federate(t, { creates_users: true })
    await setFields('bob', { linked_subjects: linkOf(UPSTREAM, 'sub-of-bob') })
    const alice = person()
    const answer = await signInThere(alice, await leave(alice))
    await provide('acme', { creates_users: true, disabled: true })
    t.equal(alertOn(asPage(await alice.here.open(answer))), SAID.provider_off, 'in flight')
    t.notMatch((await alice.here.page(OWN)).text, /provider:acme/)
    await provide('acme', { creates_users: true })
    await setFields('bob', { disabled: 'true' })
    t.equal(alertOn(asPage(await comeBy(person(), 'bob'))), SAID.provider_no_account)
  },
)

t.test('F8 a provider that refuses or breaks leaves the other ways to sign in', async (t) => {
  const meddle: { now: Meddle } = { now: async () => undefined }
  const { person, log } = await federate(t, { creates_users: true }, { sign_in_failures: 3 }, meddle)
  const alice = person()
  const { location } = await leave(alice)
  const state = location.searchParams.get('state') ?? ''
  const denied = `/sign-in/acme/callback?${new URLSearchParams({
    state,
    error: 'access_denied',
    error_description: '<b>call us now</b>',
    iss: UPSTREAM,
  })}`
  for (let i = 0; i < 9; i++) {
    const page = asPage(await alice.here.open(denied))
    t.equal(alertOn(page), SAID.provider_denied)
    t.notMatch(page.text, /call us now/)
    t.match(page.text, /name="password".*provider:acme/s)
  }
  t.notMatch(log.join(''), /call us now/)
  for (const [path, answer] of [
    ['/oauth2/token', () => new Response('no', { status: 500 })],
    ['/oauth2/token', () => Promise.reject(Object.assign(new Error('x'), { code: 'ETIMEDOUT' }))],
    [
      '/.well-known/jwks.json',
      () => new Response('{"keys":[]}', { headers: { 'content-type': 'application/json' } }),
    ],
  ] as const) {
    const answered = await signInThere(alice, await leave(alice))
    meddle.now = async ({ pathname }) => (pathname === path ? answer() : undefined)
    t.equal(alertOn(asPage(await alice.here.open(answered))), SAID.provider_broken, path)
    meddle.now = async () => undefined
  }
  t.ok('location' in (await signInOn(alice.here, await alice.here.page(OWN))), 'the password still counts')
})

t.test('a provider that hangs holds nobody else up, and is asked once by all who wait', async (t) => {
  const meddle: { now: Meddle } = { now: async () => undefined }
  const { person } = await federate(t, {}, {}, meddle)
  let asked = 0
  let fail: (error: Error) => void = () => {}
  const hanging = new Promise<Response>((_, reject) => {
    fail = reject
  })
  meddle.now = () => {
    asked += 1
    return hanging
  }
  const waiting = [person(), person()].map(async ({ here }) =>
    here.submit(await here.page(OWN), { method: 'provider:acme' }),
  )
  const { here } = person()
  t.ok('location' in (await signInOn(here, await here.page(OWN))))
  fail(Object.assign(new Error('the time is over'), { code: 'ETIMEDOUT' }))
  for (const found of await Promise.all(waiting)) t.equal(alertOn(asPage(found)), SAID.provider_broken)
  t.equal(asked, 1)
})

t.test('one provider only: SIGN_IN=provider:acme', async (t) => {
  const { person, claims } = await federate(
    t,
    { creates_users: true, links_by_email: true },
    { sign_in: 'provider:acme' },
  )
  const alice = person()
  const gone = asDeparture(await alice.here.open(OWN))
  t.equal(gone.location.origin, UPSTREAM)
  t.equal((await claims(await alice.here.open(await signInThere(alice, gone)))).sub, 'sub-of-alice')
  const bob = person()
  const denied = asDeparture(await bob.here.open(OWN))
  const state = denied.location.searchParams.get('state') ?? ''
  const back = new URLSearchParams({ state, error: 'access_denied', iss: UPSTREAM })
  const page = asPage(await bob.here.open(`/sign-in/acme/callback?${back}`))
  t.equal(alertOn(page), SAID.provider_denied)
  t.notMatch(page.text, /name="password"/)
  const again = await bob.here.submit(page, { method: 'provider:acme' })
  t.ok('location' in again, 'by the button')
  const typed = asPage(await bob.here.submit(page, { method: 'password', username: 'alice', password: 'x' }))
  t.notMatch(typed.text, /name="password"/)
})

t.test('the provider that a browser used last comes first', async (t) => {
  const { person, provide } = await federate(t, { creates_users: true })
  await provide('other', { creates_users: true, name: 'Other' })
  const order = ({ text }: Page) => [...text.matchAll(/value="provider:(\w+)"/g)].map(([, name]) => name)
  const alice = person()
  t.same(order(await alice.here.page(OWN)), ['acme', 'other'])
  await comeBy(alice, 'bob', 'other')
  t.same(order(await alice.here.page(requestUrl({ client_id: 'own', prompt: 'login' }))), ['other', 'acme'])
})

t.test('straight to a provider that the request or the client names', async (t) => {
  const { person, storage, provide } = await federate(t, {})
  const to = async (url: string) => {
    const found = await person().here.open(url)
    return 'location' in found ? found.location.origin : found.title
  }
  t.equal(await to(requestUrl({ client_id: 'own', idp_hint: 'acme' })), UPSTREAM)
  t.equal(await to(requestUrl({ client_id: 'own', idp_hint: 'nobody' })), SAID.login_title)
  const hinted = requestUrl({ client_id: 'own', login_hint: 'Ann@Example.com' })
  t.equal(await to(hinted), SAID.login_title)
  await provide('acme', { email_domains: ['example.com'] })
  t.equal(await to(hinted), UPSTREAM)
  const gone = asDeparture(await person().here.open(hinted))
  t.equal(gone.location.searchParams.get('login_hint'), 'Ann@Example.com')
  await changeClient(storage, 'own', { set: { provider: 'acme' } })
  t.equal(await to(OWN), UPSTREAM)
})

t.test('of a departure one code is taken to the provider, whatever comes back', async (t) => {
  const asked: string[] = []
  const meddle: { now: Meddle } = {
    now: async (url, body) => {
      if (url.pathname === '/oauth2/token') asked.push(body)
      return undefined
    },
  }
  const { person } = await federate(t, { creates_users: true }, {}, meddle)
  const { here } = person()
  const left = asDeparture(await here.submit(await here.page(OWN), { method: 'provider:acme' }))
  const state = left.told.get('state') ?? ''
  for (let guess = 0; guess < 5; guess += 1) {
    const query = new URLSearchParams({ state, code: `made-up-${guess}`, iss: UPSTREAM })
    await here.open(`/sign-in/acme/callback?${query}`)
  }
  t.equal(asked.length, 1)
})
