import type { Client } from '../clients/record/client-record.ts'
import { unauthorizedClient } from '../core/grant-errors.ts'
import { scopeNames } from '../core/scope.ts'
import { TOKEN_TYPE } from '../core/token-types.ts'
import { isLiveSession } from '../sessions/live-session.ts'
import type { Presentation } from '../storage/families.ts'
import { findLiveToken } from '../tokens/access-token.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { verifyLiveIdToken } from '../tokens/id-token.ts'
import { accountProblem, findAccount } from '../tokens/token-account.ts'
import type { User } from '../users/user-record.ts'
import { checkKey, refusalFor, signInOf } from './exchange-subject.ts'
import type { GrantContext, ProvenRequest } from './grant-handler.ts'
import { isGoneElsewhere } from './still-there.ts'

/** What proves to this server who signed in at a client. */
export const IDENTITY_TYPES: readonly string[] = [TOKEN_TYPE.id_token, TOKEN_TYPE.refresh_token]

/** The person that a client wants an identity assertion about. */
export interface IdentitySubject {
  readonly presented: Pick<Presentation, 'token' | 'type'>
  readonly sign_in: GrantFacts
  readonly user: User
  /** When what was presented ends, in seconds since 1970. */
  readonly ends_at: number
}

type Presented = Omit<IdentitySubject, 'user'>

/**
 * Returns the person of the subject token of an exchange for an identity assertion
 * (draft-ietf-oauth-identity-assertion-authz-grant-04 §4.3.3): of an id_token of the client whose session lives, or of a
 * refresh token of the client. The account counts as at a refresh.
 * @throws OAuthError `invalid_request` (RFC 8693 §2.2.2), `unauthorized_client`; StorageUnavailable
 */
export async function findIdentity(
  context: GrantContext,
  client: Client,
  token: string,
  type: string,
  { confirmation }: Pick<ProvenRequest, 'confirmation'>,
): Promise<IdentitySubject> {
  const refuse = refusalFor(client)
  const of_session = type === TOKEN_TYPE.id_token
  const found = of_session
    ? await identityOf(context, client, token)
    : await refreshedIdentity(context, client, token, confirmation)
  const { sign_in } = found
  const problem = await accountProblem(context, client, sign_in)
  const is_gone = problem === undefined && !of_session && (await isGoneElsewhere(context, client, sign_in))
  const user = problem !== undefined || is_gone ? undefined : await findAccount(context, client, sign_in)
  if (user === undefined)
    throw refuse('exchange_user', 'The person of the subject_token may not use this client.', {
      fault: problem ?? 'account',
    })
  if (of_session && !(await hasSession(context, client, user, sign_in)))
    throw refuse('exchange_session', 'The session of the id_token has ended: let the person sign in again.', {
      fault: sign_in.sid === undefined ? 'none' : 'ended',
    })
  return { ...found, user }
}

async function identityOf(context: GrantContext, client: Client, token: string): Promise<Presented> {
  const refuse = refusalFor(client)
  const read = verifyLiveIdToken(context, token)
  if (typeof read === 'string')
    throw refuse('exchange_subject', 'The subject_token is no id_token of this server, or not live.', {
      fault: read,
    })
  const { client_id, sub, jti, exp } = read
  if (client_id !== client.client_id)
    throw refuse('exchange_tie', 'The subject_token is an id_token of another client.', { client_id })
  const { family: grant } = await context.storage.families.findTokenAndFamily(jti)
  if (grant?.status !== 'active' || grant.subject !== sub)
    throw refuse('exchange_subject', 'The sign-in of the subject_token has ended.', { fault: 'grant' })
  return { presented: { token: jti, type: 'id_token' }, sign_in: signInOf(sub, grant), ends_at: exp }
}

async function refreshedIdentity(
  context: GrantContext,
  client: Client,
  token: string,
  confirmation: ProvenRequest['confirmation'],
): Promise<Presented> {
  const { refresh_tokens, client_id } = client
  if (refresh_tokens === 'never')
    throw unauthorizedClient('refresh_tokens_never', 'This client may not use refresh tokens.', {
      received: { refresh_tokens },
    })
  const refuse = refusalFor(client)
  const found = await findLiveToken(context, token, ['refresh_token'])
  if (!found.valid)
    throw refuse('exchange_subject', 'The subject_token is no refresh token of this server, or not live.', {
      fault: found.reason,
    })
  const { subject, grant, scope, expires_at, confirmation: bound } = found.token
  if (found.token.client_id !== client_id)
    throw refuse('exchange_tie', 'The subject_token is a refresh token of another client.', {
      client_id: found.token.client_id,
    })
  // As at a refresh: an operator may have said since then that it takes offline access.
  const is_used = refresh_tokens !== 'offline_access' || scopeNames(scope).includes('offline_access')
  if (grant === undefined || !is_used)
    throw refuse('exchange_subject', 'The subject_token cannot be used any more.', { fault: 'scope' })
  checkKey(client, bound, false, confirmation)
  return {
    presented: { token, type: 'refresh_token' },
    sign_in: signInOf(subject, grant),
    ends_at: Math.floor(expires_at.getTime() / 1000),
  }
}

async function hasSession(
  context: GrantContext,
  client: Client,
  user: User,
  { sid }: GrantFacts,
): Promise<boolean> {
  return sid !== undefined && (await isLiveSession(context, client, user, sid))
}
