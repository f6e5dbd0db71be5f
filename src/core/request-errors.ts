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

/** The authorization endpoint does not know this response_type (RFC 6749 §4.1.2.1). */
export const unsupportedResponseType = (description: string) =>
  new OAuthError('unsupported_response_type', description)

/** This parameter is refused, and nothing is fetched; `request` only if it is not signed (OpenID Connect Core §3.1.2.6). */
export const requestNotSupported = (parameter: keyof typeof NOT_SUPPORTED) =>
  new OAuthError(`${parameter}_not_supported`, NOT_SUPPORTED[parameter])

const NOT_SUPPORTED = {
  request: 'An unsigned request object is not supported: send plain parameters, or sign it.',
  // RFC 9101 §5.2, RFC 9126 §4.
  request_uri:
    'The request_uri is not one of this server: push the request to its pushed_authorization_request_endpoint, and send the request_uri of the answer.',
  registration: 'The parameter registration is not supported: leave it out.',
} as const

/** The pending request has expired, is finished, or belongs to another browser. `client`: whose request it was. */
export const signInExpired = (client?: ErrorClient) =>
  new OAuthError('invalid_request', 'This request has expired, is finished, or belongs to another browser.', {
    page: 'expired',
    ...(client && { client }),
  })

/** The user denied the request (RFC 6749 §4.1.2.1). */
export const accessDenied = (description: string, event?: SecurityEvent) =>
  new OAuthError('access_denied', description, { ...(event && { event }) })

/** The user may not use the client. Which groups may is not said. `event` is left out if it was reported before. */
export const accessRefused = (event?: SecurityEvent) =>
  accessDenied('The user may not use this client.', event)

/** The requested user is not signed in, and no prompt is allowed (OpenID Connect Core §3.1.2.6). */
export const loginRequired = (description: string) => new OAuthError('login_required', description)

/** Consent is needed, and the request has `prompt=none` (OpenID Connect Core §3.1.2.6). */
export const consentRequired = (description: string) => new OAuthError('consent_required', description)

/** No sign-in method satisfies the requested acr (OpenID Connect Core Error Code §2). */
export const unmetAuthenticationRequirements = (description: string) =>
  new OAuthError('unmet_authentication_requirements', description)
