// Invitations of people.

import t from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { type Inviter, USER_INVITATION } from '../../../../src/self-service/invitation.ts'
import { takeJoin } from '../../../../src/self-service/join.ts'
import { MAX_TAKEN_NAMES } from '../../../../src/self-service/taken-names.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { NEW_PASSWORD } from '../../../support/accounts.ts'
import { linkIn } from '../../../support/link-in.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const PASSWORD = NEW_PASSWORD
const DAY = 86_400

const problemOn = (text: string) => /id="problem" role="alert">([^<]*)</.exec(text)?.[1]

t.test('E3 an invited person chooses username and password, and has the groups', async (t) => {
  const { visitor, invite, join, user } = await scene(t)
  const { url } = await invite({ groups: ['staff', 'editors'] })
  const done = await join(url, 'carol')
  t.equal(done.title, 'Your account is ready')
  t.match(await user('carol'), { 'claim:groups': '["staff","editors"]', password_hash: /^\$argon2id/ })
  t.notOk((await user('carol'))?.admin)
  const carol = visitor()
  const login = await carol.page(requestUrl({ client_id: 'own' }))
  t.ok(asDeparture(await signInOn(carol, login, 'carol', PASSWORD)))
  t.equal((await join(url, 'dave')).title, 'This link does not work any more', 'it counts once')
  t.equal(await user('dave'), undefined)
})

t.test('E3 it counts so often, also at the same time', async (t) => {
  const { invite, join, user, usesLeft } = await scene(t)
  const { url, id } = await invite({ uses: 3 })
  const names = Array.from({ length: 6 }, (_, i) => `guest-${i}`)
  const pages = await Promise.all(names.map((name) => join(url, name)))
  const titles = pages.map(({ title }) => title).sort()
  const [ready, over] = ['Your account is ready', 'This link does not work any more']
  t.strictSame(titles, [over, over, over, ready, ready, ready])
  const made = await Promise.all(names.map((name) => user(name)))
  t.equal(made.filter((hash) => hash !== undefined).length, 3)
  t.equal(await usesLeft(id), '0')
})

t.test('E3 it ends at its time, and when it is removed', async (t) => {
  const { visitor, invite, openInvitation, pass, storage } = await scene(t)
  const [one, other] = [await invite(), await invite({ days: 3 })]
  pass(DAY - 5)
  t.equal((await openInvitation(visitor(), one.url)).status, 200)
  pass(10)
  t.equal((await openInvitation(visitor(), one.url)).status, 400)
  const guest = visitor()
  const page = await openInvitation(guest, other.url)
  await storage.records.take(USER_INVITATION, other.id)
  const late = asPage(await guest.submit(page, { username: 'carol', password: PASSWORD }))
  t.equal(late.title, 'This link does not work any more')
})

t.test('E3 its end counts also where storage keeps it for longer', async (t) => {
  const { visitor, invite, openInvitation, pass, storage } = await scene(t)
  const { url, id } = await invite()
  const hash = (await storage.records.read(USER_INVITATION, id))?.hash ?? {}
  await storage.records.put({ kind: USER_INVITATION, id, hash, ttl: 9 * DAY })
  t.equal((await openInvitation(visitor(), url)).status, 200)
  pass(DAY)
  t.equal((await openInvitation(visitor(), url)).status, 400)
})

t.test(
  'E3 only its own secret opens it, and what was written by hand wrongly opens for nobody',
  async (t) => {
    const { visitor, invite, openInvitation, storage } = await scene(t)
    const [one, other] = [await invite(), await invite()]
    const crossed = one.url.replace(/[^.]*$/, other.url.split('.').at(-1) ?? '')
    t.equal((await openInvitation(visitor(), crossed)).status, 400, 'the secret of another invitation')
    const good = (await storage.records.read(USER_INVITATION, one.id))?.hash ?? {}
    const wrong: Record<string, string>[] = [
      { uses_left: '-1' },
      { uses_left: 'many' },
      { uses_left: '1001' },
      { by_kind: 'robot' },
      { groups: 'staff' },
      { groups: '{"staff":true}' },
      { groups: '[1]' },
      { secret_hash: '' },
    ]
    for (const field of wrong) {
      await storage.records.put({ kind: USER_INVITATION, id: one.id, hash: { ...good, ...field }, ttl: DAY })
      t.equal((await openInvitation(visitor(), one.url)).status, 400, JSON.stringify(field))
    }
    await storage.records.put({ kind: USER_INVITATION, id: one.id, hash: good, ttl: DAY })
    t.equal((await openInvitation(visitor(), one.url)).status, 200)
  },
)

