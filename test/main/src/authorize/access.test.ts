// A user who may not use a client: the page, the ways out of it, prompt=none, and the shortcut of demo mode.

import t, { type Test } from 'tap'
import { changeClient, changeUser } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const NO_ACCESS = 'No access to The Shop'
const AGREE = 'Allow The Shop to access your account?'
const DENIED = { error: 'access_denied', error_description: 'The user may not use this client.' }
const OF_ALICE = { client_id: 'shop', username: 'alice', sub: 'sub-of-alice' }

/** A service whose client `shop` only members of `staff` may use; bob is one, alice is not. */
async function start(t: Test, fields: Record<string, string> = {}, options: TestOptions = {}) {
  const service = await scene(t, options)
  const { storage, log } = service
  await changeClient(storage, 'shop', { set: { allowed_groups: 'staff owners-of-the-secret', ...fields } })
  await changeUser(storage, 'alice', { set: { 'claim:groups': '["guests"]' } })
  await changeUser(storage, 'bob', { set: { 'claim:groups': '["staff"]' } })
  /** The refusals since the last call, without what every line has. */
  const refusals = () => {
    const found = log.splice(0).flatMap((text) => text.split('\n').filter((line) => line !== ''))
    return found.flatMap((line) => {
      const { event, at, client_id, username, sub } = JSON.parse(line)
      return event === 'access_refused' ? [{ at, client_id, ...(username && { username, sub }) }] : []
    })
  }
  return { ...service, refusals }
}

t.test('L3: the page says whom to ask and not which groups, and leads to another account', async (t) => {
  const { visitor, refusals } = await start(t, {
    contacts: 'it@example.com https://example.com/help +49-30-1',
  })
  const alice = visitor()
  const page = asPage(await signInOn(alice, await alice.page(requestUrl())))
  t.equal(page.title, NO_ACCESS)
  t.match(page.text, '<a class="link" href="mailto:it@example.com"><bdi>it@example.com</bdi></a>')
  t.match(page.text, '<a class="link" href="https://example.com/help">')
  t.match(page.text, '<p><bdi>+49-30-1</bdi></p>')
  t.match(page.text, 'Alice Example', 'whose account it is')
  t.notMatch(page.text, /staff|owners|guests|<script/)
  t.strictSame(page.buttons, ['decision=other_account', 'decision=deny'])
  t.strictSame(refusals(), [{ at: 'page', ...OF_ALICE }])

  const still = asPage(await alice.submit(page, { decision: 'allow' }))
  t.equal(still.title, NO_ACCESS, 'there is nothing to allow')
  const login = asPage(await alice.submit(page, { decision: 'other_account' }))
  t.equal(login.title, 'Sign in')
  const consent = asPage(await signInOn(alice, login, 'bob'))
  t.equal(consent.title, AGREE)
  t.ok(asDeparture(await alice.submit(consent, { decision: 'allow' })).told.has('code'))
})

t.test('L3: the way back tells the client access_denied, and no more', async (t) => {
  const { visitor, refusals } = await start(t)
  const alice = visitor()
  const page = asPage(await signInOn(alice, await alice.page(requestUrl())))
  refusals()
  const { told } = asDeparture(await alice.submit(page, { decision: 'deny' }))
  t.match(Object.fromEntries(told), { ...DENIED, state: 'a state' })
  t.notMatch(told.toString(), /staff|owners|alice/)
  t.strictSame(refusals(), [], 'the page was the event')
})

t.test('whom to ask: a home page, or nobody that a client named itself', async (t) => {
  const shown = async (fields: Record<string, string>) => {
    const { visitor } = await start(t, fields)
    const alice = visitor()
    return asPage(await signInOn(alice, await alice.page(requestUrl()))).text
  }
  const client_uri = 'https://shop.example/'
  t.match(await shown({ client_uri }), '<a class="link" href="https://shop.example/">')
  t.match(await shown({}), 'contact the people who run <strong><bdi>The Shop</bdi></strong>')
  const own = { client_uri, contacts: 'x@evil.example', registered_at: '2026-11-22T08:00:00.000Z' }
  t.notMatch(await shown(own), /evil\.example|shop\.example/)
  t.notMatch(await shown({ contacts: 'a@b.example?subject=x' }), 'mailto:', 'an address and nothing else')
})

t.test('prompt=none is access_denied only for a user who is signed in', async (t) => {
  const { visitor, refusals } = await start(t)
  const alice = visitor()
  const silent = async (more = {}) =>
    Object.fromEntries(asDeparture(await alice.open(requestUrl({ prompt: 'none', ...more }))).told)
  t.match(await silent(), { error: 'login_required' })
  await signInOn(alice, await alice.page(requestUrl()))
  refusals()
  const told = await silent()
  t.match(told, DENIED)
  t.strictSame(Object.keys(told).sort(), ['error', 'error_description', 'iss', 'state'])
  t.strictSame(refusals(), [{ at: 'prompt_none', ...OF_ALICE }])
  const claims = JSON.stringify({ id_token: { sub: { value: 'sub-of-bob' } } })
  t.match(await silent({ claims }), { error: 'login_required' }, 'about another user it says nothing')
})

t.test('a user who leaves the group while the consent page is open gets no code', async (t) => {
  const { visitor, storage } = await start(t)
  const bob = visitor()
  const consent = asPage(await signInOn(bob, await bob.page(requestUrl()), 'bob'))
  t.equal(consent.title, AGREE)
  await changeUser(storage, 'bob', { set: { 'claim:groups': '[]' } })
  t.equal(asPage(await bob.submit(consent, { decision: 'allow' })).title, NO_ACCESS)
})

t.test('the claim that names the groups is a setting', async (t) => {
  const { visitor, storage } = await start(t, {}, { groups_claim: 'teams' })
  const bob = visitor()
  const page = asPage(await signInOn(bob, await bob.page(requestUrl()), 'bob'))
  t.equal(page.title, NO_ACCESS)
  await changeUser(storage, 'bob', { set: { 'claim:teams': '"staff"' } })
  t.equal((await bob.page(page.url)).title, AGREE)
})

t.test('the shortcut of demo mode passes no rule', async (t) => {
  const { authorize, refusals } = await start(t, {}, { demo: 'public' })
  const shortcut = async () =>
    Object.fromEntries((await authorize({ client_id: 'shop', subject: 'bob' })).redirect)
  t.match(await shortcut(), DENIED)
  t.strictSame(refusals(), [{ at: 'shortcut', client_id: 'shop' }], 'no name that was only typed')
})
