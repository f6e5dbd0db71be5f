import { isObject } from '../../../src/core/json.ts'
import { Refusal } from '../../errors.ts'
import type { Conversion, ConversionContext, ForeignFile } from './converted.ts'
import { convertClient } from './keycloak-client.ts'
import { convertUser } from './keycloak-user.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

/** What Keycloak makes in every realm, for itself. */
const BUILT_IN = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
])

/** Converts the export of a realm of Keycloak: with its users, or a file of users of an export into several files. */
export async function* convertKeycloak(file: ForeignFile, context: ConversionContext): Conversion {
  const realm = await file.json()
  if (!isObject(realm) || typeof realm.realm !== 'string')
    throw new Refusal('The file is no export of a realm of Keycloak: it has no "realm".')
  const notes = new Notes()
  const members = new Members(realm, notes)
  for (const [index, value] of members.entries('clients').entries()) {
    const place = `clients[${index}]`
    const name = isObject(value) && typeof value.clientId === 'string' ? value.clientId : ''
    if (BUILT_IN.has(name) || name === `${realm.realm}-realm`)
      yield { place, name, left_behind: 'it belongs to Keycloak itself' }
    else yield convertClient(place, name, value)
  }
  for (const [index, value] of members.entries('users').entries()) {
    const place = `users[${index}]`
    const name = isObject(value) && typeof value.username === 'string' ? value.username : ''
    if (isObject(value) && typeof value.serviceAccountClientId === 'string')
      yield { place, name, left_behind: `it stands for the client ${value.serviceAccountClientId} itself` }
    else yield convertUser(place, name, value, context)
  }
  // Exports of the admin console, and those into several files, have nobody here.
  if (realm.clients !== undefined && realm.users === undefined)
    notes.lost(
      'users',
      'nobody is in the file: export with --users realm_file, or import the files of users, too',
    )
  members.ignore('id', 'realm', 'enabled', 'keycloakVersion', 'userManagedAccessAllowed')
  // Hundreds of settings of the realm itself: only what people made in it is named.
  members.lose('redmint has groups as names in the records of their users', 'groups')
  members.lose('redmint has groups, and no roles', 'roles', 'scopeMappings', 'clientScopeMappings')
  members.lose('they are not taken over', 'identityProviders', 'identityProviderMappers')
  members.lose('set SCOPE_CLAIMS for the claims of scopes', 'clientScopes')
  members.lose('set SMTP_URL and MAIL_FROM', 'smtpServer')
  members.lose('users of a directory are not in the file', 'userFederationProviders', 'federatedUsers')
  members.lose('redmint has no organizations', 'organizations')
  members.ignore(...members.names)
  yield notes
}
