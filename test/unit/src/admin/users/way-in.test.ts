// Whether somebody can sign in as a user, by what the account has and the settings count.
import t from 'tap'
import { noWayIn } from '../../../../../src/admin/users/way-in.ts'
import { completeSettings, type Settings } from '../../../../../src/config/settings.ts'
import { FACTORS, NO_FACTORS } from '../../../../../src/factors/factors-record.ts'
import { PROVIDER } from '../../../../../src/providers/provider-record.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { write } from '../../../../../src/storage/records.ts'

const issuer = 'https://auth.example.com'
const HASH = `$2b$10$${'a'.repeat(53)}`
const USER = { sub: 'sub-1' }
const VERIFIED = { ...USER, email: 'ada@example.com', email_verified: 'true' }
const LINKED = { ...USER, linked_subjects: 'https://idp.example.com#1' }
const RESET = 'Nobody can sign in as ada yet: redmint user reset-link ada'

async function said(
  hash: Record<string, string>,
  settings: Partial<Settings> = {},
  storage = new MemoryStorage(),
) {
  return noWayIn({ storage, settings: completeSettings({ issuer, ...settings }) }, 'ada', hash)
}

async function withPasskey(): Promise<MemoryStorage> {
  const storage = new MemoryStorage()
  const passkeys = new Map([['id', { name: 'Key' } as never]])
  await storage.records.create(write(FACTORS, 'ada', { ...NO_FACTORS, passkeys }))
  return storage
}

async function withProvider(links_by_email: 'true' | 'false'): Promise<MemoryStorage> {
  const storage = new MemoryStorage()
  const hash = { provider: 'partner', issuer: 'https://idp.example.com', client_id: 'x', links_by_email }
  await storage.records.create({ kind: PROVIDER, id: 'partner', hash })
  return storage
}

t.test('an account without any way in is named with what to do, as a word of a shell', async (t) => {
  t.equal(await said(USER), RESET)
  t.equal(await said({ ...USER, password_hash: 'nonsense' }), RESET, 'a hash that no password matches')
  t.equal(await said(LINKED), RESET, 'a link counts only where there are providers')
  t.equal(await said({ ...USER, password_hash: HASH }, { sign_in: 'passkeys' }), RESET)
  const context = { storage: new MemoryStorage(), settings: completeSettings({ issuer }) }
  t.match(await noWayIn(context, 'o&ada', USER), /^Nobody can sign in as o&ada yet: .*reset-link 'o&ada'$/)
})

t.test('where no link sets anything, the other way is named', async (t) => {
  for (const settings of [
    { sign_in: 'provider:partner' },
    { sign_in: 'directory', ldap_url: 'ldaps://ldap.example.com', ldap_base_dn: 'dc=example' },
  ])
    t.match(await said(USER, settings), /redmint user update ada --linked-subject/, settings.sign_in)
})

t.test('nothing is said of who can sign in, or shall not', async (t) => {
  t.equal(await said({ ...USER, password_hash: HASH }), undefined)
  t.equal(await said({ ...USER, disabled: 'true' }), undefined)
  t.equal(await said({}), undefined, 'a malformed record is told of elsewhere')
  t.equal(await said(USER, { login_url: 'https://app.example.com/login' }), undefined)
  t.equal(await said(LINKED, { sign_in: 'providers' }), undefined)
  t.equal(await said(USER, {}, await withPasskey()), undefined)
  t.equal(await said(USER, { passkeys: 'off' }, await withPasskey()), RESET, 'passkeys do not count then')
})

t.test('a provider that links by address brings who has a verified one', async (t) => {
  const providers = { sign_in: 'providers' }
  t.equal(await said(VERIFIED, providers, await withProvider('true')), undefined)
  t.equal(await said(VERIFIED, providers, await withProvider('false')), RESET)
  t.equal(await said({ ...VERIFIED, email_verified: 'false' }, providers, await withProvider('true')), RESET)
  t.equal(await said(VERIFIED, {}, await withProvider('true')), RESET)
})
