// Sign-in by a directory: who gets in, as whom, and what nobody learns.
import t from 'tap'
import { Directory } from '../../../../src/directory/directory.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { userRecord } from '../../../support/accounts.ts'
import {
  FAKE_BASE,
  type FakeEntry,
  type Instead,
  personNamed,
  resultOf,
  startFakeDirectory,
} from '../../../support/directory/fake-directory.ts'
import { OWN, optionsOf } from '../../../support/directory/settings.ts'
import { changeUser, createUser } from '../../../support/records.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asPage, withoutTransaction } from '../../../support/visitor.ts'

const SAID = en.messages
const LINKS = 'urn:redmint:directory'
const withoutCsrf = (text: string) => withoutTransaction(text).replace(/(name="csrf" value=")[\w.-]+/g, '$1…')
const idOf = ({ attributes }: FakeEntry) => String(attributes.entryUUID?.[0])

t.test('with SIGN_IN=directory alone, no password of redmint lets anybody in', async (t) => {
  const carol = personNamed('carol')
  const { settings } = await startFakeDirectory(t, [carol])
  const { visitor, signIn, claims, user } = await scene(t, settings)
  const page = await visitor().page(OWN)
  t.match(page.text, /name="password"/)
  t.notMatch(page.text, /value="directory"/, 'there is nothing to choose')
  const first = await claims(await signIn('carol', 'password of carol'))
  t.match(first, { amr: ['pwd'], acr: '1' })
  const link = linkOf(LINKS, idOf(carol))
  t.match(await user('carol'), { sub: first.sub, linked_subjects: link, name: 'Name of carol' })
  t.equal((await claims(await signIn('CAROL', 'password of carol'))).sub, first.sub, 'the second time')
  t.equal(alertOn(asPage(await signIn('alice', 'correct horse battery staple'))), SAID.login_failed)
  const alice = visitor()
  const forced = await alice.submit(await alice.page(OWN), {
    username: 'alice',
    password: 'correct horse battery staple',
    method: 'pwd',
  })
  t.equal(alertOn(asPage(forced)), SAID.login_failed, 'whatever method the form names')
})

t.test('where the directory has all passwords, redmint offers no new one', async (t) => {
  const { settings } = await startFakeDirectory(t, [])
  const mail = { smtp_url: 'smtp://127.0.0.1:1', mail_from: 'login@example.com' }
  for (const [sign_in, status] of [
    ['directory', 404],
    ['password,directory', 200],
  ] as const) {
    const { visitor, get } = await scene(t, { ...settings, ...mail, sign_in })
    const { text } = await visitor().page(OWN)
    t.equal(text.includes('/forgot-password'), status === 200, sign_in)
    t.equal((await get('/forgot-password')).status, status)
  }
})

t.test('an unknown name and a wrong password look the same, and ask the same', async (t) => {
  const disabled = personNamed('dora', { userAccountControl: ['514'] })
  const twin = { ...personNamed('twin'), dn: `cn=twin,${FAKE_BASE}` }
  const people = [personNamed('carol'), disabled, personNamed('twin'), twin]
  const { settings, asked, forget } = await startFakeDirectory(t, people)
  const { signIn, log } = await scene(t, settings)
  const pages = new Map<string, string>()
  for (const [name, password] of [
    ['nobody', 'password of carol'],
    ['carol', 'wrong'],
    ['dora', 'password of dora'],
    ['twin', 'password of twin'],
  ] as const) {
    forget()
    const page = asPage(await signIn(name, password))
    t.equal(alertOn(page), SAID.login_failed, name)
    const search = `search (&(objectclass=inetorgperson)(uid=${name}))`
    t.same(asked(), [search, 'bind'], name)
    pages.set(name, withoutCsrf(page.text).replaceAll(name, '…'))
  }
  t.equal(new Set(pages.values()).size, 1)
  t.match(log.join(''), /finds several entries for one name/, 'operators learn why')
})

t.test('a password that is empty or ends early is shown to nobody (RFC 4513 §5.1.2)', async (t) => {
  const { settings, asked } = await startFakeDirectory(t, [personNamed('carol')])
  const { signIn } = await scene(t, settings)
  t.equal(alertOn(asPage(await signIn('carol', ''))), SAID.login_failed)
  const directory = new Directory(await optionsOf(settings))
  for (const password of ['', '\0', '\0password of carol'])
    t.equal(await directory.showPassword(personNamed('carol').dn, password), 'refused')
  t.same(asked(), [], 'nothing was asked')
})

t.test('a right password that must be changed is no guess, and the page leads to a new one', async (t) => {
  const entry = personNamed('carol')
  const says: { now?: Instead } = {}
  const { settings } = await startFakeDirectory(t, [entry], says)
  const { signIn, log } = await scene(t, {
    ...settings,
    sign_in_failures: 2,
    change_password_url: 'https://passwords.example.com/',
  })
  const bindsWith =
    (code: number, more: { text?: string; policy?: number }): Instead =>
    (asked, socket, id) => {
      if (asked.ask !== 'bind') return false
      socket.write(resultOf(id, 0x61, code, more))
      return true
    }
  const active_directory = (data: string) =>
    `80090308: LdapErr: DSID-0C09050F, comment: AcceptSecurityContext error, data ${data}, v4563`
  for (const now of [
    bindsWith(49, { text: active_directory('773') }),
    bindsWith(49, { text: active_directory('532') }),
    bindsWith(49, { policy: 0 }),
    bindsWith(53, { policy: 0 }),
    bindsWith(0, { policy: 2 }),
  ]) {
    says.now = now
    const page = asPage(await signIn('carol', 'password of carol'))
    t.match(alertOn(page), SAID.directory_password_expired)
    t.match(page.text, /href="https:\/\/passwords\.example\.com\/"/)
  }
  t.match(log.join(''), /"reason":"password_expired"/)
  for (const now of [
    bindsWith(49, { text: active_directory('52e') }),
    bindsWith(49, { text: 'data 773' }),
    bindsWith(49, { policy: 1 }),
  ]) {
    says.now = now
    const page = asPage(await signIn('carol', 'password of carol'))
    t.notMatch(alertOn(page), SAID.directory_password_expired)
  }
  t.match(alertOn(asPage(await signIn('carol', 'password of carol'))), /15/, 'guesses count')
})

t.test('a part of the groups of a person is never taken for all', async (t) => {
  const entry = personNamed('carol', { memberOf: [`cn=staff,${FAKE_BASE}`] })
  const people = [entry]
  const { settings } = await startFakeDirectory(t, people)
  const options = { ...settings, ldap_group_attribute: 'memberOf' }
  const { signIn, user, log, pass } = await scene(t, options)
  await signIn('carol', 'password of carol')
  t.match(await user('carol'), { 'claim:groups': '["staff"]' })
  const many = Array.from({ length: 501 }, (_, at) => `cn=g${at},${FAKE_BASE}`)
  for (const attributes of [{ 'memberOf;range=0-1': many.slice(0, 2) }, { memberOf: many }]) {
    people.splice(0, 1, { ...entry, attributes: { ...entry.attributes, memberOf: [], ...attributes } })
    t.equal(asPage(await signIn('carol', 'password of carol')).status, 503)
    t.match(await user('carol'), { 'claim:groups': '["staff"]' })
    pass(3)
  }
  t.match(log.join(''), /"problem":"partial"/)
})

t.test('what is typed is a value and no part of the filter (RFC 4515 §3)', async (t) => {
  const { settings, asked, forget } = await startFakeDirectory(t, [personNamed('carol')])
  const { signIn } = await scene(t, { ...settings, sign_in_failures: 100 })
  for (const [name, value] of [
    ['*', '\\2a'],
    ['car*', 'car\\2a'],
    ['x)(uid=*', 'x\\29\\28uid=\\2a'],
    ['*)(|(uid=*', '\\2a\\29\\28|\\28uid=\\2a'],
    ['\\2a', '\\5c2a'],
  ] as const) {
    forget()
    t.equal(alertOn(asPage(await signIn(name, 'password of carol'))), SAID.login_failed, name)
    t.same(asked()[0], `search (&(objectclass=inetorgperson)(uid=${value}))`, name)
  }
  forget()
  for (const name of ['x'.repeat(10_000), 'ca rol', 'carol:', ' ', ''])
    t.equal(alertOn(asPage(await signIn(name, 'password of carol'))), SAID.login_failed)
  t.same(asked(), [], 'what no name can be is not looked for')
})

t.test('F1 an account with the same name or address is never taken over', async (t) => {
  const people = ['alice', 'carol', 'dave'].map((uid) => personNamed(uid))
  const { settings } = await startFakeDirectory(t, people)
  const { signIn, claims, user, storage, setFields } = await scene(t, settings)
  const before = await user('alice')
  t.equal(alertOn(asPage(await signIn('alice', 'password of alice'))), SAID.directory_known)
  t.same(await user('alice'), before)
  await createUser(storage, 'other', await userRecord('sub-of-other', {}))
  await setFields('other', { email: 'carol@example.com', email_verified: 'true' })
  t.equal(alertOn(asPage(await signIn('carol', 'password of carol'))), SAID.directory_known, 'an address')
  t.notOk(await user('carol'))
  await setFields('alice', { linked_subjects: linkOf(LINKS, idOf(people[0] as FakeEntry)) })
  t.equal(
    (await claims(await signIn('alice', 'password of alice'))).sub,
    'sub-of-alice',
    'an operator linked it',
  )
})

t.test('who was renamed stays the same person, and nobody else becomes this one', async (t) => {
  const carol = personNamed('carol')
  const people = [carol]
  const { settings } = await startFakeDirectory(t, people)
  const { signIn, claims } = await scene(t, settings)
  const { sub } = await claims(await signIn('carol', 'password of carol'))
  const renamed = personNamed('caroline', { entryUUID: [idOf(carol)] })
  people.splice(0, 1, renamed, personNamed('carol', { entryUUID: ['another-id'], mail: [] }))
  t.equal((await claims(await signIn('caroline', 'password of caroline'))).sub, sub)
  t.equal(alertOn(asPage(await signIn('carol', 'password of carol'))), SAID.directory_known)
})

t.test('with LDAP_CREATES_USERS=false only who is linked has an account', async (t) => {
  const carol = personNamed('carol')
  const { settings } = await startFakeDirectory(t, [carol])
  const { signIn, claims, user, setFields } = await scene(t, {
    ...settings,
    ldap_creates_users: false,
  })
  t.equal(alertOn(asPage(await signIn('carol', 'password of carol'))), SAID.directory_no_account)
  t.notOk(await user('carol'))
  await setFields('bob', { linked_subjects: linkOf(LINKS, idOf(carol)) })
  t.equal((await claims(await signIn('carol', 'password of carol'))).sub, 'sub-of-bob')
  await setFields('alice', { linked_subjects: linkOf(LINKS, idOf(carol)) })
  t.equal(alertOn(asPage(await signIn('carol', 'password of carol'))), SAID.provider_several)
})

t.test('a user who is disabled here does not sign in, and nothing of the record changes', async (t) => {
  const people = [personNamed('carol')]
  const { settings } = await startFakeDirectory(t, people)
  const { signIn, user, storage } = await scene(t, settings)
  await signIn('carol', 'password of carol')
  await changeUser(storage, 'carol', { set: { disabled: 'true' } })
  people.splice(0, 1, personNamed('carol', { cn: ['Another name'] }))
  t.equal(alertOn(asPage(await signIn('carol', 'password of carol'))), SAID.login_failed)
  t.match(await user('carol'), { name: 'Name of carol' })
})

t.test('Active Directory: the id is objectGUID, whatever bytes it has', async (t) => {
  const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
  const ascii = Buffer.from('an id of letters')
  const person = (name: string, objectGUID: Buffer, control: string): FakeEntry => ({
    dn: `CN=${name},CN=Users,${FAKE_BASE}`,
    password: `password of ${name}`,
    attributes: {
      sAMAccountName: [name],
      objectGUID: [objectGUID],
      cn: [name],
      userAccountControl: [control],
    },
  })
  const people = [person('carol', guid, '512'), person('dave', ascii, '66048')]
  const { settings } = await startFakeDirectory(t, people)
  const { signIn, user } = await scene(t, {
    ...settings,
    ldap_user_filter: '(&(objectClass=user)(sAMAccountName={username}))',
    ldap_username_attribute: 'sAMAccountName',
    ldap_id_attribute: 'objectGUID',
  })
  await signIn('carol', 'password of carol')
  t.match(await user('carol'), { linked_subjects: `${LINKS}#33221100-5544-7766-8899-aabbccddeeff` })
  await signIn('dave', 'password of dave')
  t.match(await user('dave'), { linked_subjects: `${LINKS}#${'69206e61-2064-666f-206c-657474657273'}` })
})

t.test(
  'beside passwords of redmint the directory has a button, and neither is shown what is for the other',
  async (t) => {
    const { settings, passwords } = await startFakeDirectory(t, [personNamed('carol'), personNamed('alice')])
    const { visitor, claims, signIn } = await scene(t, {
      ...settings,
      sign_in: 'password,directory',
    })
    t.equal((await claims(await signIn('alice', 'correct horse battery staple'))).sub, 'sub-of-alice')
    t.same(passwords(), [], 'the directory did not see it')
    const carol = visitor()
    const page = await carol.page(OWN)
    t.match(page.text, new RegExp(`value="directory">${SAID.directory_sign_in}<`))
    t.equal(alertOn(asPage(await signInOn(carol, page, 'carol', 'password of carol'))), SAID.login_failed)
    t.same(passwords(), [])
    const found = await carol.submit(page, {
      username: 'carol',
      password: 'password of carol',
      method: 'directory',
    })
    t.match(await claims(found), { amr: ['pwd'] })
    const other = visitor()
    const taken = await other.submit(await other.page(OWN), {
      username: 'alice',
      password: 'password of alice',
      method: 'directory',
    })
    t.equal(alertOn(asPage(taken)), SAID.directory_known, 'its texts are on the first page, too')
  },
)
