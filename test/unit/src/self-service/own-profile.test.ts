import t from 'tap'
import type { Settings } from '../../../../src/config/settings.ts'
import { changeableFields } from '../../../../src/self-service/own-profile.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { DIRECTORY_LINKS } from '../../../../src/users/user-fields.ts'
import type { User } from '../../../../src/users/user-record.ts'

const ALL = ['name', 'given_name', 'family_name', 'locale', 'nickname'] as const
const PROVIDER = 'https://idp.example.com'

/** What somebody may change. */
async function fieldsOf(settings: Partial<Settings>, user: Partial<User>, source?: object) {
  const storage = new MemoryStorage()
  for (let i = 0; i < 120; i += 1) {
    const hash = {
      issuer: i === 119 ? PROVIDER : `https://p${i}.example.com`,
      client_id: 'x',
      client_secret: 'y',
    }
    await storage.records.create({
      kind: { name: 'provider', listed: true } as never,
      id: `p-${String(i).padStart(3, '0')}`,
      hash,
    })
  }
  const context = {
    storage,
    settings: {
      account_fields: ALL,
      sign_in: 'password',
      ldap_claims: 'name=cn;email=mail',
      ...settings,
    } as unknown as Settings,
    ...(source && { account_source: source as never }),
  }
  return changeableFields(context, user as User)
}

const linked = (issuer: string) => ({ linked_subjects: [`${issuer}#1`] })

t.test('what no other system says at a sign-in can be changed', async (t) => {
  t.strictSame(await fieldsOf({}, {}), ALL)
  t.strictSame(await fieldsOf({ sign_in: 'providers' }, linked('https://trusted.example.com')), ALL)
  t.strictSame(await fieldsOf({}, linked(PROVIDER)), ALL, 'nobody signs in by providers')
  t.strictSame(await fieldsOf({}, linked(DIRECTORY_LINKS)), ALL, 'there is no directory any more')
})

t.test('what one says cannot', async (t) => {
  t.strictSame(await fieldsOf({}, { managed_by: 'team' }), [], 'a file')
  t.strictSame(await fieldsOf({ login_url: 'https://app.example.com' }, {}), [], 'a page of an application')
  t.strictSame(await fieldsOf({}, {}, {}), [], 'an application in the same process')
  const directory = { ldap_url: 'ldaps://ldap.example.com' }
  t.strictSame(
    await fieldsOf(directory, linked(DIRECTORY_LINKS)),
    ['given_name', 'family_name', 'locale', 'nickname'],
    'a directory: what it has an attribute for',
  )
  for (const sign_in of ['providers', 'provider:p-119'])
    t.strictSame(await fieldsOf({ sign_in }, linked(PROVIDER)), ['nickname'], 'a provider, the last of many')
})
