// The errors of client authentication (RFC 6749 §5.2), and of what a client publishes about itself.
import { BASIC_CHALLENGE } from './challenge.ts'
import { type Compared, invalidRequest, OAuthError, retryAfter, retrySpread } from './errors.ts'
import type { SecurityEvent } from './events.ts'
import type { ClientId } from './ids.ts'
import { faultFacts } from './jwt-refusal.ts'
import type { Facts, Reason } from './reasons.ts'
import { invalidClientMetadata } from './registration-errors.ts'
import { factsOf } from './third-parties.ts'

/**
 * Client authentication failed (RFC 6749 §5.2). The description does not reveal the reason. `client_id`: only if it is
 * that of a registered client, because it is logged.
 */
export const invalidClient = (
  reason: Extract<Reason, `client_${string}`>,
  cause?: string,
  client_id?: ClientId,
  received?: Facts,
) =>
  new OAuthError('invalid_client', reason, 'Client authentication failed: check client_id and the secret.', {
    status: 401,
    cause,
    ...(received && { received }),
    headers: { 'www-authenticate': BASIC_CHALLENGE },
    event: { event: 'client_auth_failed', client_id },
  })

/** A request has the headers of the proxy that asks for client certificates, and does not come from it (RFC 9440 §3). */
export const refusedCertificateHeader = (cause: string) =>
  invalidRequest(
    'certificate_header_untrusted',
    'Only the proxy may send the headers Client-Cert and Client-Cert-Verified.',
    {
      cause: `a client certificate in a header is refused: ${cause}`,
    },
  )

/** The tokens of a client are bound to its certificate, and the request has none (RFC 8705 §3). */
export const certificateMissing = (cause: string) =>
  invalidRequest(
    'client_certificate_missing',
    'The tokens of this client are bound to its certificate: send the request with its client certificate.',
    { cause },
  )

/**
 * An assertion is refused as client authentication (RFC 7521 §4.2). `text` continues a sentence about it; `detail` is only
 * logged.
 */
export const refusedClientAssertion = (
  reason: Extract<Reason, `client_assertion_${string}`> | 'client_keys_away',
  text: string,
  {
    detail,
    client_id,
    event,
    ...facts
  }: { detail?: string; client_id?: ClientId; event?: SecurityEvent } & Compared = {},
) =>
  new OAuthError(
    'invalid_client',
    reason,
    `Client authentication failed: the client_assertion is refused: ${text}.`,
    {
      ...faultFacts(text, facts),
      status: 401,
      cause: [text, detail].filter(Boolean).join(': '),
      headers: { 'www-authenticate': BASIC_CHALLENGE },
      event: event ?? { event: 'client_auth_failed', client_id },
    },
  )

/**
 * The metadata document of a client is not one that can be used. `problem` continues a sentence about the document. The
 * address is a text of whoever asks: operators see it in no explanation, and the code alone.
 */
export const unusableClientDocument = (problem: string, code: string) =>
  invalidRequest('client_document_unusable', `The metadata document at the client_id ${problem}.`, {
    page: 'client_document',
    received: factsOf({ party: 'client_document', step: 'document', code }),
  })

/** The metadata document of a client cannot be fetched now. The answer does not say why: `cause` does, in the log. */
export const clientDocumentAway = (cause: string, code: string) =>
  new OAuthError(
    'temporarily_unavailable',
    'client_document_away',
    'The metadata document at the client_id cannot be fetched now.',
    {
      status: 503,
      headers: retrySpread(10),
      cause: `the document ${cause}`,
      received: factsOf({ party: 'client_document', step: 'document', code }),
      page: 'client_away',
    },
  )

/** Whose keys cannot be fetched, and why. */
export interface KeysFault {
  readonly client_id: ClientId
  readonly code: string
}

/** What a refusal says of keys that cannot be fetched. */
export const keysFacts = ({ client_id, code }: KeysFault) =>
  factsOf({ party: 'client_keys', name: client_id, step: 'keys', code })

/** The keys of a client cannot be fetched, so what it signed cannot be verified, and nothing encrypted to it. */
export const clientKeysUnavailable = (cause: string, fault: KeysFault) =>
  new OAuthError(
    'temporarily_unavailable',
    'client_keys_away',
    'The keys of the client cannot be fetched: try again shortly.',
    {
      status: 503,
      cause,
      headers: retrySpread(5),
      received: keysFacts(fault),
    },
  )

/** The key set of a client has no key for the encryption that it is registered for: nothing is sent unencrypted. */
export const noEncryptionKey = (alg: string) =>
  invalidClientMetadata(
    'client_encryption_key_missing',
    `The client has no key for ${alg}: add one with "use" "enc" to its jwks, or at its jwks_uri.`,
    { expected: { alg, use: 'enc' } },
  )

/** A client that described itself sent more assertions than it may within a minute (RFC 6585 §4). */
export const tooManyAssertions = (client_id: ClientId) =>
  new OAuthError(
    'temporarily_unavailable',
    'client_assertions_limited',
    'This client sent too many assertions within a minute: try again later.',
    {
      status: 429,
      headers: retryAfter(60),
      received: { limit: 'client' },
      event: { event: 'client_auth_limited', client_id },
    },
  )

/**
 * Too many failed client authentications from one address; `ms` until the next attempt is allowed (RFC 6585 §4).
 * `client_id`: as for invalidClient.
 */
export const tooManyFailures = (ms: number, client_id?: ClientId) =>
  new OAuthError(
    'temporarily_unavailable',
    'client_authentication_limited',
    'Client authentication failed too often from this address: try again later.',
    {
      status: 429,
      headers: retryAfter(Math.max(1, Math.ceil(ms / 1000))),
      received: { limit: 'address' },
      event: { event: 'client_auth_limited', client_id },
    },
  )
