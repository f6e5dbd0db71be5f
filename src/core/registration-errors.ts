// The errors of clients that register themselves (RFC 7591, RFC 7592).
import { invalidToken } from './bearer-errors.ts'
import { bearerChallenge, REALM } from './challenge.ts'
import { type Compared, OAuthError, retryAfter } from './errors.ts'

/** A redirect URI of a client that describes itself cannot be accepted (RFC 7591 §3.2.2). */
export const invalidRedirectUri = (description: string, facts: Compared) =>
  new OAuthError('invalid_redirect_uri', 'metadata_redirect_uri', description, facts)

/** Another part of the description of a client cannot be accepted (RFC 7591 §3.2.2). */
export const invalidClientMetadata = (
  reason: 'metadata_refused' | 'client_encryption_key_missing' | 'body_not_json',
  description: string,
  facts: Compared = {},
) => new OAuthError('invalid_client_metadata', reason, description, facts)

/** This server registers only clients with an invitation (RFC 7591 §3): the challenge has no error code. */
export const invitationNeeded = () =>
  new OAuthError(
    'unauthorized',
    'invitation_missing',
    'Registration needs an invitation: ask the operator for one, and send Authorization: Bearer <invitation>.',
    {
      status: 401,
      headers: { 'www-authenticate': bearerChallenge(REALM) },
      received: { token: 'none' },
      expected: { header: 'Authorization: Bearer', token: 'an invitation' },
    },
  )

/** The initial access token is not an invitation, or not any more (RFC 7591 §3). */
export const invalidInvitation = () =>
  invalidToken(
    'invitation_unusable',
    'not stored: never made, used up, expired or withdrawn',
    REALM,
    'The invitation is unknown, expired or used up: ask the operator for another one.',
  )

/** The registration access token is not that of this client, or the client is gone (RFC 7592 §2). */
export const invalidRegistrationToken = (fault: string) =>
  invalidToken(
    'registration_token_wrong',
    fault,
    REALM,
    'This token is not that of the client, or the client is not registered any more: register again.',
  )

/** Too many clients registered from one address, or in all; `ms` until further ones may (RFC 6585 §4). */
export const tooManyRegistrations = (limit: 'address' | 'all', ms: number) => {
  const retry_after = Math.max(1, Math.ceil(ms / 1000))
  return new OAuthError(
    'temporarily_unavailable',
    'registrations_limited',
    limit === 'address'
      ? 'Too many clients registered from this address: try again later.'
      : 'Too many clients registered within an hour: try again later.',
    {
      status: 429,
      headers: retryAfter(retry_after),
      received: { limit },
      event: { event: 'registration_limited', limit, retry_after },
    },
  )
}
