// The errors of grants (RFC 6749 §5.2, RFC 8628 §3.5, RFC 7521 §4.1).
import {
  type Compared,
  type ErrorDetails,
  invalidRequest,
  OAuthError,
  retryAfter,
  retrySpread,
} from './errors.ts'
import type { SecurityEvent } from './events.ts'
import type { ClientId } from './ids.ts'
import { faultFacts } from './jwt-refusal.ts'
import type { Facts, Reason } from './reasons.ts'
import { factsOf } from './third-parties.ts'

/** The code or refresh token is invalid, expired, spent or was issued for another request (RFC 6749 §5.2). */
export const invalidGrant = (reason: Reason, description: string, details?: ErrorDetails) =>
  new OAuthError('invalid_grant', reason, description, details)

/** Why an assertion is refused as a grant. */
export type AssertionReason = Extract<Reason, `assertion_${string}`> | 'access_by_group' | 'acr_too_weak'

/** An assertion is refused as a grant (RFC 7521 §4.1). `text` continues a sentence about it; `detail` is only logged. */
export const refusedAssertion = (
  reason: AssertionReason,
  text: string,
  { detail, ...details }: { readonly detail?: string } & ErrorDetails = {},
) =>
  invalidGrant(reason, `The assertion is refused: ${text}.`, {
    cause: [text, detail].filter(Boolean).join(': '),
    ...faultFacts(text, details),
  })

/** Why a token is not exchanged. */
export type ExchangeReason = Extract<Reason, `exchange_${string}`>

/** The subject or actor token of an exchange, or what is asked for, is refused (RFC 8693 §2.2.2). */
export const refusedExchange = (
  reason: ExchangeReason,
  description: string,
  client_id: ClientId,
  received?: Facts,
) =>
  invalidRequest(reason, description, {
    event: { event: 'exchange_refused', client_id, reason },
    ...(received && { received }),
  })

/**
 * The audience of an exchange is no server for which the client gets identity assertions (RFC 8693 §2.2.2).
 * @param received with the `fault`: it is unknown, or does not name the client
 */
export const noAssertionsFor = (client_id: ClientId, received: Facts) =>
  new OAuthError(
    'invalid_target',
    'exchange_application',
    'The audience is no server for which this client gets identity assertions: it is the issuer of that server, character by character.',
    { received, event: { event: 'exchange_refused', client_id, reason: 'exchange_application' } },
  )

/** A sign-in has as many derived tokens as it can have; the first of them ends within seconds (RFC 6585 §4). */
export const tooManyDerived = (most: number, client_id: ClientId) =>
  new OAuthError(
    'temporarily_unavailable',
    'exchange_limited',
    `This sign-in has ${most} exchanged tokens already: use them until they end, or try again later.`,
    {
      status: 429,
      headers: retryAfter(30),
      received: { limit: 'sign_in' },
      event: { event: 'exchange_refused', client_id, reason: 'exchange_limited' },
    },
  )

/** The client is not allowed to make this request (RFC 6749 §4.1.2.1 and §5.2). */
export const unauthorizedClient = (reason: Reason, description: string, details?: ErrorDetails) =>
  new OAuthError('unauthorized_client', reason, description, details)

/** The client lacks a grant type in its record (RFC 6749 §4.1.2.1 and §5.2). */
export const notRegisteredFor = (grant_type: string, registered: readonly string[]) =>
  unauthorizedClient(
    'grant_type_not_registered',
    `This client is not registered for ${grant_type}: an operator can add it to its field grant_types.`,
    { received: { grant_type }, expected: { grant_types: registered } },
  )

/** Why a code or a refresh token is refused that storage does not have: the cause in the log and in explanations. */
export const NOT_STORED = 'not stored: never issued, expired or revoked'

/** The token endpoint does not know this grant_type (RFC 6749 §5.2). */
export const unsupportedGrantType = (description: string, facts?: Compared) =>
  new OAuthError('unsupported_grant_type', 'grant_type_unsupported', description, facts)

/** The scope is malformed or exceeds what the client may obtain (RFC 6749 §5.2). */
export const invalidScope = (
  reason: 'scope_not_allowed' | 'scope_not_of_resource' | 'refresh_token_scope',
  description: string,
  facts?: Compared,
) => new OAuthError('invalid_scope', reason, description, facts)

/** A requested resource is unknown, malformed or not granted (RFC 8707 §2). */
export const invalidTarget = (
  reason: Extract<Reason, `resource${string}`>,
  description: string,
  facts?: Compared,
) => new OAuthError('invalid_target', reason, description, facts)

/** The details that a request asks for are refused (RFC 9396 §5). */
export const invalidDetails = (
  reason: Extract<Reason, `details_${string}`>,
  description: string,
  facts?: Compared,
) => new OAuthError('invalid_authorization_details', reason, description, facts)

/** The person has not answered yet (RFC 8628 §3.5, CIBA §11). */
export const authorizationPending = (reason: 'device_code_pending' | 'ask_pending', interval: number) =>
  new OAuthError(
    'authorization_pending',
    reason,
    'The user has not answered yet: ask again after the interval.',
    { received: { status: 'pending' }, expected: { interval } },
  )

/** As authorizationPending, and the client asks too often (RFC 8628 §3.5, CIBA §11). */
export const slowDown = (reason: 'device_code_slow_down' | 'ask_slow_down', interval: number) =>
  new OAuthError(
    'slow_down',
    reason,
    'The user has not answered yet: ask 5 seconds less often from now on.',
    { received: { status: 'pending' }, expected: { interval_at_least: interval + 5 } },
  )

/** The user of a device denied (RFC 8628 §3.5). */
export const deviceDenied = () =>
  new OAuthError('access_denied', 'device_code_denied', 'The user did not agree.', {
    received: { decision: 'deny' },
  })

/** The device code is not open any more (RFC 8628 §3.5). */
export const expiredToken = (lifetime: number) =>
  new OAuthError(
    'expired_token',
    'device_code_ended',
    'The device code has expired: request a new one, and show its user code.',
    { received: { fault: NOT_STORED }, expected: { within_seconds: lifetime } },
  )

/** Too many device authorization requests from one address; `seconds` until the next one is answered (RFC 6585 §4). */
export const tooManyDevices = (seconds: number, event?: SecurityEvent) =>
  new OAuthError(
    'temporarily_unavailable',
    'device_codes_limited',
    'Too many device codes were requested from this address: try again later.',
    {
      status: 429,
      headers: retryAfter(seconds),
      received: { limit: 'address' },
      ...(event && { event }),
    },
  )

/** The keys of a trusted issuer cannot be fetched, so an assertion cannot be verified. */
export const issuerKeysUnavailable = (cause: string, name: string, code: string) =>
  new OAuthError(
    'temporarily_unavailable',
    'issuer_keys_away',
    'The keys of the issuer cannot be fetched: try again shortly.',
    {
      status: 503,
      cause,
      headers: retrySpread(5),
      received: factsOf({ party: 'issuer_keys', name, step: 'keys', code }),
    },
  )
