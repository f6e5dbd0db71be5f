// What a sign-in by a provider is worth: groups, a second step, and who shows anew who it is.
import t from 'tap'
import { beginTotp, confirmTotp } from '../../../../src/factors/totp.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { appCode } from '../../../support/authenticator.ts'
import {
  comeBy,
  federate,
  leave,
  type Meddle,
  type Person,
  type Rewrite,
  signInThere,
  UPSTREAM,
  withClaims,
} from '../../../support/providers/federation.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { alertOn, asksForCode, STEP } from '../../../support/scene/pages.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { asPage } from '../../../support/visitor.ts'

const THERE = linkOf(UPSTREAM, 'sub-of-alice')

t.test('groups are those of the last sign-in, and a claim that is missing names none', async (t) => {
  const { person, user, storage, upstream, provide, setFields } = await federate(t, { groups_claim: 'roles' })
  await setFields('alice', { linked_subjects: THERE, 'claim:groups': '["local"]' })
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
  t.equal(await groups(), undefined, 'a record without the field takes none, and what it said before goes')
  await changeUser(storage, 'alice', { set: { managed_by: 'people', 'claim:groups': '["local"]' } })
  await provide('acme', { groups_claim: 'amr' })
  t.ok('location' in (await comeBy(person())))
  t.equal(await groups(), '["local"]', 'a user of a file stays as it is')
})

t.test('our second step is asked of who has one, and where a client demands it', async (t) => {
  const { person, redmint, claims, setFields } = await federate(t)
  await setFields('alice', { linked_subjects: THERE })
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

t.test('a fresh sign-in is asked of the provider, whoever is signed in here', async (t) => {
  const meddle: { now: Meddle; after?: Rewrite } = { now: async () => undefined }
  const { person, upstream, claims, log, setFields } = await federate(t, {}, {}, meddle)
  await setFields('alice', { linked_subjects: THERE })
  const key = upstream.fastify.redmint.keys.signingKey('RS256')
  let change: object = {}
  meddle.after = ({ pathname }, payload) =>
    pathname === '/oauth2/token' ? withClaims(payload, key, { ...change }) : payload
  const now = () => Math.floor(Date.now() / 1000)
  const old = { auth_time: now() - 7200 }
  const asked = async (alice: Person, wanted: Record<string, string>) =>
    leave(alice, 'acme', requestUrl({ client_id: 'own', ...wanted }))
  const alice = person()
  const first = await asked(alice, {})
  t.notOk(first.location.searchParams.has('prompt') || first.location.searchParams.has('max_age'))
  change = old
  const found = await claims(await alice.here.open(await signInThere(alice, first)))
  t.equal(found.auth_time, old.auth_time, 'what the provider says counts')
  for (const browser of ['known', 'new'])
    for (const [wanted, prompt, max_age] of [
      [{ max_age: '3600' }, null, '3600'],
      [{ prompt: 'login' }, 'login', '0'],
      [{ max_age: '0' }, 'login', '0'],
    ] as const) {
      const one = browser === 'known' ? alice : person()
      const gone = await asked(one, wanted)
      t.equal(gone.location.searchParams.get('prompt'), prompt)
      t.equal(gone.location.searchParams.get('max_age'), max_age)
      for (const silent of [old, { auth_time: undefined }]) {
        change = silent
        const again = await asked(one, wanted)
        const page = asPage(await one.here.open(await signInThere(one, again)))
        t.equal(
          alertOn(page),
          en.messages.provider_not_fresh,
          `${browser} ${JSON.stringify([wanted, silent])}`,
        )
      }
      change = { auth_time: now() }
      t.ok('location' in (await one.here.open(await signInThere(one, await asked(one, wanted)))))
    }
  t.match(log.join(''), /"reason":"not_fresh"/)
})

t.test('who does not say when somebody signed in there confirms nothing', async (t) => {
  const meddle: { now: Meddle; after?: Rewrite } = { now: async () => undefined }
  const { person, upstream, claims, setFields } = await federate(t, {}, { account_page: 'on' }, meddle)
  await setFields('alice', { linked_subjects: THERE })
  const key = upstream.fastify.redmint.keys.signingKey('RS256')
  let auth_time: number | undefined
  meddle.after = ({ pathname }, payload) =>
    pathname === '/oauth2/token' ? withClaims(payload, key, { auth_time }) : payload
  const confirmed = async (time: number | undefined) => {
    auth_time = time
    const alice = person()
    const { auth_time: said } = await claims(await comeBy(alice))
    t.equal(said, time)
    const page = await alice.here.page('/account/providers')
    return !page.text.includes('name="method"')
  }
  t.notOk(await confirmed(undefined))
  t.notOk(await confirmed(Math.floor(Date.now() / 1000) - 700))
  t.ok(await confirmed(Math.floor(Date.now() / 1000) - 5))
})

t.test('a provider may be for one client alone', async (t) => {
  const { person, storage } = await federate(t, { disabled: true })
  await changeClient(storage, 'own', { set: { provider: 'acme' } })
  const page = await person().here.page(requestUrl({ client_id: 'own' }))
  t.equal(page.title, en.messages.login_title, 'one that is disabled leaves the other ways')
})
