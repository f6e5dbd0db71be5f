import type { StandardClaim } from '../accounts/standard-claims.ts'
import type { Client } from '../clients/client-record.ts'
import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SignIn } from '../tokens/code-record.ts'
import { findAccount, type TokenAccountContext } from '../tokens/token-account.ts'
import { allowedClaims, type Claims, claimsOf, claimsOfScope } from './claims.ts'
import { parseClaimsRequest } from './claims-request.ts'

/**
 * Returns the claims about the user for an id_token: those that the client requested by name, and with
 * `scope_claims_in_id_token` those of the granted scope. Returns none if storage is unavailable, because the code or
 * refresh token is already spent, and a missing claim is no error (OpenID Connect Core §5.5.1).
 */
export async function idTokenClaims(
  context: TokenAccountContext & { readonly log: Log },
  client: Client,
  sign_in: SignIn,
  scope: string,
): Promise<Claims> {
  const names = namesFor(client, sign_in, scope)
  if (names.length === 0) return {}
  try {
    const user = await findAccount(context, client, sign_in)
    return user === undefined ? {} : claimsOf(user, names, context.log)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    context.log.warn(
      { err: error },
      'An id_token is issued without the claims about its user: storage is unavailable.',
    )
    return {}
  }
}

function namesFor(client: Client, sign_in: SignIn, scope: string): StandardClaim[] {
  const { id_token } = parseClaimsRequest(sign_in.claims)
  const by_name = allowedClaims(id_token, client.allowed_scopes)
  // OpenID Connect Core §5.4: where there is an access token, the claims of a scope are user information.
  return client.scope_claims_in_id_token ? [...new Set([...claimsOfScope(scope), ...by_name])] : by_name
}
