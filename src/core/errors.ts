import {
  BASIC_CHALLENGE,
  bearerChallenge,
  type ChallengeAttributes,
  isDpopChallenge,
  REALM,
  tokenChallenge,
} from './challenge.ts'
import type { SecurityEvent } from './events.ts'
import type { ClientId } from './ids.ts'

/** Every error code of a response; docs/errors.md explains each. */
export const ERROR_CODES = [
  'access_denied',
  'authorization_pending',
  'consent_required',
  'expired_token',
  'insufficient_scope',
  'insufficient_user_authentication',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_dpop_proof',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'unauthorized',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_grant_type',
  'unsupported_response_type',
  'use_dpop_nonce',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** Response headers by their lower-case names. */
export type ErrorHeaders = Readonly<Record<string, string>>

/** The error pages that a status does not decide. */
type ErrorPage = 'expired' | 'unknown_client' | 'client_away' | 'client_document'

interface ErrorDetails {
  status?: number
  cause?: unknown
  headers?: ErrorHeaders
  page?: ErrorPage
  client?: ErrorClient
  event?: SecurityEvent
}

/** The client whose request an error page is about. Only the operator sets its address. */
export interface ErrorClient {
  readonly client_name: string
  readonly client_uri?: string | undefined
}

/**
 * The error of the protocol. `description` is sent and contains no secrets; `cause` is only logged. It has everything
 * that is special about its response, so that a new code needs only a factory.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: ErrorCode
  readonly description: string
  readonly status: number
  /** Headers of the response, such as a challenge or Retry-After. */
  readonly headers: ErrorHeaders
  /** The error page to show; undefined: the default page of the status. */
  readonly page: ErrorPage | undefined
  /** The client that the error page may link back to. */
  readonly client: ErrorClient | undefined
  /** The event that this refusal is: the line of the refusal in the log is then the line of the event. */
  readonly event: SecurityEvent | undefined

  constructor(code: ErrorCode, description: string, details: ErrorDetails = {}) {
    super(`${code}: ${description}`, { cause: details.cause })
    this.code = code
    this.description = description
    this.status = details.status ?? 400
    this.headers = details.headers ?? {}
    this.page = details.page
    this.client = details.client
    this.event = details.event
  }
}

// RFC 9110 §10.2.3; seconds.
export const retryAfter = (seconds: number): ErrorHeaders => ({ 'retry-after': String(seconds) })

/** The request misses a parameter, repeats one or is otherwise malformed (RFC 6749 §5.2). */
export const invalidRequest = (description: string, details?: ErrorDetails) =>
  new OAuthError('invalid_request', description, details)

/**
 * Client authentication failed (RFC 6749 §5.2). The description does not reveal the reason. `client_id`: only if it is
 * that of a registered client, because it is logged.
 */
export const invalidClient = (cause?: string, client_id?: ClientId) =>
  new OAuthError('invalid_client', 'Client authentication failed: check client_id and the secret.', {
    status: 401,
    cause,
    headers: { 'www-authenticate': BASIC_CHALLENGE },
    event: { event: 'client_auth_failed', client_id },
  })

/** The code or refresh token is invalid, expired, spent or was issued for another request (RFC 6749 §5.2). */
export const invalidGrant = (description: string, cause?: string, event?: SecurityEvent) =>
  new OAuthError('invalid_grant', description, { cause, ...(event && { event }) })

/** A request has the headers of the proxy that asks for client certificates, and does not come from it (RFC 9440 §3). */
export const refusedCertificateHeader = (cause: string) =>
  invalidRequest('Only the proxy may send the headers Client-Cert and Client-Cert-Verified.', {
    cause: `a client certificate in a header is refused: ${cause}`,
  })

/** The tokens of a client are bound to its certificate, and the request has none (RFC 8705 §3). */
export const certificateMissing = (cause: string) =>
  invalidRequest(
    'The tokens of this client are bound to its certificate: send the request with its client certificate.',
    { cause },
  )

/** An assertion is refused as a grant (RFC 7521 §4.1). `detail` is only logged. */
export const refusedAssertion = (reason: string, detail?: string) =>
  invalidGrant(`The assertion is refused: ${reason}.`, [reason, detail].filter(Boolean).join(': '))

/** An assertion is refused as client authentication (RFC 7521 §4.2). `detail` is only logged. */
export const refusedClientAssertion = (
  reason: string,
  { detail, client_id, event }: { detail?: string; client_id?: ClientId; event?: SecurityEvent } = {},
) =>
  new OAuthError(
    'invalid_client',
    `Client authentication failed: the client_assertion is refused: ${reason}.`,
    {
      status: 401,
      cause: [reason, detail].filter(Boolean).join(': '),
      headers: { 'www-authenticate': BASIC_CHALLENGE },
      event: event ?? { event: 'client_auth_failed', client_id },
    },
  )

/** A DPoP proof is refused at an endpoint for clients (RFC 9449 §5). */
export const invalidDpopProof = (reason: string, details?: ErrorDetails) =>
  new OAuthError('invalid_dpop_proof', `The DPoP proof is refused: ${reason}.`, details)

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

