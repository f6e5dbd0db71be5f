import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { allowedClaims, type Claims, claimsFor, claimsOfScope } from './claims.ts'
import { parseClaimsRequest } from './claims-request.ts'
import { type CurrentAccountContext, currentAccount } from './current-account.ts'

/**
 * Returns the claims about the user for an id_token: those that the client requested by name, and with
 * `scope_claims_in_id_token` those of the granted scope. Returns none if storage is unavailable.
 */
export async function idTokenClaims(
  context: CurrentAccountContext,
  client: Client,
  sign_in: GrantFacts,
  scope: string,
): Promise<Claims> {
  const names = namesFor(client, sign_in, scope, context.settings)
  if (names.length === 0) return {}
  const user = await currentAccount(context, client, sign_in, 'An id_token')
  return user === undefined ? {} : claimsFor(client, user, names, context.log)
}

function namesFor(
  { scope_claims_in_id_token, allowed_scopes }: Client,
  sign_in: GrantFacts,
  scope: string,
  { scope_claims }: Pick<Settings, 'scope_claims'>,
): string[] {
  const { id_token } = parseClaimsRequest(sign_in.claims, scope_claims)
  const by_name = allowedClaims(id_token, allowed_scopes, scope_claims)
  // OpenID Connect Core §5.4: with an access token, the client gets the claims of a scope from the userinfo endpoint.
  return scope_claims_in_id_token
    ? [...new Set([...claimsOfScope(scope, scope_claims), ...by_name])]
    : by_name
}
