import { type Static, Type } from '@sinclair/typebox'
import { ConfigError } from '../config/config-error.ts'
import type { Settings } from '../config/settings.ts'
import { present } from '../core/present.ts'
import { askDirectory } from '../directory/checks.ts'
import type { ExaminedEntry } from '../directory/examine.ts'
import { ownerOfLink } from '../users/links.ts'
import { type AdminContext, byName, type OperationOutcome, operation } from './operation/operation.ts'
import { AdminError } from './operation/problem.ts'

const Text = Type.String()

const Entry = Type.Object(
  {
    dn: Text,
    is_disabled: Type.Boolean({ description: 'Whether the directory lets nobody in by it' }),
    id: Type.Optional(Type.String({ description: 'Absent: it has none, so that nobody can sign in by it' })),
    username: Type.Optional(Type.String({ description: 'Absent: the person has no name there' })),
    groups: Type.Optional(Type.Array(Text, { description: 'Absent: groups are not read' })),
    claims: Type.Record(Text, Text, { description: 'What a sign-in takes over' }),
    linked_subject: Type.Optional(Type.String({ description: 'By which an account is linked with it' })),
    account: Type.Optional(
      Type.String({ description: 'The username of the account here; absent: see accounts' }),
    ),
    accounts: Type.Unsafe<'none' | 'made' | 'one' | 'several'>(
      Type.String({
        enum: ['none', 'made', 'one', 'several'],
        description: 'How many accounts are linked with it; `made`: none, and the first sign-in makes one',
      }),
    ),
    wrong: Type.Array(Text, { description: 'Why nobody can sign in by it' }),
  },
  { additionalProperties: false },
)

const Tested = Type.Object(
  {
    server: Type.String({ description: 'Host and port' }),
    wrong: Type.Optional(
      Type.Object(
        { found: Text, advice: Text },
        { additionalProperties: false, description: 'Why it cannot be used; absent: it can' },
      ),
    ),
    entries: Type.Optional(
      Type.Unsafe<'none' | 'one' | 'several'>(
        Type.String({
          enum: ['none', 'one', 'several'],
          description:
            'How many entries the name has; absent: nobody was looked for. Nobody gets in by several',
        }),
      ),
    ),
    entry: Type.Optional(Entry),
  },
  { $id: 'redmint:TestedDirectory', additionalProperties: false },
)
type Tested = Static<typeof Tested>

const test = operation({
  name: 'test_directory',
  summary: 'Ask the directory what is wrong, and what it has for a name',
  method: 'POST',
  path: '/server/directory/test',
  scope: 'redmint:users:read',
  body: Type.Object(
    { username: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })) },
    { additionalProperties: false },
  ),
  answer: Tested,
  refusal: ({ ldap_url }) =>
    ldap_url === undefined ? 'There is no directory: LDAP_URL is not set.' : undefined,
  async run(context, { body: { username } }): Promise<OperationOutcome<Tested>> {
    const { at: server, found } = await askDirectory(context, username).catch((error: unknown) => {
      throw error instanceof ConfigError ? new AdminError('misconfigured', error.message) : error
    })
    if (found.wrong !== undefined) return { body: { server, wrong: found.wrong } }
    if (username === undefined) return { body: { server } }
    if (typeof found.entry === 'string')
      return { body: { server, entries: found.entry === 'nobody' ? 'none' : 'several' } }
    const entry = await describe(context, found.entry)
    return { body: { server, entries: 'one', entry }, shows: entry.account }
  },
})

/** What operators ask of the directory. */
export const DIRECTORY_OPERATIONS = byName(test)

async function describe(
  { storage, settings }: Pick<AdminContext, 'storage' | 'settings'>,
  { dn, is_disabled, id, username, groups, person }: ExaminedEntry,
): Promise<NonNullable<Tested['entry']>> {
  const link = person?.link
  const owner = link === undefined ? 'nobody' : await ownerOfLink({ storage }, link)
  return {
    ...present({ dn, is_disabled, id, username, groups: groups && [...groups], linked_subject: link }),
    claims: claimsOf(person),
    ...accountOf(owner, settings),
    wrong: [
      ...(id === undefined ? [`The entry has no ${settings.ldap_id_attribute}: see LDAP_ID_ATTRIBUTE.`] : []),
      ...(username === undefined
        ? [`The entry has no ${settings.ldap_username_attribute}: see LDAP_USERNAME_ATTRIBUTE.`]
        : []),
      ...(is_disabled ? ['The directory disabled it.'] : []),
    ],
  }
}

/** The groups are beside the claims. */
function claimsOf(person: ExaminedEntry['person']): Record<string, string> {
  const fields = Object.entries(person?.fields ?? {}).filter(([name]) => !name.startsWith('claim:'))
  return { ...(person?.email && { email: person.email.text }), ...Object.fromEntries(fields) }
}

function accountOf(
  owner: Awaited<ReturnType<typeof ownerOfLink>>,
  { ldap_creates_users }: Pick<Settings, 'ldap_creates_users'>,
): Pick<NonNullable<Tested['entry']>, 'account' | 'accounts'> {
  if (owner === 'several') return { accounts: 'several' }
  if (owner === 'nobody') return { accounts: ldap_creates_users ? 'made' : 'none' }
  return { account: owner.user.username, accounts: 'one' }
}
