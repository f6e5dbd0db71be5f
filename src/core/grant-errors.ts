// The errors of grants (RFC 6749 §5.2, RFC 8628 §3.5, RFC 7521 §4.1).
import { type ErrorDetails, OAuthError, retryAfter, retrySpread } from './errors.ts'
import type { SecurityEvent } from './events.ts'

/** The code or refresh token is invalid, expired, spent or was issued for another request (RFC 6749 §5.2). */
export const invalidGrant = (description: string, cause?: string, event?: SecurityEvent) =>
  new OAuthError('invalid_grant', description, { cause, ...(event && { event }) })

/** An assertion is refused as a grant (RFC 7521 §4.1). `detail` is only logged. */
export const refusedAssertion = (reason: string, detail?: string, event?: SecurityEvent) =>
  invalidGrant(`The assertion is refused: ${reason}.`, [reason, detail].filter(Boolean).join(': '), event)

/** The client is not allowed to make this request (RFC 6749 §4.1.2.1 and §5.2). */
export const unauthorizedClient = (description: string, details?: ErrorDetails) =>
  new OAuthError('unauthorized_client', description, details)

/** The client lacks a grant type in its record (RFC 6749 §4.1.2.1 and §5.2). */
export const notRegisteredFor = (grant_type: string) =>
  unauthorizedClient(
    `This client is not registered for ${grant_type}: an operator can add it to its field grant_types.`,
  )

/** The token endpoint does not know this grant_type (RFC 6749 §5.2). */
export const unsupportedGrantType = (description: string) =>
  new OAuthError('unsupported_grant_type', description)

/** The scope is malformed or exceeds what the client may obtain (RFC 6749 §5.2). */
export const invalidScope = (description: string) => new OAuthError('invalid_scope', description)

/** A requested resource is unknown, malformed or not granted (RFC 8707 §2). */
export const invalidTarget = (description: string) => new OAuthError('invalid_target', description)

/** The user of a device has not answered yet (RFC 8628 §3.5). */
export const authorizationPending = () =>
  new OAuthError('authorization_pending', 'The user has not answered yet: ask again after the interval.')

/** As authorizationPending, and the device asks too often (RFC 8628 §3.5). */
export const slowDown = () =>
  new OAuthError('slow_down', 'The user has not answered yet: ask 5 seconds less often from now on.')

/** The device code is not open any more (RFC 8628 §3.5). */
export const expiredToken = () =>
  new OAuthError('expired_token', 'The device code has expired: request a new one, and show its user code.')

/** Too many device authorization requests from one address; `seconds` until the next one is answered (RFC 6585 §4). */
export const tooManyDevices = (seconds: number, event?: SecurityEvent) =>
  new OAuthError(
    'temporarily_unavailable',
    'Too many device codes were requested from this address: try again later.',
    { status: 429, headers: retryAfter(seconds), ...(event && { event }) },
  )

/** The keys of a trusted issuer cannot be fetched, so an assertion cannot be verified. */
export const issuerKeysUnavailable = (cause: string) =>
  new OAuthError('temporarily_unavailable', 'The keys of the issuer cannot be fetched: try again shortly.', {
    status: 503,
    cause,
    headers: retrySpread(5),
  })