t.test('E3 one with an address gives this one, verified, and ends if somebody else has it', async (t) => {
  const { visitor, invite, join, openInvitation, user, usesLeft } = await scene(t)
  const { url } = await invite({ email: 'carol@example.com' })
  const rival = await invite({ email: 'carol@example.com' })
  t.equal((await join(url, 'carol@example.com')).status, 200, 'it may be the username')
  t.match(await user('carol@example.com'), { email: 'carol@example.com', email_verified: 'true' })
  t.equal((await openInvitation(visitor(), rival.url)).status, 400)
  t.equal(await usesLeft(rival.id), '1')
})

t.test('E3 who may not invite any more has invited nobody', async (t) => {
  const { visitor, invite, openInvitation, storage } = await scene(t)
  const { records } = storage
  const user: Inviter = { kind: 'user', id: 'alice' }
  const client: Inviter = { kind: 'client', id: 'service' }
  const changes: readonly [Inviter, () => Promise<unknown>][] = [
    [user, () => records.change(USER, 'alice', { set: { admin: 'redmint:users:read' } })],
    [user, () => records.change(USER, 'alice', { set: { disabled: 'true' } })],
    [user, () => records.take(USER, 'alice')],
    [client, () => records.change(CLIENT, 'service', { set: { allowed_scopes: 'api.read' } })],
    [client, () => records.change(CLIENT, 'service', { set: { disabled: 'true' } })],
    [client, () => records.take(CLIENT, 'service')],
  ]
  const stored = (await storage.records.read(USER, 'alice'))?.hash ?? {}
  for (const [by, change] of changes) {
    const kind = by.kind === 'user' ? USER : CLIENT
    if (by.kind === 'user')
      await storage.records.put({ kind: USER, id: 'alice', hash: { ...stored, admin: 'redmint:write' } })
    else
      await storage.records.change(CLIENT, by.id, {
        set: { allowed_scopes: 'redmint:users:write', disabled: 'false' },
      })
    const { url } = await invite({ by })
    t.equal((await openInvitation(visitor(), url)).status, 200, `${kind.name} may`)
    await change()
    t.equal((await openInvitation(visitor(), url)).status, 400, `${kind.name} may not any more`)
  }
})

t.test('E5 nobody chooses the name of somebody else, or an address that is not proved', async (t) => {
  const { invite, join, user } = await scene(t)
  const { url } = await invite({ uses: 2 })
  for (const [username, alert] of [
    ['alice', /Somebody has this username/],
    ['ALICE', /Somebody has this username/],
    ['ａlice', /Somebody has this username/],
    ['carol@example.com', /is not an e-mail address/],
    ['alice@example.com', /is not an e-mail address/],
    ['', /A username has no spaces/],
    ['two words', /A username has no spaces/],
    ['co:lon', /A username has no spaces/],
  ] as const) {
    const page = await join(url, username)
    t.equal(page.status, 400, username)
    t.match(alertOn(page), alert, username)
  }
  t.equal((await join(url, 'ｃarol')).status, 200, 'the use is still there')
  t.ok(await user('carol'), 'in the form in which names are stored')
})

t.test('E3 the groups are in the claim that says who may use applications', async (t) => {
  const { redmint, invite, user } = await scene(t, { groups_claim: 'teams' })
  const { url } = await invite({ groups: ['staff'] })
  const answer = { username: 'dora', password: PASSWORD }
  t.match(await takeJoin(redmint, linkIn(url), answer, { address: '', user: '' }, { digest: '' }), {
    page: 'done',
  })
  t.match(await user('dora'), { 'claim:teams': '["staff"]' })
})

t.test('one link tells of twenty taken names and ends, by any number of requests at once', async (t) => {
  const { invite, visitor, openInvitation, user, happened } = await scene(t)
  const { url } = await invite({ uses: 50 })
  const guest = visitor()
  const page = await openInvitation(guest, url)
  const join = async (username: string, password = PASSWORD, browser = guest, form = page) =>
    asPage(await browser.submit(form, { username, password }))
  const weak = await Promise.all(Array.from({ length: 30 }, () => join('alice', 'short')))
  t.strictSame(new Set(weak.map(({ text }) => problemOn(text)?.includes('15 characters'))), new Set([true]))
  const answers = await Promise.all(Array.from({ length: 40 }, () => join('alice')))
  const told = answers.filter(({ text }) => problemOn(text)?.includes('Somebody has this username'))
  t.equal(told.length, MAX_TAKEN_NAMES - 1, 'no more are told')
  t.equal((await openInvitation(visitor(), url)).status, 400, 'the link has ended')
  t.equal((await join('carol')).title, 'This link does not work any more')
  t.equal(await user('carol'), undefined)
  t.equal(happened('names_guessed'), 1)

  const next = await invite({ uses: 50 })
  const other = visitor()
  const fresh = await openInvitation(other, next.url)
  t.match(
    problemOn((await join('bob', PASSWORD, other, fresh)).text),
    /^Too many attempts/,
    'nor is the address by another link',
  )
  t.equal((await join('carol', PASSWORD, other, fresh)).title, 'Your account is ready', 'a free name is made')
})
