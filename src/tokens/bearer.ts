import { insufficientScope, invalidRequest, invalidToken, unauthorized } from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import { validateAccessToken } from './access-token.ts'
import type { AccessToken, ValidationContext } from './validation.ts'

// The scheme is case-insensitive (RFC 9110 §11.1); the token is the rest, trimmed.
const BEARER = /^bearer +(.*)$/i

/**
 * The bearer token of a request, by header or form body (RFC 6750 §2.1 and §2.2), or undefined.
 * @throws OAuthError `invalid_request` if it comes by both (RFC 6750 §2)
 */
export function readBearerToken(authorization: string | undefined, form_token?: string): string | undefined {
  const header_token = BEARER.exec(authorization ?? '')?.[1]?.trim() || undefined
  if (header_token !== undefined && form_token !== undefined) {
    throw invalidRequest('Send the access token by header or in the body, not by both.')
  }
  return header_token ?? form_token
}

/**
 * The access token that authenticates a request. With `ask_grant` storage is asked about its grant, also for a JWT.
 * @throws OAuthError `unauthorized` without a token, `invalid_token` with a refused one; StorageUnavailable
 */
export async function authenticateBearer(
  context: ValidationContext,
  token: string | undefined,
  ask_grant: boolean,
): Promise<AccessToken> {
  if (token === undefined) throw unauthorized()
  const validation = await validateAccessToken(context, token, ask_grant)
  if (!validation.valid) throw invalidToken(validation.reason)
  return validation.token
}

/** `SCOPE_<scope>` for every scope of a token. */
export function authorities(token: AccessToken): string[] {
  return scopeNames(token.scope).map((name) => `SCOPE_${name}`)
}

/**
 * Demands a scope.
 * @throws OAuthError `insufficient_scope`
 */
export function demandScope(token: AccessToken, scope: string): void {
  if (!scopeNames(token.scope).includes(scope)) throw insufficientScope(scope)
}
