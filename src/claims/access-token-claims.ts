import type { Client } from '../clients/record/client-record.ts'
import type { CustomClaims } from '../core/custom-claims.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { customClaimsOf } from '../users/custom-claims.ts'
import { type CurrentAccountContext, currentAccount } from './current-account.ts'

/**
 * Returns the custom claims for a JWT access token that is issued for a user (RFC 9068 §2.2.3.1), or undefined if there
 * is no account or storage is unavailable.
 */
export async function accessTokenClaims(
  context: CurrentAccountContext,
  client: Client,
  sign_in: GrantFacts,
  scope: string,
): Promise<CustomClaims | undefined> {
  const user = await currentAccount(context, client, sign_in, 'An access token')
  return user && customClaimsOf(user.custom_claims, scope, context.settings.scope_claims)
}
