import type { ClientRegistry } from '../clients/client-registry.ts'
import { describedItself } from '../clients/keys/client-keys.ts'
import type { Client } from '../clients/record/client-record.ts'
import {
  loggedAddress,
  matchesRedirectUri,
  nearestRedirectUri,
  portRuleOf,
} from '../clients/record/redirect-uri.ts'
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
  /** The client that asks. Absent if the request names none, or one that nothing depends on. */
  readonly client?: Client
  /** Whether an id_token proves that the user signed in to the client; otherwise anybody can name it. */
  readonly is_proven?: boolean
  /** The verified id_token_hint. */
  readonly hint?: IdTokenHint
  /** The redirect URI after the logout. Only set if the whole request is valid. */
  readonly return_to?: string
  /** Why the browser returns only to a client that the user signed in to in the session that ends. */
  readonly needs_session?: string
  /** The problem of an invalid request. It does not return to a client, and ends a session only if the user agrees. */
  readonly fault?: string
}

/** The dependencies of readLogoutRequest. */
export interface LogoutRequestContext {
  readonly settings: Pick<Settings, 'demo' | 'issuer'>
  readonly clients: Pick<ClientRegistry, 'find' | 'read'>
  readonly keys: VerifyingKeys
}

/**
 * Validates a logout request. A fault is not an error, so that the user can sign out even if the client made a mistake.
 * @param is_proven whether the user is known to have signed in to the client of the client_id
 * @throws StorageUnavailable
 */
export async function readLogoutRequest(
  context: LogoutRequestContext,
  parameters: Parameters,
  is_proven = false,
): Promise<LogoutRequest> {
  const { id_token_hint, client_id, post_logout_redirect_uri: uri } = parameters
  if (id_token_hint !== undefined) {
    const hint = verifyIdToken(context, id_token_hint)
    if (hint === undefined) return { fault: 'id_token_hint is not an id_token of this server' }
    const client = await provenClient(context, hint.client_id, uri)
    if (client === undefined) return { fault: 'the client of the id_token_hint is unknown or disabled' }
    // RP-Initiated Logout §2.
    if (client_id !== undefined && client_id !== client.client_id) {
      return { fault: 'client_id differs from the client of the id_token_hint' }
    }
    return { client, is_proven: true, hint, ...readTarget(context, client, parameters) }
  }
  if (client_id === undefined) {
    return uri === undefined
      ? {}
      : { needs_session: 'post_logout_redirect_uri needs an id_token_hint or a client_id' }
  }
  const client = is_proven
    ? await provenClient(context, client_id, uri)
    : await context.clients.find(client_id)
  if (client === undefined) return { fault: 'the client of the client_id is unknown or disabled' }
  const request = { client, is_proven, ...readTarget(context, client, parameters) }
  if (is_proven || !describedItself(client) || request.return_to === undefined) return request
  // RP-Initiated Logout §3: nothing confirms where it leads to (RFC 9700 §4.11.2). The operator registered the others.
  return {
    client,
    needs_session: 'the post_logout_redirect_uri of a client that described itself needs an id_token_hint',
  }
}

/** Where the browser goes afterwards: to an address that the client registered (RP-Initiated Logout §3). */
function readTarget(
  { settings }: Pick<LogoutRequestContext, 'settings'>,
  client: Client,
  { post_logout_redirect_uri: uri, state }: Parameters,
): Pick<LogoutRequest, 'return_to' | 'fault'> {
  if (uri === undefined) return {}
  if (!returnsTo(client, uri, settings)) {
    const nearest = nearestRedirectUri(uri, client.post_logout_redirect_uris)
    const problem = `is not registered for the client: ${loggedAddress(uri)}; ${nearest}`
    return { fault: `post_logout_redirect_uri ${problem}` }
  }
  return { return_to: state === undefined ? uri : withQuery(uri, { state }) }
}

function returnsTo(client: Client, uri: string, settings: Pick<Settings, 'demo'>): boolean {
  return matchesRedirectUri(uri, client.post_logout_redirect_uris, portRuleOf(client, settings))
}

/**
 * Returns the client_id of the client that a session which ended returns to: the client that is named, or the one that
 * registered the address; undefined if the user did not sign in to it in that session.
 * @throws StorageUnavailable
 */
export async function clientOfSession(
  { clients, settings }: Pick<LogoutRequestContext, 'clients' | 'settings'>,
  { client_id, post_logout_redirect_uri: uri }: Parameters,
  joined: SessionRecord['clients'],
): Promise<ClientId | undefined> {
  if (client_id !== undefined || uri === undefined) {
    return client_id !== undefined && joined.has(client_id) ? client_id : undefined
  }
  for (const candidate of joined) {
    const client = await clients.find(candidate)
    if (client !== undefined && returnsTo(client, uri, settings)) return candidate
  }
  return undefined
}

/**
 * Returns a client that the user signed in to. Only its document says where the browser may go on to, so one that is not
 * known here is fetched; if that fails, the browser goes nowhere.
 * @throws StorageUnavailable
 */
async function provenClient(
  { clients }: LogoutRequestContext,
  client_id: ClientId,
  uri: string | undefined,
): Promise<Client | undefined> {
  const client = await clients.find(client_id)
  const is_known = client?.document_host === undefined || client.redirect_uris.length > 0
  if (is_known || uri === undefined) return client
  try {
    return await clients.read(client_id)
  } catch (error) {
    if (error instanceof OAuthError) return client
    throw error
  }
}

/** Whether a valid hint names this session, by its `sid`, or by its `sub` if it has no `sid`. */
export function isAbout(
  { client, hint, fault }: LogoutRequest,
  session: Pick<SessionRecord, 'sid' | 'sub'>,
  settings: Pick<Settings, 'pairwise_salt'>,
): boolean {
  if (client === undefined || hint === undefined || fault !== undefined) return false
  const { sid, sub } = hint
  return sid === undefined
    ? sub === subjectFor(client, session.sub, settings)
    : sid === sidFor(client, session.sid, settings)
}
