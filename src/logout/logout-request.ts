import type { Client } from '../clients/client-record.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { loggedAddress, matchesRedirectUri, nearestRedirectUri } from '../clients/redirect-uri.ts'
import { sidFor, subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'
import { withQuery } from '../core/uri.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import { type IdTokenHint, verifyIdToken } from '../tokens/id-token.ts'
import type { VerifyingKeys } from '../tokens/jws.ts'

/** The supported parameters of a logout request (OpenID Connect RP-Initiated Logout §2). */
export const LOGOUT_PARAMETERS = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
] as const

/** A logout request after validation. */
export interface LogoutRequest {
  /** The verified id_token_hint, and the client that it was issued to. */
  readonly hint?: { readonly client: Client; readonly token: IdTokenHint }
  /** The redirect URI after the logout. Only set if the whole request is valid. */
  readonly return_to?: string
  /** The problem of an invalid request. It does not return to a client, and ends a session only if the user agrees. */
  readonly fault?: string
}

/** The dependencies of readLogoutRequest. */
export interface LogoutRequestContext {
  readonly settings: Pick<Settings, 'issuer'>
  readonly clients: Pick<ClientRegistry, 'find' | 'read'>
  readonly keys: VerifyingKeys
}

/**
 * Validates a logout request. A fault is not an error, so that the user can sign out even if the client made a mistake.
 * @throws StorageUnavailable
 */
export async function readLogoutRequest(
  context: LogoutRequestContext,
  parameters: Parameters,
): Promise<LogoutRequest> {
  const { id_token_hint, client_id, post_logout_redirect_uri: uri, state } = parameters
  if (id_token_hint === undefined) {
    return uri === undefined ? {} : { fault: 'post_logout_redirect_uri needs an id_token_hint' }
  }
  const token = verifyIdToken(context, id_token_hint)
  if (token === undefined) return { fault: 'id_token_hint is not an id_token of this server' }
  const client = await clientOf(context, token.client_id, uri)
  if (client === undefined) return { fault: 'the client of the id_token_hint is unknown or disabled' }
  if (client_id !== undefined && client_id !== client.client_id) {
    return { fault: 'client_id differs from the client of the id_token_hint' }
  }
  const hint = { client, token }
  if (uri === undefined) return { hint }
  if (!matchesRedirectUri(uri, client.post_logout_redirect_uris, client.application_type)) {
    const nearest = nearestRedirectUri(uri, client.post_logout_redirect_uris)
    const problem = `is not registered for the client: ${loggedAddress(uri)}; ${nearest}`
    return { hint, fault: `post_logout_redirect_uri ${problem}` }
  }
  return { hint, return_to: state === undefined ? uri : withQuery(uri, { state }) }
}

/**
 * Returns the client of a hint. Only its document says where the browser may go on to, so one that is not known here is
 * fetched; if that fails, the browser goes nowhere.
 * @throws StorageUnavailable
 */
async function clientOf(
  { clients }: LogoutRequestContext,
  client_id: ClientId,
  uri: string | undefined,
): Promise<Client | undefined> {
  const client = await clients.find(client_id)
  const isKnown = client?.document_host === undefined || client.redirect_uris.length > 0
  if (isKnown || uri === undefined) return client
  try {
    return await clients.read(client_id)
  } catch (error) {
    if (error instanceof OAuthError) return client
    throw error
  }
}

/**
 * Whether a valid hint names this session, by its `sid`, or by its `sub` if it has no `sid`. Earlier versions gave the
 * session's own sid to pairwise clients, too.
 */
export function isAbout(
  { hint, fault }: LogoutRequest,
  session: Pick<SessionRecord, 'sid' | 'sub'>,
  settings: Pick<Settings, 'pairwise_salt'>,
): boolean {
  if (hint === undefined || fault !== undefined) return false
  const { client, token } = hint
  return token.sid === undefined
    ? token.sub === subjectFor(client, session.sub, settings)
    : token.sid === session.sid || token.sid === sidFor(client, session.sid, settings)
}
