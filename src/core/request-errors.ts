// The errors of requests that were pushed (RFC 9126) or signed (RFC 9101).
import { type Compared, type ErrorClient, invalidRequest, OAuthError, retryAfter } from './errors.ts'
import type { SecurityEvent } from './events.ts'
import { faultFacts, type JwtRefusal } from './jwt-refusal.ts'
import { factsOf } from './third-parties.ts'

/**
 * A request_uri of this server that cannot be used (RFC 9101 §6.2): unknown, expired, used, or of another client, which
 * look the same. `client`: the client that the page may link back to.
 */
export const invalidRequestUri = (client: ErrorClient | undefined, fault: string) =>
  new OAuthError(
    'invalid_request_uri',
    'request_uri_unusable',
    'The request_uri is unknown, expired, used already, or that of another client: start again from the application.',
    { page: 'expired', received: { fault }, ...(client && { client }) },
  )

/** A request object is refused (RFC 9101 §6.3). */
export const invalidRequestObject = ({ fault, text, ...facts }: JwtRefusal) =>
  new OAuthError(
    'invalid_request_object',
    `request_object_${fault}`,
    `The request object is refused: ${text}.`,
    faultFacts(text, facts),
  )

/** A provider's word that somebody signed out there is refused (OpenID Connect Back-Channel Logout §2.8). */
export const logoutTokenRefused = ({ text, fault: _, ...facts }: JwtRefusal) =>
  new OAuthError(
    'invalid_request',
    'logout_token_refused',
    `The logout token is refused: ${text}.`,
    faultFacts(text, facts),
  )

/** The same, because the keys of the provider cannot be read: nobody but it is at fault. §2.8 has one status for all. */
export const providerKeysAway = (name: string, { message, code }: { message: string; code: string }) =>
  invalidRequest('upstream_failed', 'The logout token is refused: the keys of its issuer cannot be read.', {
    cause: message,
    received: factsOf({ party: 'provider', name, step: 'keys', code }),
  })

/** The client must sign its requests (RFC 9101 §10.5). */
export const signingRequired = () =>
  invalidRequest(
    'request_unsigned',
    'This client must sign its requests: send the parameter request, a request object (RFC 9101).',
    { expected: { parameter: 'request' } },
  )

/** The client must push its requests (RFC 9126 §6). `endpoint`: where to. */
export const pushingRequired = (endpoint: string) =>
  invalidRequest(
    'request_not_pushed',
    `This request must be pushed: push it to ${endpoint}, and send only client_id and the request_uri (RFC 9126).`,
    { expected: { endpoint } },
  )

/**
 * Too many requests of public clients were pushed from one address; `seconds` until the next one is taken (RFC 9126
 * §2.3).
 */
export const tooManyPushed = (seconds: number, event?: SecurityEvent) =>
  new OAuthError(
    'temporarily_unavailable',
    'pushing_limited',
    'Too many requests were pushed from this address: try again later.',
    {
      status: 429,
      headers: retryAfter(seconds),
      received: { limit: 'address' },
      ...(event && { event }),
    },
  )

/** The authorization endpoint does not know this response_type (RFC 6749 §4.1.2.1). */
export const unsupportedResponseType = (description: string, facts: Compared) =>
  new OAuthError('unsupported_response_type', 'response_type_unsupported', description, facts)

/** This parameter is refused, and nothing is fetched; `request` only if it is not signed (OpenID Connect Core §3.1.2.6). */
export const requestNotSupported = (parameter: keyof typeof NOT_SUPPORTED) =>
  new OAuthError(`${parameter}_not_supported`, UNSUPPORTED_REASONS[parameter], NOT_SUPPORTED[parameter], {
    received: { parameter },
  })

const NOT_SUPPORTED = {
  request: 'An unsigned request object is not supported: send plain parameters, or sign it.',
  // RFC 9101 §5.2, RFC 9126 §4.
  request_uri:
    'The request_uri is not one of this server: push the request to its pushed_authorization_request_endpoint, and send the request_uri of the answer.',
  registration: 'The parameter registration is not supported: leave it out.',
} as const

const UNSUPPORTED_REASONS = {
  request: 'request_unsupported',
  request_uri: 'request_uri_foreign',
  registration: 'registration_unsupported',
} as const

/**
 * The pending request has expired, is finished, or belongs to another browser. `fault`: which, for operators; `client`:
 * whose request it was.
 */
export const signInExpired = (client: ErrorClient | undefined, fault: string) =>
  invalidRequest(
    'browser_request_ended',
    'This request has expired, is finished, or belongs to another browser.',
    { page: 'expired', received: { fault }, ...(client && { client }) },
  )

/**
 * The page of an application that asks for consent sent the browser back with nothing that counts. `client`: whose
 * request it was.
 */
export const ownPageFailed = (code: string, client?: ErrorClient) =>
  invalidRequest('own_page_failed', 'What the page of the application answered does not count.', {
    page: 'expired',
    received: factsOf({ party: 'own_page', name: 'CONSENT_URL', step: 'answer', code }),
    ...(client && { client }),
  })

/** The user denied the request (RFC 6749 §4.1.2.1). */
export const consentRefused = (scopes: readonly string[]) =>
  new OAuthError('access_denied', 'consent_refused', 'The user did not agree.', {
    received: { decision: 'deny', scopes },
  })

/** The user gave up at the sign-in page of an application. */
export const signInRefused = () =>
  new OAuthError('access_denied', 'sign_in_refused', 'The user did not sign in.', {
    received: { page: 'LOGIN_URL' },
  })

/** The user may not use the client. Which groups may is not said. `event` is left out if it was reported before. */
export const accessRefused = (facts: Compared, event?: SecurityEvent) =>
  new OAuthError('access_denied', 'access_by_group', 'The user may not use this client.', {
    ...facts,
    ...(event && { event }),
  })

/** The requested user is not signed in, and no prompt is allowed (OpenID Connect Core §3.1.2.6). */
export const loginRequired = (
  reason: 'login_required' | 'other_user_signed_in',
  description: string,
  facts?: Compared,
) => new OAuthError('login_required', reason, description, facts)

/** Consent is needed, and the request has `prompt=none` (OpenID Connect Core §3.1.2.6). */
export const consentRequired = (description: string, facts: Compared) =>
  new OAuthError('consent_required', 'consent_needed', description, facts)

/** A preview asks for an answer without a page, which it never gets (OpenID Connect Core §3.1.2.6). */
export const previewIsSilent = () =>
  new OAuthError(
    'consent_required',
    'preview_silent',
    'This client is a preview: its users are asked each time, so prompt=none is refused.',
    { received: { prompt: 'none' } },
  )

/** No sign-in method satisfies the requested acr (OpenID Connect Core Error Code §2). */
export const unmetAuthenticationRequirements = (
  reason: 'acr_impossible' | 'acr_too_weak',
  description: string,
  facts?: Compared,
) => new OAuthError('unmet_authentication_requirements', reason, description, facts)
