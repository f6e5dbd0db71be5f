import { insufficientScope, invalidRequest, invalidToken, unauthorized } from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import { validateAccessToken } from './access-token.ts'
import type { AccessToken, ValidationContext } from './validation.ts'

// The scheme is case-insensitive (RFC 9110 §11.1); the token is the rest, trimmed.
const BEARER = /^bearer +(.*)$/i

/**
 * Returns the bearer token in the header or form body of a request (RFC 6750 §2.1 and §2.2), or undefined.
 * @throws OAuthError `invalid_request` if both have one (RFC 6750 §2)
 */
export function readBearerToken(authorization: string | undefined, form_token?: string): string | undefined {
  const header_token = BEARER.exec(authorization ?? '')?.[1]?.trim() || undefined
  if (header_token !== undefined && form_token !== undefined) {
    throw invalidRequest('Send the access token by header or in the body, not by both.')
  }
  return header_token ?? form_token
}

/**
 * Returns the access token that authenticates a request. With `check_grant` it reads the grant record, also for a JWT.
 * @param audiences whom it may be for, besides this server
 * @throws OAuthError `unauthorized` without a token, `invalid_token` for an invalid one; StorageUnavailable
 */
export async function authenticateBearer(
  context: ValidationContext,
  token: string | undefined,
  check_grant: boolean,
  audiences: readonly string[] = [],
): Promise<AccessToken> {
  if (token === undefined) throw unauthorized()
  const validation = await validateAccessToken(context, token, check_grant)
  if (!validation.valid) throw invalidToken(validation.reason)
  const { audience } = validation.token
  // RFC 9068 §4, RFC 8707 §2: a token for another resource is no token here.
  if (
    audience !== undefined &&
    !audience.some((one) => one === context.settings.issuer || audiences.includes(one))
  ) {
    throw invalidToken('for another audience')
  }
  return validation.token
}

/** Returns `SCOPE_<scope>` for every scope of a token. */
export function authorities(token: AccessToken): string[] {
  return scopeNames(token.scope).map((name) => `SCOPE_${name}`)
}

/**
 * Checks that a token has a scope.
 * @throws OAuthError `insufficient_scope`
 */
export function demandScope(token: AccessToken, scope: string): void {
  if (!scopeNames(token.scope).includes(scope)) throw insufficientScope(scope)
}
