import { demandScope } from './bearer.ts'
import { insufficientScope } from './errors.ts'
import type { AccessToken } from './tokens/access.ts'

/**
 * The claims about the user whose token this is (OpenID Connect Core §5.3.2).
 * @throws OAuthError `insufficient_scope` without `openid`, and where no user stands behind the token.
 */
export function userInfo(token: AccessToken): { sub: string } {
  demandScope(token, 'openid')
  if (token.subject === '')
    throw insufficientScope('openid', 'The token was issued to a client, not for a user.')
  return { sub: token.subject }
}
