import type { Client } from '../clients/record/client-record.ts'
import { invalidScope } from '../core/grant-errors.ts'
import { isScopeOfSignIn, resolveScope } from '../core/scope.ts'
import { checkScopeOf, type TokenTarget, withoutRights } from '../resources/target.ts'

/**
 * Returns the scope of an exchanged token: what the subject token has, and the client may use at the target.
 * @param held the scopes of the subject token
 * @param has_details whether the token is for something without a scope, too
 * @throws OAuthError `invalid_scope` if that is nothing, or less than is requested
 */
export function exchangeScope(
  client: Client,
  planned: TokenTarget,
  requested: string | undefined,
  held: readonly string[],
  has_details = false,
): string {
  const target = withoutRights(planned)
  checkScopeOf(target, client, requested)
  const allowed = held.filter((name) => target.scopes.includes(name) && !isScopeOfSignIn(name))
  const scope = resolveScope(requested, allowed)
  if (scope !== '' || has_details) return scope
  throw invalidScope(
    'scope_not_allowed',
    'The subject_token has no scope that this client may obtain for this resource.',
    { received: { scope: [...held] }, expected: { scope: [...target.scopes] } },
  )
}
