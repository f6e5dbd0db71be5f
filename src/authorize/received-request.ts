import { invalidRequest } from '../core/errors.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { invalidRequestUri } from '../core/request-errors.ts'
import { findPushed, REQUEST_URI_PREFIX } from '../interaction/pushed-request.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { Stage } from './check-request.ts'

/** What it takes to find out what an authorization request asks for. */
export interface ReceiveContext {
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What an authorization request asks for, and how it came. */
export interface ReceivedRequest {
  readonly stage: Stage
  readonly parameters: Parameters
  /** The pushed request that the parameters are from: its answer spends it. */
  readonly pushed?: string
}

/**
 * Returns what a request to the authorization endpoint asks for: its parameters; or, if it names a pushed request, the
 * parameters of this one and nothing else (RFC 9126 §4).
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export function receiveRequest(
  context: ReceiveContext,
  query: Parameters,
): ReceivedRequest | Promise<ReceivedRequest> {
  const { request_uri } = query
  if (request_uri?.startsWith(REQUEST_URI_PREFIX)) return readPushed(context, query, request_uri)
  return { stage: 'authorize', parameters: query }
}

async function readPushed(
  context: ReceiveContext,
  query: Parameters,
  request_uri: string,
): Promise<ReceivedRequest> {
  const client_id = required(query, 'client_id')
  // RFC 9101 §5.
  if (query.request !== undefined) throw invalidRequest('Send request or request_uri, not both.')
  const pushed = request_uri.slice(REQUEST_URI_PREFIX.length)
  const found = await findPushed(context, pushed)
  // RFC 9126 §4: it is bound to the client that pushed it.
  if (found === undefined || found.client_id !== client_id || found.expires_at <= context.now()) {
    throw invalidRequestUri()
  }
  return { stage: 'accepted', parameters: found.parameters, pushed }
}
