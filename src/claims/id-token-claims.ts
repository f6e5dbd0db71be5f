import type { Client } from '../clients/client-record.ts'
import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SignIn } from '../tokens/code-record.ts'
import { findAccount, type TokenAccountContext } from '../tokens/token-account.ts'
import { allowedClaims, type Claims, claimsOf } from './claims.ts'
import { parseClaimsRequest } from './claims-request.ts'

/**
 * Returns the claims that the client requested by name for the id_token. Returns none if storage is unavailable,
 * because the code or refresh token is already spent (OpenID Connect Core §5.5.1).
 */
export async function idTokenClaims(
  context: TokenAccountContext & { readonly log: Log },
  client: Client,
  sign_in: SignIn,
): Promise<Claims> {
  const { id_token } = parseClaimsRequest(sign_in.claims)
  const names = allowedClaims(id_token, client.allowed_scopes)
  if (names.length === 0) return {}
  try {
    const user = await findAccount(context, client, sign_in)
    return user === undefined ? {} : claimsOf(user, names, context.log)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    context.log.warn(
      { err: error },
      'An id_token is issued without the claims requested by name: storage is unavailable.',
    )
    return {}
  }
}
