// What is taken over from a directory at each sign-in, and what it takes to come in by another way.
import t from 'tap'
import { beginTotp, confirmTotp } from '../../../../src/factors/totp.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { appCode } from '../../../support/authenticator.ts'
import {
  FAKE_BASE,
  type FakeEntry,
  personNamed,
  startFakeDirectory,
} from '../../../support/directory/fake-directory.ts'
import { OWN } from '../../../support/directory/settings.ts'
import { changeUser } from '../../../support/records.ts'
import { alertOn, asksForCode } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const SAID = en.messages
const signInAs = (uid: string) => [uid, `password of ${uid}`] as const

t.test('claims are those of the directory at each sign-in', async (t) => {
  const people: FakeEntry[] = [
    personNamed('carol', { telephoneNumber: ['+49 1', '+49 2'], employeeNumber: ['7'] }),
  ]
  const { settings } = await startFakeDirectory(t, people)
  const ldap_claims =
    'name=cn;email=mail;phone_number=telephoneNumber;staff_id=employeeNumber;phones=telephoneNumber;picture=cn'
  const { signIn, user, storage } = await scene(t, { ...settings, ldap_claims })
  await signIn(...signInAs('carol'))
  const record = await user('carol')
  t.match(record, {
    name: 'Name of carol',
    phone_number: '+49 1',
    'claim:staff_id': '"7"',
    'claim:phones': '["+49 1","+49 2"]',
    email: 'carol@example.com',
    email_verified: 'false',
  })
  t.notOk(record?.picture, 'a value that the claim cannot have is left out')
  people.splice(0, 1, personNamed('carol', { cn: ['Carol B'], mail: ['b@example.com'] }))
  await signIn(...signInAs('carol'))
  t.match(
    await user('carol'),
    { name: 'Carol B', email: 'carol@example.com' },
    'F12: an address that nobody confirmed stays',
  )
  await changeUser(storage, 'carol', { set: { managed_by: 'people.yaml' } })
  people.splice(0, 1, personNamed('carol', { cn: ['Carol C'] }))
  await signIn(...signInAs('carol'))
  t.match(await user('carol'), { name: 'Carol B' }, 'what a file declares stays')
})

t.test(
  'with LDAP_EMAIL_VERIFIED an address follows the directory, but is never that of another account',
  async (t) => {
    const people: FakeEntry[] = [personNamed('carol')]
    const { settings } = await startFakeDirectory(t, people)
    const { signIn, user, storage, claims, setFields } = await scene(t, {
      ...settings,
      ldap_email_verified: true,
    })
    const { sub } = await claims(await signIn(...signInAs('carol')))
    t.match(await user('carol'), { email: 'carol@example.com', email_verified: 'true' })
    people.splice(0, 1, personNamed('carol', { mail: ['alice@example.com'] }))
    await setFields('alice', { email: 'alice@example.com', email_verified: 'true' })
    await signIn(...signInAs('carol'))
    t.match(await user('carol'), { email: 'carol@example.com' })
    people.splice(0, 1, personNamed('carol', { mail: ['new@example.com'] }))
    await signIn(...signInAs('carol'))
    t.match(await user('carol'), { email: 'new@example.com', email_verified: 'true' })
    t.equal(
      (
        await storage.records.read(
          { name: 'sign-in-name', parse: (record) => ({ ok: true, record }) },
          'new@example.com',
        )
      )?.hash.carol,
      '1',
    )
    t.equal((await claims(await signIn(...signInAs('carol')))).sub, sub)
  },
)

t.test('groups are those of the directory at each sign-in, by the names of the settings', async (t) => {
  const admins = `CN=Admins\\2C all,OU=Groups,${FAKE_BASE}`
  const memberOf = [admins, `cn=staff,ou=groups,${FAKE_BASE}`, `cn=admins,ou=own,${FAKE_BASE}`]
  const people: FakeEntry[] = [personNamed('carol', { memberOf })]
  const { settings } = await startFakeDirectory(t, people)
  const asking = { ...settings, ldap_group_attribute: 'memberOf' }
  const all = await scene(t, asking)
  await all.signIn(...signInAs('carol'))
  t.equal((await all.user('carol'))?.['claim:groups'], '["Admins, all","admins","staff"]')
  const ldap_groups = `boss=cn=admins\\2C all, ou=groups, dc=example, dc=com;people=Staff;other=nothing`
  const mapped = await scene(t, { ...asking, ldap_groups })
  await mapped.signIn(...signInAs('carol'))
  t.equal((await mapped.user('carol'))?.['claim:groups'], '["boss","people"]', 'a DN in any case, or a name')
  people.splice(0, 1, personNamed('carol', { memberOf: [] }))
  await mapped.signIn(...signInAs('carol'))
  t.equal((await mapped.user('carol'))?.['claim:groups'], '[]', 'who left is in none')
  t.match(mapped.log.join(''), /"event":"user_changed","username":"carol","fields":\["claim:groups"\]/)
})

