import { severalTokens } from '../core/bearer-errors.ts'
import type { ChallengeAttributes } from '../core/challenge.ts'
import type { TokenScheme } from '../core/confirmation.ts'
import { isObject } from '../core/json.ts'
import { queryOf } from '../core/uri.ts'

/** What a request to an API says about its access token: a request of node:http, Express or Fastify. */
export interface ApiRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> & {
    readonly authorization?: string | undefined
  }
  /** Names and values in turn. Without it a repeated header is not noticed. */
  readonly rawHeaders?: readonly string[]
  readonly method?: string | undefined
  /** The target of the request. */
  readonly url?: string | undefined
  /** The target before the framework changed it. */
  readonly originalUrl?: string | undefined
  /** A socket of node:tls has the certificate of the client. */
  readonly socket?: object
}

/** An access token, and how it is presented. */
export interface PresentedToken {
  readonly scheme: TokenScheme
  readonly token: string
}

// The scheme is case-insensitive (RFC 9110 §11.1); the token is the rest, trimmed.
const AUTHORIZATION_VALUE = /^(?:bearer|(dpop)) +(.*)$/i
const AUTHORIZATION = 'authorization'

/**
 * Returns the access token in the header (RFC 6750 §2.1, RFC 9449 §7.1) or form body (RFC 6750 §2.2) of a request, or
 * undefined. A token in the query is never used (RFC 9700 §4.3.2).
 * @param place the attributes of the challenge
 * @throws OAuthError `invalid_request` if the request has a second token (RFC 6750 §2)
 */
export function readPresentedToken(
  { headers, rawHeaders = [], url = '' }: ApiRequest,
  form_token?: string,
  place?: ChallengeAttributes,
): PresentedToken | undefined {
  if (hasTwoAuthorizations(rawHeaders)) {
    throw severalTokens('The request has more than one Authorization header.', place)
  }
  const [, dpop, value] = AUTHORIZATION_VALUE.exec(headers.authorization ?? '') ?? []
  const header_token = value?.trim() || undefined
  if (header_token !== undefined && form_token !== undefined) {
    throw severalTokens('Send the access token by header or in the body, not by both.', place)
  }
  const token = header_token ?? form_token
  if (token === undefined) return undefined
  if (hasQueryToken(url)) {
    throw severalTokens('Send the access token by header only, not in the query.', place)
  }
  // The scheme of a header without a token says nothing about one in the body.
  return { scheme: dpop === undefined || header_token === undefined ? 'Bearer' : 'DPoP', token }
}

const FORM = /^application\/x-www-form-urlencoded *(;|$)/i

/**
 * Returns the access token in the parsed body of a request (RFC 6750 §2.2): only of a form, because a JSON body may have
 * such a field. Returns undefined if there is none.
 * @throws OAuthError `invalid_request` if there are several (RFC 6750 §2)
 */
export function formToken(
  { headers }: ApiRequest,
  body: unknown,
  place?: ChallengeAttributes,
): string | undefined {
  if (!isObject(body) || !FORM.test(String(headers['content-type']))) return undefined
  const token = Object.hasOwn(body, 'access_token') ? body.access_token : undefined
  if (Array.isArray(token)) throw severalTokens('Send one access token: the body has several.', place)
  return typeof token === 'string' && token !== '' ? token : undefined
}

/**
 * Returns the bearer token of a request, or undefined.
 * @throws as readPresentedToken
 */
export function readBearerToken(
  request: ApiRequest,
  form_token?: string,
  place?: ChallengeAttributes,
): string | undefined {
  const presented = readPresentedToken(request, form_token, place)
  return presented?.scheme === 'Bearer' ? presented.token : undefined
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