/** The authorization endpoint does not know this response_type (RFC 6749 §4.1.2.1). */
export const unsupportedResponseType = (description: string) =>
  new OAuthError('unsupported_response_type', description)

/** The scope is malformed or exceeds what the client may obtain (RFC 6749 §5.2). */
export const invalidScope = (description: string) => new OAuthError('invalid_scope', description)

/** A requested resource is unknown, malformed or not granted (RFC 8707 §2). */
export const invalidTarget = (description: string) => new OAuthError('invalid_target', description)

/** A redirect URI of a client that describes itself cannot be accepted (RFC 7591 §3.2.2). */
export const invalidRedirectUri = (description: string) => new OAuthError('invalid_redirect_uri', description)

/** Another part of the description of a client cannot be accepted (RFC 7591 §3.2.2). */
export const invalidClientMetadata = (description: string) =>
  new OAuthError('invalid_client_metadata', description)

/** This server registers only clients with an invitation (RFC 7591 §3): the challenge has no error code. */
export const invitationNeeded = () =>
  new OAuthError(
    'unauthorized',
    'Registration needs an invitation: ask the operator for one, and send Authorization: Bearer <invitation>.',
    { status: 401, headers: { 'www-authenticate': bearerChallenge(REALM) } },
  )

/** The initial access token is not an invitation, or not any more (RFC 7591 §3). */
export const invalidInvitation = () =>
  refusedBearer(
    'invalid_token',
    'The invitation is unknown, expired or used up: ask the operator for another one.',
    { status: 401, event: { event: 'bearer_refused' } },
    REALM,
  )

/** The registration access token is not that of this client, or the client is gone (RFC 7592 §2). */
export const invalidRegistrationToken = () =>
  refusedBearer(
    'invalid_token',
    'This token is not that of the client, or the client is not registered any more: register again.',
    { status: 401, event: { event: 'bearer_refused' } },
    REALM,
  )

/** Too many clients registered from one address, or in all; `ms` until further ones may (RFC 6585 §4). */
export const tooManyRegistrations = (limit: 'address' | 'all', ms: number) => {
  const retry_after = Math.max(1, Math.ceil(ms / 1000))
  return new OAuthError(
    'temporarily_unavailable',
    limit === 'address'
      ? 'Too many clients registered from this address: try again later.'
      : 'Too many clients registered within an hour: try again later.',
    {
      status: 429,
      headers: retryAfter(retry_after),
      event: { event: 'registration_limited', limit, retry_after },
    },
  )
}

/** This parameter is refused, and nothing is fetched; `request` only if it is not signed (OpenID Connect Core §3.1.2.6). */
export const requestNotSupported = (parameter: 'request' | 'request_uri' | 'registration') =>
  new OAuthError(
    `${parameter}_not_supported`,
    parameter === 'request'
      ? 'An unsigned request object is not supported: send plain parameters, or sign it.'
      : `The parameter ${parameter} is not supported: send plain parameters.`,
  )

/** The pending request has expired, is finished, or belongs to another browser. `client`: whose request it was. */
export const signInExpired = (client?: ErrorClient) =>
  new OAuthError('invalid_request', 'This request has expired, is finished, or belongs to another browser.', {
    page: 'expired',
    ...(client && { client }),
  })

/** The metadata document of a client is not one that can be used. `problem` continues a sentence about the document. */
export const unusableClientDocument = (problem: string) =>
  new OAuthError('invalid_request', `The metadata document at the client_id ${problem}.`, {
    page: 'client_document',
  })

/** The metadata document of a client cannot be fetched now. `problem` as for unusableClientDocument. */
export const clientDocumentAway = (problem: string) =>
  new OAuthError('temporarily_unavailable', `The metadata document at the client_id ${problem}.`, {
    status: 503,
    headers: retryAfter(10),
    page: 'client_away',
  })

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

/** The user denied the request (RFC 6749 §4.1.2.1). */
export const accessDenied = (description: string) => new OAuthError('access_denied', description)

/** The requested user is not signed in, and no prompt is allowed (OpenID Connect Core §3.1.2.6). */
export const loginRequired = (description: string) => new OAuthError('login_required', description)

/** Consent is needed, and the request has `prompt=none` (OpenID Connect Core §3.1.2.6). */
export const consentRequired = (description: string) => new OAuthError('consent_required', description)

/** No sign-in method satisfies the requested acr (OpenID Connect Core Error Code §2). */
export const unmetAuthenticationRequirements = (description: string) =>
  new OAuthError('unmet_authentication_requirements', description)

// `place`: the attributes that every challenge of a resource has.

/** The request has no access token: the challenges, one for each way to present it, have no error code (RFC 6750 §3.1). */
export const unauthorized = (...places: readonly ChallengeAttributes[]) => {
  const [first = REALM, ...others] = places
  const way = isDpopChallenge(first)
    ? 'Authorization: DPoP <token>, with a DPoP proof'
    : 'Authorization: Bearer <token>'
  return new OAuthError('unauthorized', `This path needs an access token: send the header ${way}.`, {
    status: 401,
    headers: { 'www-authenticate': [first, ...others].map(tokenChallenge).join(', ') },
  })
}

