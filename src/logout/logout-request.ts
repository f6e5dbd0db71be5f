import type { Client } from '../clients/client-record.ts'
import { matchesRedirectUri } from '../clients/redirect-uri.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Context } from '../context.ts'
import type { Parameters } from '../core/parameters.ts'
import { withQuery } from '../core/uri.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import { type IdTokenHint, verifyIdToken } from '../tokens/id-token.ts'

/** Every parameter that a logout request can have a use for (OpenID Connect RP-Initiated Logout §2). */
export const LOGOUT_PARAMETERS = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
] as const

/** A logout request, as far as it can be believed. */
export interface LogoutRequest {
  /** Whose id_token came with it, and from which client. */
  readonly hint?: { readonly client: Client; readonly token: IdTokenHint }
  /** Where the browser goes when the session is over; only readLogoutRequest makes one, after it found all of it right. */
  readonly return_to?: string
  /** What is wrong with it. It leads nowhere then, and ends nothing by itself. */
  readonly fault?: string
}

/**
 * Reads a logout request. A faulty one is one all the same: a person who wants to sign out must not be kept from it by
 * what a client did wrong.
 * @throws StorageUnavailable
 */
export async function readLogoutRequest(context: Context, parameters: Parameters): Promise<LogoutRequest> {
  const { id_token_hint, client_id, post_logout_redirect_uri: uri, state } = parameters
  if (id_token_hint === undefined) {
    return uri === undefined ? {} : { fault: 'post_logout_redirect_uri needs an id_token_hint' }
  }
  const token = await verifyIdToken(context, id_token_hint)
  if (token === undefined) return { fault: 'id_token_hint is no id_token of this server' }
  const client = await context.clients.find(token.client_id)
  if (client === undefined) return { fault: 'the client of the id_token_hint is unknown or disabled' }
  if (client_id !== undefined && client_id !== client.client_id) {
    return { fault: 'client_id is not that of the id_token_hint' }
  }
  const hint = { client, token }
  if (uri === undefined) return { hint }
  if (!matchesRedirectUri(uri, client.post_logout_redirect_uris)) {
    return { hint, fault: 'post_logout_redirect_uri is none that the client registered' }
  }
  return { hint, return_to: state === undefined ? uri : withQuery(uri, { state }) }
}

/** Whether the client that asks for a logout means this very session. */
export function isAbout(
  { hint, fault }: LogoutRequest,
  session: Pick<SessionRecord, 'sid' | 'sub'>,
  settings: Context['settings'],
): boolean {
  if (hint === undefined || fault !== undefined) return false
  const { client, token } = hint
  return token.sid === undefined
    ? token.sub === subjectFor(client, session.sub, settings)
    : token.sid === session.sid
}
