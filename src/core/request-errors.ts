// The errors of requests that were pushed (RFC 9126) or signed (RFC 9101).
import { type ErrorClient, invalidRequest, OAuthError, retryAfter } from './errors.ts'
import type { SecurityEvent } from './events.ts'

/**
 * A request_uri of this server that cannot be used (RFC 9101 §6.2): unknown, expired, used, or of another client, which
 * look the same. `client`: the client that the page may link back to.
 */
export const invalidRequestUri = (client?: ErrorClient) =>
  new OAuthError(
    'invalid_request_uri',
    'The request_uri is unknown, expired, used already, or that of another client: start again from the application.',
    { page: 'expired', ...(client && { client }) },
  )

/** A request object is refused (RFC 9101 §6.3). `reason` continues a sentence about it. */
export const invalidRequestObject = (reason: string) =>
  new OAuthError('invalid_request_object', `The request object is refused: ${reason}.`)

/** The client must sign its requests (RFC 9101 §10.5). */
export const signingRequired = () =>
  invalidRequest(
    'This client must sign its requests: send the parameter request, a request object (RFC 9101).',
  )

/** The client must push its requests (RFC 9126 §6). `endpoint`: where to. */
export const pushingRequired = (endpoint: string) =>
  invalidRequest(
    `This request must be pushed: push it to ${endpoint}, and send only client_id and the request_uri (RFC 9126).`,
  )

/** Too many requests of public clients were pushed from one address; `seconds` until the next one is taken (RFC 9126 §2.3). */
export const tooManyPushed = (seconds: number, event?: SecurityEvent) =>
  new OAuthError(
    'temporarily_unavailable',
    'Too many requests were pushed from this address: try again later.',
    {
      status: 429,
      headers: retryAfter(seconds),
      ...(event && { event }),
    },
  )
