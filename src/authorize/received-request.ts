import { invalidRequest } from '../core/errors.ts'
import { faultIn, type Parameters, parametersFrom, required } from '../core/parameters.ts'
import { invalidRequestUri, signInExpired } from '../core/request-errors.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { findPushed, REQUEST_URI_PREFIX } from '../interaction/pushed-request.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { Stage } from './check-request.ts'
import { checkClient, type Draft } from './checks.ts'
import { isUnsigned, type RequestObjectContext, readRequestObject } from './request-object.ts'

/** What it takes to find out what an authorization request asks for. */
export interface ReceiveContext extends RequestObjectContext {
  readonly storage: RecordStore
  readonly clients: Draft['clients']
  readonly settings: RequestObjectContext['settings'] & Draft['settings']
}

/** What an authorization request asks for, and how it came. */
export interface ReceivedRequest {
  readonly stage: Stage
  readonly parameters: Parameters
  /** Whether the parameters are those of a verified request object. */
  readonly is_signed?: boolean
  /** What a scope that is left out stood for when the request was accepted. */
  readonly default_scope?: string
  /** The subject that its id_token_hint was about when the request was accepted. */
  readonly hinted_sub?: string
  /** The pushed request that the parameters are from: its answer spends it. */
  readonly pushed?: string
}

/**
 * Returns what a request to the authorization endpoint asks for: the parameters of the pushed request that it names
 * (RFC 9126 §4), or of its request object (RFC 9101 §5), and nothing else; without them its own parameters. Errors
 * before a request object is verified cannot be redirected. An unsigned object, and one of the two that cannot be read,
 * is refused later, by the checks.
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export async function receiveRequest(context: ReceiveContext, query: Parameters): Promise<ReceivedRequest> {
  const { request, request_uri } = query
  if (faultIn(query, ['request', 'request_uri']) !== undefined) {
    return { stage: 'authorize', parameters: query }
  }
  // RFC 9101 §5.
  if (request !== undefined && request_uri !== undefined) {
    throw invalidRequest('request_and_request_uri', 'Send request or request_uri, not both.', {
      received: { parameters: ['request', 'request_uri'] },
      expected: { parameters: 1 },
    })
  }
  if (request_uri?.startsWith(REQUEST_URI_PREFIX)) return readPushed(context, query, request_uri)
  if (request !== undefined && !isUnsigned(request)) return readSigned(context, query, request)
  return { stage: 'authorize', parameters: query }
}

async function readPushed(
  context: ReceiveContext,
  query: Parameters,
  request_uri: string,
): Promise<ReceivedRequest> {
  const client_id = required(query, 'client_id')
  const pushed = request_uri.slice(REQUEST_URI_PREFIX.length)
  const found = await findPushed(context, pushed)
  // RFC 9126 §4: it is bound to the client that pushed it.
  if (found === undefined || found.client_id !== client_id || found.expires_at <= context.now()) {
    throw invalidRequestUri(
      undefined,
      found === undefined ? 'not stored: never pushed, used or expired' : 'of another client, or expired',
    )
  }
  const { parameters, default_scope, hinted_sub } = found
  return {
    stage: 'accepted',
    parameters,
    ...(default_scope !== undefined && { default_scope }),
    ...(hinted_sub !== undefined && { hinted_sub }),
    pushed,
  }
}

/**
 * Returns a pending request with the details that it left with the pushed request.
 * @throws OAuthError to be shown to the user if that was answered, or its time is over; StorageUnavailable
 */
export async function withItsDetails(
  context: Pick<ReceiveContext, 'storage' | 'clients'>,
  pending: PendingRecord,
): Promise<PendingRecord> {
  const { parameters, pushed = '', leaves_details } = pending
  if (!leaves_details) return pending
  const { authorization_details } = (await findPushed(context, pushed))?.parameters ?? {}
  if (authorization_details === undefined) {
    const client = await context.clients.demand(required(parameters, 'client_id'))
    throw signInExpired(client, 'its pushed request was answered, or its time is over')
  }
  return { ...pending, parameters: parametersFrom(parameters, { authorization_details }) }
}

async function readSigned(
  context: ReceiveContext,
  query: Parameters,
  request: string,
): Promise<ReceivedRequest> {
  const { clients, settings } = context
  const { client } = await checkClient({ parameters: query, clients, settings })
  const parameters = await readRequestObject(context, request, client)
  return { stage: 'authorize', parameters, is_signed: true }
}
