// What a sign-in by a provider is worth: groups, a second step, and who shows anew who it is.
import t from 'tap'
import { linkOf } from '../../../src/accounts/sign-in-names.ts'
import { beginTotp, confirmTotp } from '../../../src/factors/totp.ts'
import { en } from '../../../src/pages/messages/en.ts'
import { appCode } from '../../support/authenticator.ts'
import { changeClient, changeUser } from '../../support/records.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'
import { requestUrl } from '../authorize/people.ts'
import { alertOn, asksForCode, STEP } from '../factors/people.ts'
import { comeBy, federate, leave, setFields, signInThere, UPSTREAM } from './federation.ts'

const THERE = linkOf(UPSTREAM, 'sub-of-alice')

t.test('groups are those of the last sign-in, and a claim that is missing names none', async (t) => {
  const { person, user, storage, upstream, provide } = await federate(t, { groups_claim: 'roles' })
  await setFields(storage, 'alice', { linked_subjects: THERE, 'claim:groups': '["local"]' })
  const groups = async () => (await user('alice'))?.['claim:groups']
  await comeBy(person())
  t.equal(await groups(), '[]')
  await changeUser(upstream.storage, 'alice', { set: { zoneinfo: 'staff' } })
  await provide('acme', { groups_claim: 'zoneinfo', scope: ['openid', 'profile'] })
  await comeBy(person())
  t.equal(await groups(), '["staff"]', 'a text is a list with spaces')
  await provide('acme', { groups_claim: 'amr' })
  await comeBy(person())
  t.equal(await groups(), '["pwd"]')
  await provide('acme')
  await comeBy(person())
  t.equal(await groups(), '["pwd"]', 'a record without the field takes none')
  await changeUser(storage, 'alice', { set: { managed_by: 'people', 'claim:groups': '["local"]' } })
  await provide('acme', { groups_claim: 'amr' })
  t.ok('location' in (await comeBy(person())))
  t.equal(await groups(), '["local"]', 'a user of a file stays as it is')
})

t.test('our second step is asked of who has one, and where a client demands it', async (t) => {
  const { person, storage, redmint, claims } = await federate(t)
  await setFields(storage, 'alice', { linked_subjects: THERE })
  const demanding = requestUrl({ client_id: 'own', acr_values: '2' })
  const ann = person()
  const first = asPage(await ann.here.open(await signInThere(ann, await leave(ann, 'acme', demanding))))
  t.equal(first.title, en.messages.second_step_set_up_title, 'who has none sets it up')
  const { begun, key } = await beginTotp(redmint, 'alice')
  const now = redmint.now()
  t.equal(await confirmTotp(redmint, 'alice', begun, appCode(key, now - STEP * 1000)), 'confirmed')
  const alice = person()
  const page = asPage(await comeBy(alice))
  t.ok(asksForCode(page))
  const done = await alice.here.submit(page, { code: appCode(key, redmint.now()) })
  t.match(await claims(done), { amr: ['fed', 'otp', 'mfa'], acr: '2' })
})

t.test('who is signed in shows anew there who it is', async (t) => {
  const { person, storage, upstream } = await federate(t)
  await setFields(storage, 'alice', { linked_subjects: THERE })
  const alice = person()
  const first = await leave(alice)
  t.equal(first.location.searchParams.get('prompt'), null)
  await alice.here.open(await signInThere(alice, first))
  const again = await leave(alice, 'acme', requestUrl({ client_id: 'own', prompt: 'login' }))
  t.equal(again.location.searchParams.get('prompt'), 'login')
  // A provider that does not ask says so, or is believed.
  const { location } = again
  location.searchParams.delete('prompt')
  upstream.pass(1000)
  const silent = asDeparture(await alice.there.open(location.pathname + location.search))
  const back = silent.location.pathname + silent.location.search
  t.ok(alertOn(asPage(await alice.here.open(back))))
})

t.test('a provider may be for one client alone', async (t) => {
  const { person, storage } = await federate(t, { disabled: true })
  await changeClient(storage, 'own', { set: { provider: 'acme' } })
  const page = await person().here.page(requestUrl({ client_id: 'own' }))
  t.equal(page.title, en.messages.login_title, 'one that is disabled leaves the other ways')
})
