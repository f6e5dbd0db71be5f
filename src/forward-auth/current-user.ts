import { groupsOf } from '../accounts/client-access.ts'
import type { User } from '../accounts/user-record.ts'
import { claimsOf, claimsOfScope } from '../claims/claims.ts'
import type { Settings } from '../config/settings.ts'
import { parseObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { FieldReader } from '../core/record-hash.ts'
import type { Sealer } from '../keys/sealer.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import { findAccount } from '../tokens/token-account.ts'
import type { ValidationContext } from '../tokens/validation.ts'
import type { Application } from './forwarded.ts'

type CurrentUserContext = ValidationContext & {
  readonly settings: ValidationContext['settings'] & Pick<Settings, 'scope_claims'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly log: Log
}

/** What an application is told, by header: each is always sent, so that it replaces one that a client made up. */
export interface IdentityHeaders extends Readonly<Record<string, string>> {
  'remote-user': string
  'remote-name': string
  'remote-email': string
  'remote-groups': string
}

/**
 * Returns the headers of the user who is signed in at an application; undefined if there is none any more. The token of
 * the browser, its client, its account and its groups are looked at each time.
 * @param kept what the browser keeps for the host
 * @throws StorageUnavailable
 */
export async function currentUser(
  context: CurrentUserContext,
  { host, client }: Application,
  kept: string | undefined,
): Promise<IdentityHeaders | undefined> {
  const opened = kept === undefined ? undefined : context.sealer.open('forward', kept)
  const { host: bound_to, token } = (opened !== undefined && parseObject(opened)) || {}
  if (bound_to !== host || typeof token !== 'string') return undefined
  const result = await validateAccessToken(context, token, true)
  if (!result.valid || result.token.client_id !== client.client_id) return undefined
  const { subject, scope, grant = {} } = result.token
  const { username } = new FieldReader(grant).given(['username'])
  const user = await findAccount(context, client, { subject, ...(username && { username }) })
  return user && headersOf(context, user, scope)
}

/** Names what the granted scopes release, as user information does. */
function headersOf({ settings, log }: CurrentUserContext, user: User, scope: string): IdentityHeaders {
  const released = claimsOfScope(scope, settings.scope_claims)
  const { name = '', email = '' } = claimsOf(user, released, log)
  const groups = released.includes(settings.groups_claim) ? groupsOf(user, settings) : []
  return {
    'remote-user': headerText(user.username),
    'remote-name': headerText(name),
    'remote-email': headerText(email),
    // A comma in the name of a group must not make two of it.
    'remote-groups': groups.map((group) => headerText(group.replace(/[%,]/g, encodeURIComponent))).join(','),
  }
}

/** A text as the value of a header: UTF-8 as its bytes, and no control characters. */
function headerText(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}/gu, ' ').trim()).toString('latin1')
}
