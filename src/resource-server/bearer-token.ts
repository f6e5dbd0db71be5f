import type { ChallengeAttributes } from '../core/challenge.ts'
import { severalTokens } from '../core/errors.ts'
import { queryOf } from '../core/uri.ts'

/** What a request says about its bearer token: a request of node:http, Express or Fastify. */
export interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined }
  /** Names and values in turn. Without it a repeated header is not noticed. */
  readonly rawHeaders?: readonly string[]
  /** The target of the request. */
  readonly url?: string | undefined
}

// The scheme is case-insensitive (RFC 9110 §11.1); the token is the rest, trimmed.
const BEARER = /^bearer +(.*)$/i
const AUTHORIZATION = 'authorization'

/**
 * Returns the bearer token in the header or form body of a request (RFC 6750 §2.1 and §2.2), or undefined. A token in the
 * query is never used (RFC 9700 §4.3.2).
 * @param place the attributes of the challenge
 * @throws OAuthError `invalid_request` if the request has a second token (RFC 6750 §2)
 */
export function readBearerToken(
  { headers, rawHeaders = [], url = '' }: BearerRequest,
  form_token?: string,
  place?: ChallengeAttributes,
): string | undefined {
  if (hasTwoAuthorizations(rawHeaders)) {
    throw severalTokens('The request has more than one Authorization header.', place)
  }
  const header_token = BEARER.exec(headers.authorization ?? '')?.[1]?.trim() || undefined
  if (header_token !== undefined && form_token !== undefined) {
    throw severalTokens('Send the access token by header or in the body, not by both.', place)
  }
  const token = header_token ?? form_token
  if (token !== undefined && hasQueryToken(url)) {
    throw severalTokens('Send the access token by header only, not in the query.', place)
  }
  return token
}

function hasQueryToken(url: string): boolean {
  const query = queryOf(url)
  return query !== '' && new URLSearchParams(query).has('access_token')
}

/** Whether there are two Authorization headers. Node keeps the first of several; a proxy may use another one. */
export function hasTwoAuthorizations(rawHeaders: readonly string[]): boolean {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) found++
  }
  return found > 1
}
