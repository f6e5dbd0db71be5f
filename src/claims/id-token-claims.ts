import type { Client } from '../clients/client-record.ts'
import type { Context } from '../context.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SignIn } from '../tokens/code-record.ts'
import { allowedClaims, type ClaimValue, claimsOf } from './claims.ts'
import { parseClaimsRequest } from './claims-request.ts'
import { findAccount } from './token-account.ts'

/**
 * The claims about the user that the client asked for in the id_token by name; storage is asked only where there are
 * any. With storage away there are none: the code or refresh token is spent by now, and no claim is worth failing for
 * (OpenID Connect Core §5.5.1).
 */
export async function idTokenClaims(
  context: Context,
  client: Client,
  sign_in: SignIn,
): Promise<Readonly<Record<string, ClaimValue>>> {
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
      'An id_token goes without the claims that were asked for: storage is away.',
    )
    return {}
  }
}