t.test('groups are looked for where a filter says how', async (t) => {
  const group = (cn: string, member: string): FakeEntry => ({
    dn: `cn=${cn},${FAKE_BASE}`,
    attributes: { cn: [cn], member: [member] },
  })
  const carol = { ...personNamed('carol'), dn: `cn=Carol (*) B,${FAKE_BASE}` }
  const directory = [carol, group('staff', carol.dn), group('others', `cn=x,${FAKE_BASE}`)]
  const { settings, asked } = await startFakeDirectory(t, directory)
  const { signIn, user } = await scene(t, { ...settings, ldap_group_filter: '(member={dn})' })
  await signIn(...signInAs('carol'))
  t.equal((await user('carol'))?.['claim:groups'], '["staff"]')
  t.match(asked().at(-1), 'Carol \\28\\2a\\29 B', 'a DN is a value, too')
})

t.test('what does not fit is said in words, and counts as no failure', async (t) => {
  const people: FakeEntry[] = [
    personNamed('carol', { title: ['x'.repeat(4000)] }),
    personNamed('dave', { entryUUID: [] }),
    {
      ...personNamed('erin'),
      attributes: { ...personNamed('erin').attributes, uid: ['erin', 'x y'].reverse() },
    },
  ]
  const { settings } = await startFakeDirectory(t, people)
  const { signIn, user } = await scene(t, {
    ...settings,
    ldap_claims: 'a=title;b=title;c=title',
    sign_in_failures: 1,
  })
  for (const uid of ['carol', 'dave', 'erin', 'carol'])
    t.equal(alertOn(asPage(await signIn(...signInAs(uid)))), SAID.directory_unreadable, uid)
  t.notOk(await user('carol'))
})

t.test('an account of the demo is nobody where the demo is off', async (t) => {
  const { settings } = await startFakeDirectory(t, [personNamed('carol')])
  const { signIn, storage } = await scene(t, settings)
  t.ok('location' in (await signIn(...signInAs('carol'))))
  await changeUser(storage, 'carol', { set: { demo: 'true' } })
  t.equal(alertOn(asPage(await signIn(...signInAs('carol')))), SAID.directory_no_account)
})

t.test('wrong passwords count as those of redmint do, by every spelling of a name', async (t) => {
  const { settings, asked, forget } = await startFakeDirectory(t, [personNamed('kim')])
  const { signIn, pass } = await scene(t, {
    ...settings,
    sign_in_failures: 3,
    sign_in_window: 60,
  })
  for (const name of ['kim', '\u212A\u0130M', 'ｋi\u200Bｍ'])
    t.equal(alertOn(asPage(await signIn(name, 'wrong'))), SAID.login_failed)
  forget()
  t.match(alertOn(asPage(await signIn(...signInAs('kim')))), /Too many attempts/)
  t.same(asked(), [], 'nothing is asked then')
  pass(61)
  t.ok('location' in (await signIn(...signInAs('kim'))))
})

t.test('the second step of redmint follows the password of the directory', async (t) => {
  const { settings, asked, forget } = await startFakeDirectory(t, [personNamed('carol')])
  const { fastify, signIn, visitor, claims } = await scene(t, settings)
  await signIn(...signInAs('carol'))
  const { redmint } = fastify
  const { begun, key } = await beginTotp(redmint, 'carol')
  await confirmTotp(redmint, 'carol', begun, appCode(key, redmint.now() - 30_000))
  const carol = visitor()
  const step = asPage(await signInOn(carol, await carol.page(OWN), ...signInAs('carol')))
  t.ok(asksForCode(step))
  forget()
  const done = await carol.submit(step, { code: appCode(key, redmint.now()) })
  t.match(await claims(done), { acr: '2', amr: ['pwd', 'otp', 'mfa'] })
  t.same(asked(), [], 'the directory is not asked about the code')
  const dave = visitor()
  const demanding = await dave.page(requestUrl({ client_id: 'own', acr_values: '2' }))
  t.ok(demanding.text.includes('name="password"'))
})