/** The request has more than one bearer token (RFC 6750 §2 and §3.1). */
export const severalTokens = (description: string, place: ChallengeAttributes = REALM) =>
  refusedBearer('invalid_request', description, { status: 400 }, place)

/** The access token is malformed, unknown, expired, revoked or not an access token (RFC 6750 §3.1). */
export const invalidToken = (
  cause?: string,
  place: ChallengeAttributes = REALM,
  description = 'The access token is unknown, expired, revoked or not an access token.',
) =>
  refusedBearer(
    'invalid_token',
    description,
    { status: 401, cause, event: { event: 'bearer_refused' } },
    place,
  )

/** The token is valid, but lacks one of these scopes; `scope` has all that are needed (RFC 6750 §3.1). */
export const insufficientScope = (
  scope: string,
  description = `This needs the scope ${scope}.`,
  place: ChallengeAttributes = REALM,
) => refusedBearer('insufficient_scope', description, { status: 403 }, place, { scope })

/**
 * The sign-in that the token comes from is too old or too weak (RFC 9470 §3).
 * @param wanted `acr_values`, `max_age` and `scope` of the authorization request that helps
 */
export const insufficientUserAuthentication = (wanted: ChallengeAttributes, place: ChallengeAttributes) =>
  refusedBearer(
    'insufficient_user_authentication',
    'This needs another sign-in: send the user to the authorization server with these acr_values and max_age.',
    { status: 401 },
    place,
    wanted,
  )

function refusedBearer(
  error: ErrorCode,
  error_description: string,
  details: ErrorDetails,
  place: ChallengeAttributes,
  attributes: ChallengeAttributes = {},
): OAuthError {
  const challenge = tokenChallenge(Object.assign({}, place, { error, error_description }, attributes))
  return new OAuthError(error, error_description, { headers: { 'www-authenticate': challenge }, ...details })
}

/** A resource server cannot ask its authorization server, so the token cannot be judged. */
export const issuerUnavailable = (cause: unknown) =>
  new OAuthError(
    'temporarily_unavailable',
    'The authorization server of this API does not answer: try again shortly.',
    { status: 503, cause, headers: retryAfter(1) },
  )

/** Storage is unavailable, so the request cannot be decided. */
export const temporarilyUnavailable = (cause: unknown) =>
  new OAuthError('temporarily_unavailable', 'The service cannot reach its storage: try again shortly.', {
    status: 503,
    cause,
    headers: retryAfter(1),
  })

/** The keys of a trusted issuer cannot be fetched, so an assertion cannot be verified. */
export const issuerKeysUnavailable = (cause: string) =>
  new OAuthError('temporarily_unavailable', 'The keys of the issuer cannot be fetched: try again shortly.', {
    status: 503,
    cause,
    headers: retryAfter(5),
  })

/** The keys of a client cannot be fetched, so what it signed cannot be verified, and nothing encrypted to it. */
export const clientKeysUnavailable = (cause: string) =>
  new OAuthError('temporarily_unavailable', 'The keys of the client cannot be fetched: try again shortly.', {
    status: 503,
    cause,
    headers: retryAfter(5),
  })

/** The key set of a client has no key for the encryption that it is registered for: nothing is sent without. */
export const noEncryptionKey = (alg: string) =>
  invalidClientMetadata(
    `The keys of the client have none for ${alg}: add one with "use" "enc" to its jwks, or at its jwks_uri.`,
  )

/** A client that described itself sent more assertions than it may within a minute (RFC 6585 §4). */
export const tooManyAssertions = (client_id: ClientId) =>
  new OAuthError(
    'temporarily_unavailable',
    'This client sent too many assertions within a minute: try again later.',
    {
      status: 429,
      headers: retryAfter(60),
      event: { event: 'client_auth_limited', client_id },
    },
  )

/** Too many concurrent sign-ins for password hashing (RFC 9110 §15.6.4). */
export const overloaded = () =>
  new OAuthError('temporarily_unavailable', 'Too many people sign in at this moment: try again shortly.', {
    status: 503,
    headers: retryAfter(2),
  })

/**
 * Too many failed client authentications from one address; `ms` until the next attempt is allowed (RFC 6585 §4).
 * `client_id`: as for invalidClient.
 */
export const tooManyFailures = (ms: number, client_id?: ClientId) =>
  new OAuthError(
    'temporarily_unavailable',
    'Client authentication failed too often from this address: try again later.',
    {
      status: 429,
      headers: retryAfter(Math.max(1, Math.ceil(ms / 1000))),
      event: { event: 'client_auth_limited', client_id },
    },
  )

/** An unexpected error: the cause is only logged. */
export const serverError = (cause: unknown) =>
  new OAuthError('server_error', 'Something went wrong on our side.', {
    status: 500,
    cause,
  })
