// The errors of requests with an access token (RFC 6750, RFC 9470).
import { type ChallengeAttributes, isDpopChallenge, REALM, tokenChallenge } from './challenge.ts'
import type { ErrorCode } from './error-codes.ts'
import { type Compared, type ErrorDetails, OAuthError, retrySpread } from './errors.ts'
import type { Reason } from './reasons.ts'

// `place`: the attributes that every challenge of a resource has.

/** The request has no access token: the challenges, one for each way to present it, have no error code (RFC 6750 §3.1). */
export const unauthorized = (...places: readonly ChallengeAttributes[]) => {
  const [first = REALM, ...others] = places
  const { scope }: ChallengeAttributes = first
  const way = isDpopChallenge(first)
    ? 'Authorization: DPoP <token>, with a DPoP proof'
    : 'Authorization: Bearer <token>'
  return new OAuthError(
    'unauthorized',
    'token_missing',
    `This path needs an access token: send the header ${way}.`,
    {
      status: 401,
      headers: { 'www-authenticate': [first, ...others].map(tokenChallenge).join(', ') },
      received: { token: 'none' },
      expected: { header: way, ...(scope !== undefined && { scope }) },
    },
  )
}

/** The request has more than one bearer token (RFC 6750 §2 and §3.1). */
export const severalTokens = (description: string, place: ChallengeAttributes = REALM) =>
  refusedBearer('invalid_request', 'tokens_several', description, SEVERAL, place)

const SEVERAL: ErrorDetails = { status: 400, expected: { tokens: 1, header: 'Authorization' } }

/** The access token is malformed, unknown, expired, revoked or not an access token (RFC 6750 §3.1). */
export const invalidToken = (
  reason: Reason,
  cause?: string,
  place: ChallengeAttributes = REALM,
  description = 'The access token is unknown, expired, revoked or not an access token.',
  facts: Compared = {},
) =>
  refusedBearer(
    'invalid_token',
    reason,
    description,
    { ...facts, status: 401, cause, event: { event: 'bearer_refused' } },
    place,
  )

/** The token is valid, but lacks one of these scopes; `scope` has all that are needed (RFC 6750 §3.1). */
export const insufficientScope = (scope: string, place: ChallengeAttributes = REALM, facts?: Compared) =>
  refusedBearer(
    'insufficient_scope',
    'token_scope',
    `This needs the scope ${scope}.`,
    { status: 403, ...facts },
    place,
    { scope },
  )

/** Somebody acts with the token for its user, and this API takes no such tokens (RFC 8693 §1.1). @param actors how many */
export const actingRefused = (actors: number, place?: ChallengeAttributes) =>
  invalidToken('token_acting', 'somebody acts with it for its user', place, ACTING_REFUSED, {
    received: { actors },
    expected: { actors: 0 },
  })

const ACTING_REFUSED =
  "This API takes no tokens with which somebody acts for a user: send the token of the user's own application, or let the operator of the API set acting to allow."

/**
 * The sign-in that the token comes from is too old or too weak (RFC 9470 §3).
 * @param wanted `acr_values`, `max_age` and `scope` of the authorization request that helps
 */
export const insufficientUserAuthentication = (
  wanted: ChallengeAttributes,
  place: ChallengeAttributes,
  facts?: Compared,
) =>
  refusedBearer(
    'insufficient_user_authentication',
    'token_sign_in_weak',
    'This needs another sign-in: send the user to the authorization server with these acr_values and max_age.',
    { status: 401, ...facts },
    place,
    wanted,
  )

function refusedBearer(
  error: ErrorCode,
  reason: Reason,
  error_description: string,
  details: ErrorDetails,
  place: ChallengeAttributes,
  attributes: ChallengeAttributes = {},
): OAuthError {
  const challenge = tokenChallenge({ ...place, error, error_description, ...attributes })
  return new OAuthError(error, reason, error_description, {
    headers: { 'www-authenticate': challenge },
    ...details,
  })
}

/** A resource server cannot ask its authorization server, so the token cannot be judged. */
export const issuerUnavailable = (cause: unknown) =>
  cause instanceof OAuthError
    ? cause
    : new OAuthError(
        'temporarily_unavailable',
        'issuer_away',
        'The authorization server of this API does not answer: try again shortly.',
        { status: 503, cause, headers: retrySpread(1) },
      )