t.test(
  'who belongs to the directory comes in by another way only while it has an entry that is not disabled',
  async (t) => {
    const people: FakeEntry[] = [personNamed('carol'), personNamed('dave')]
    const instead: { now?: () => boolean } = {}
    const { settings } = await startFakeDirectory(t, people, instead)
    const both = {
      ...settings,
      sign_in: 'password,directory',
      directory_timing: { connect: 3000, answer: 3000 },
    }
    const { signIn, storage, user, visitor, pass } = await scene(t, both)
    const carol = visitor()
    await carol.submit(await carol.page(OWN), {
      username: 'carol',
      password: 'password of carol',
      method: 'directory',
    })
    const { password_hash = '' } = (await user('alice')) ?? {}
    await changeUser(storage, 'carol', { set: { password_hash } })
    t.ok('location' in (await signIn('carol', PASSWORD)))
    t.equal(alertOn(asPage(await signIn('nobody', PASSWORD))), SAID.login_failed, 'nobody is not looked for')
    people.splice(0, 1, personNamed('carol', { userAccountControl: ['514'] }))
    t.equal(alertOn(asPage(await signIn('carol', PASSWORD))), SAID.login_failed, 'disabled there')
    people.splice(0, 1)
    t.equal(alertOn(asPage(await signIn('carol', PASSWORD))), SAID.login_failed, 'gone')
    instead.now = () => true
    t.equal(asPage(await signIn('carol', PASSWORD)).status, 503, 'nobody knows')
    t.ok('location' in (await signIn('alice', PASSWORD)), 'who does not belong to it is let in')
    pass(3)
  },
)

t.test('by another way somebody comes in as whom the directory describes now', async (t) => {
  const entry = personNamed('carol', { memberOf: [`cn=admins,${FAKE_BASE}`, `cn=staff,${FAKE_BASE}`] })
  const people = [entry]
  const { settings } = await startFakeDirectory(t, people)
  const options = { ...settings, sign_in: 'password,directory', ldap_group_attribute: 'memberOf' }
  const { signIn, storage, user, visitor } = await scene(t, options)
  const carol = visitor()
  await carol.submit(await carol.page(OWN), {
    username: 'carol',
    password: 'password of carol',
    method: 'directory',
  })
  t.match(await user('carol'), { 'claim:groups': '["admins","staff"]' })
  const { password_hash = '' } = (await user('alice')) ?? {}
  await changeUser(storage, 'carol', { set: { password_hash } })
  people.splice(0, 1, {
    ...entry,
    attributes: { ...entry.attributes, cn: ['Carol Other'], memberOf: [`cn=staff,${FAKE_BASE}`] },
  })
  t.ok('location' in (await signIn('carol', PASSWORD)))
  t.match(await user('carol'), { name: 'Carol Other', 'claim:groups': '["staff"]' })
  people.splice(0, 1, { ...entry, attributes: { ...entry.attributes, nsAccountLock: ['TRUE'] } })
  t.equal(alertOn(asPage(await signIn('carol', PASSWORD))), SAID.login_failed, 'locked there')
})

t.test('at refresh the directory is asked again, at most every quarter of an hour', async (t) => {
  const entry = personNamed('carol', { memberOf: [`cn=staff,${FAKE_BASE}`] })
  const people = [entry]
  const instead: { now?: () => boolean } = {}
  const { settings, asked, forget } = await startFakeDirectory(t, people, instead)
  const { signIn, user, token, pass } = await scene(t, {
    ...settings,
    ldap_group_attribute: 'memberOf',
    directory_timing: { connect: 3000, answer: 3000 },
  })
  const code = asDeparture(await signIn(...signInAs('carol'))).told.get('code') ?? ''
  let { json } = await token(codeRequest(code, { client_id: 'own' }))
  const refresh = async () => {
    const { refresh_token } = json as { refresh_token: string }
    const answer = await token({ grant_type: 'refresh_token', refresh_token, client_id: 'own' })
    if (answer.status === 200) ({ json } = answer)
    return answer.status
  }
  // The signing keys are read again once the clock has jumped.
  const refreshAfter = async (seconds: number) => {
    pass(seconds)
    await until('a refresh is answered', async () => (await refresh()) === 200)
  }
  forget()
  t.equal(await refresh(), 200)
  t.equal(asked().length, 1)
  t.equal(await refresh(), 200)
  t.equal(asked().length, 1, 'it was asked just now')
  await refreshAfter(-60)
  t.equal(asked().length, 2, 'the clock was set back: nobody knows when that was')
  people.splice(0, 1, { ...entry, attributes: { ...entry.attributes, memberOf: [] } })
  await refreshAfter(15 * 60)
  t.match(await user('carol'), { 'claim:groups': '[]' }, 'the groups of now')
  people.splice(0, 1, { ...entry, attributes: { ...entry.attributes, nsAccountLock: ['TRUE'] } })
  t.equal(await refresh(), 200)
  instead.now = () => true
  // While it does not answer, what it said counts.
  await refreshAfter(15 * 60)
  delete instead.now
  pass(3)
  t.equal(await refresh(), 400, 'locked there')
  people.splice(0, 1, entry)
  t.equal(await refresh(), 400, 'the grant has ended')
})
