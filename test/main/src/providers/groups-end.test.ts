// The groups that a provider said of somebody have an end: after it the person comes back by it, or does not have them.
import t, { type Test } from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { DEVICES, deviceOf, openDevice, storeDevices } from '../../../support/device.ts'
import { beforeWriteOf } from '../../../support/meanwhile.ts'
import { comeBy, federate, leave, signInThere, UPSTREAM } from '../../../support/providers/federation.ts'
import { changeClient, changeUser, createUser } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { asDeparture, asPage, type Departure, type Page } from '../../../support/visitor.ts'

const THERE = linkOf(UPSTREAM, 'sub-of-alice')
/** How long the groups count, in seconds. */
const LASTS = 60
const OWN = requestUrl({ client_id: 'own', scope: 'openid groups' })

const RECORD = { groups_claim: 'amr', groups_ttl: LASTS } as const

/** A service in which the provider said that alice is in `pwd`, and a client for this group. */
async function start(t: Test) {
  const service = await federate(t, RECORD, { scope_claims: new Map([['groups', 'groups']]) })
  const { storage, person, visitor, redeem, setFields } = service
  await setFields('alice', { linked_subjects: THERE })
  await changeClient(storage, 'own', {
    set: {
      allowed_scopes: 'openid profile email offline_access groups',
      allowed_groups: 'pwd',
      scope_claims_in_id_token: 'true',
    },
  })
  const alice = person()
  const tokensFor = async (found: Page | Departure) => (await redeem(found)).json
  /** Signs in by password in a new browser. */
  const byPassword = async (url = OWN) => {
    const here = visitor()
    return { here, found: await signInOn(here, await here.page(url)) }
  }
  const refresh = async ({ refresh_token }: Record<string, unknown>) =>
    (await service.refresh(refresh_token)).json
  const first = await tokensFor(
    await (async () => {
      await comeBy(alice)
      return alice.here.open(OWN)
    })(),
  )
  return { ...service, alice, first, tokensFor, byPassword, refresh }
}

const groupsIn = ({ id_token }: Record<string, unknown>) =>
  JSON.parse(Buffer.from(String(id_token).split('.')[1] ?? '', 'base64url').toString()).groups
const hostOf = (found: Page | Departure) => ('location' in found ? found.location.origin : found.title)

t.test('until their end they count, by whatever way the person signs in', async (t) => {
  const { byPassword, first, refresh, tokensFor, pass } = await start(t)
  t.strictSame(groupsIn(first), ['pwd'])
  pass(LASTS * 0.5)
  t.strictSame(groupsIn(await tokensFor((await byPassword()).found)), ['pwd'])
  t.strictSame(groupsIn(await refresh(first)), ['pwd'])
})

t.test('then a client for which they matter leads to the provider, and the person is back', async (t) => {
  const { byPassword, first, refresh, tokensFor, pass, person, storage, user } = await start(t)
  pass(LASTS)
  t.match(await refresh(first), { error: 'invalid_grant' }, 'what was granted for a group ends')
  const { here, found } = await byPassword()
  t.equal(hostOf(found), UPSTREAM)
  const none = asDeparture(await here.open(requestUrl({ client_id: 'own', prompt: 'none' })))
  t.equal(none.told.get('error'), 'login_required')
  const { there } = person()
  const back = await here.open(await signInThere({ here, there }, asDeparture(found)))
  t.strictSame(groupsIn(await tokensFor(back)), ['pwd'])
  t.match(await user('alice'), { groups_from: / acme groups / })
  await changeClient(storage, 'own', { set: {}, unset: ['allowed_groups'] })
  pass(LASTS)
  t.equal(hostOf((await byPassword()).found), UPSTREAM, 'a client that learns of them')
  const plain = await byPassword(requestUrl({ client_id: 'own', scope: 'openid' }))
  t.ok(asDeparture(plain.found).told.has('code'), 'not where they do not matter')
})

t.test('tokens that do not need them are refreshed without them', async (t) => {
  const { first, refresh, pass, storage } = await start(t)
  await changeClient(storage, 'own', { set: {}, unset: ['allowed_groups'] })
  pass(LASTS)
  const refreshed = await refresh(first)
  t.hasProp(refreshed, 'access_token')
  t.equal(groupsIn(refreshed), undefined)
})

t.test('who cannot come back by the provider is without them', async (t) => {
  for (const gone of ['its record', 'the link'] as const) {
    const { byPassword, pass, provide, setFields } = await start(t)
    if (gone === 'its record') await provide('acme', { ...RECORD, disabled: true })
    else await setFields('alice', { linked_subjects: 'https://other.example.org#1' })
    if (gone === 'its record') pass(LASTS)
    const { found } = await byPassword()
    t.equal(asPage(found).title, en.messages.no_access_title.replace('{client}', 'Our own'), gone)
  }
})

t.test('groups that somebody else wrote have no end', async (t) => {
  const { byPassword, tokensFor, pass, storage } = await start(t)
  await changeUser(storage, 'alice', { set: { 'claim:groups': '["pwd","staff"]' } })
  pass(LASTS)
  t.strictSame(groupsIn(await tokensFor((await byPassword()).found)), ['pwd', 'staff'])
  await changeUser(storage, 'alice', { set: { 'claim:groups': '["pwd"]', managed_by: 'people.yaml' } })
  t.strictSame(groupsIn(await tokensFor((await byPassword()).found)), ['pwd'], 'nor those of a file')
})

t.test('a device is answered once the person came back', async (t) => {
  const service = await start(t)
  const { storage, pass, visitor } = service
  await storeDevices(storage)
  await changeClient(storage, DEVICES.tv.client_id, { set: { allowed_groups: 'pwd' } })
  pass(LASTS)
  const { verification_uri_complete } = await deviceOf(service).codes()
  const here = visitor()
  await t.rejects(openDevice(here, verification_uri_complete), /accounts\.example\.org/)
})

t.test('two people of providers who bring one address at once get one account', async (t) => {
  for (const [links_by_email, kind] of [
    [true, 'user'],
    [false, 'user'],
    [true, 'name-claim'],
    [false, 'name-claim'],
  ] as const) {
    const { person, upstream, storage, redmint } = await federate(t, { creates_users: true, links_by_email })
    const address = { email: 'a@corp.example', email_verified: 'true' }
    // Somebody else is called so, so that the names of the new accounts differ.
    await createUser(storage, 'a@corp.example', { sub: 'sub-of-another' })
    const comings: (() => Promise<Page | Departure>)[] = []
    for (const username of ['alice', 'bob']) {
      await changeUser(upstream.storage, username, { set: address })
      const one = person()
      const back = await signInThere(one, await leave(one), username)
      comings.push(() => one.here.open(back))
    }
    const [first, second] = comings
    const found: (Page | Departure | undefined)[] = []
    const clocked = { storage, now: redmint.now, pass() {} }
    // The second one comes while the first one's account is made, or just before.
    const is_met = beforeWriteOf(clocked, kind, async () => found.push(await second?.()))
    found.push(await first?.())
    t.ok(is_met())
    const owners: (string | undefined)[] = []
    for await (const { hash } of storage.records.scan(USER))
      if (hash.email === address.email) owners.push(hash.linked_subjects)
    t.equal(owners.length, 1, `${kind} ${links_by_email}`)
    const is_in = found.filter((one) => one !== undefined && 'location' in one).length
    t.equal(owners[0]?.split(' ').length, is_in, 'who is in is linked')
  }
})
