import { claimsOf, claimsOfScope } from '../claims/claims.ts'
import type { Settings } from '../config/settings.ts'
import { actorsOf } from '../core/actor.ts'
import { actingRefused, invalidToken } from '../core/bearer-errors.ts'
import { type Showing, type StepContext, shownStep, tellShown, tellStep } from '../core/connection-steps.ts'
import { parseObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { FieldReader } from '../core/record-hash.ts'
import { resourceId } from '../core/resource-uri.ts'
import type { Sealer } from '../keys/sealer.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import { findAccount } from '../tokens/token-account.ts'
import type { ValidationContext } from '../tokens/validation.ts'
import { groupsOf, mayUse, suffices } from '../users/client-access.ts'
import type { User } from '../users/user-record.ts'
import type { ForwardedApplication } from './forwarded.ts'

type CurrentUserContext = ValidationContext &
  StepContext & {
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
  { host, client }: ForwardedApplication,
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
  if (user === undefined) return undefined
  const { token: shown } = result
  tellStep(context, () => shownStep(shown, { endpoint: 'forward_auth' }))
  return headersOf(context, user, scope)
}

/**
 * Returns the headers of the person whose access token came with a request to an application: a token of any client that
 * is for the origin of the application. What the application's client asks of a sign-in is asked of the token, too.
 * @throws OAuthError `invalid_token`; StorageUnavailable
 */
export function tokenUser(
  context: CurrentUserContext,
  application: ForwardedApplication,
  presented: string,
): Promise<IdentityHeaders> {
  const { client_id: by } = application.client
  return tellShown(context, { endpoint: 'forward_auth', by }, (showing) =>
    userOfToken(context, application, presented, showing),
  )
}

async function userOfToken(
  context: CurrentUserContext,
  { origin, client }: ForwardedApplication,
  presented: string,
  showing: Showing,
): Promise<IdentityHeaders> {
  const result = await validateAccessToken(context, presented, true)
  showing.found = result
  if (!result.valid) throw invalidToken('token_invalid', result.reason)
  const { token, client: holder } = result
  // Those of the issuer are for every client of it.
  if (!token.audience?.some((uri) => resourceId(uri) === origin))
    throw invalidToken('token_of_other_audience', 'it is not for the application', undefined, undefined, {
      received: { audience: token.audience ?? [] },
      expected: { audience: origin },
    })
  // The application learns of the person alone, and would take the actor for that one.
  if (token.act !== undefined) throw actingRefused(actorsOf(token.act).length)
  // Nothing proves here who holds its key.
  if (token.confirmation !== undefined) throw invalidToken('token_invalid', 'it is bound to a key')
  const { username } = new FieldReader(token.grant ?? {}).given(['username'])
  const { subject, scope } = token
  const user = holder && (await findAccount(context, holder, { subject, ...(username && { username }) }))
  if (user === undefined) throw invalidToken('token_invalid', 'it is of no person')
  if (!mayUse(client, user, context.settings) || !suffices(client, token.acr))
    throw invalidToken(
      'token_invalid',
      'its user, or how the user signed in, does not suffice for the client',
    )
  const told = scope.split(' ').filter((name) => client.allowed_scopes.includes(name))
  return headersOf(context, user, told.join(' '))
}

/** Of nobody: they replace what a sender made up. */
export const NOBODY: IdentityHeaders = {
  'remote-user': '',
  'remote-name': '',
  'remote-email': '',
  'remote-groups': '',
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
