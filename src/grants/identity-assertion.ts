import { findAccountByEmail, findLinkedAccount } from '../accounts/linked-account.ts'
import type { Client } from '../clients/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import { refusedAssertion } from '../core/grant-errors.ts'
import { resolveScope, scopeNames } from '../core/scope.ts'
import type { Assertion } from '../issuers/verify-assertion.ts'
import type { TokenTarget } from '../resources/target.ts'
import type { GrantContext, Granted } from './grant-handler.ts'

/**
 * Returns what an identity assertion grant is granted (draft-ietf-oauth-identity-assertion-authz-grant-04 §4.4.1): a
 * token for the account that the assertion names, with the scopes that its issuer authorised.
 * @throws OAuthError `invalid_grant` without such an account, `invalid_scope`; StorageUnavailable
 */
export async function identityGrant(
  context: GrantContext,
  client: Client,
  { issuer, claims }: Assertion,
  requested: string | undefined,
  target: TokenTarget,
): Promise<Granted> {
  const user =
    issuer.account_by === 'subject'
      ? await findLinkedAccount(context, issuer.issuer, claims)
      : await findAccountByEmail(context, claims)
  if (user === undefined) throw refusedAssertion('no account here belongs to its user')
  const { iat, auth_time = iat, scope = '' } = claims
  const authorised = typeof scope === 'string' ? scopeNames(scope) : []
  const allowed = authorised.filter(
    (name) =>
      (target.scopes ?? client.allowed_scopes).includes(name) &&
      (issuer.scopes.length === 0 || issuer.scopes.includes(name)),
  )
  return {
    scope: resolveScope(requested, allowed),
    user: {
      sign_in: {
        subject: subjectFor(client, user.sub, context.settings),
        username: user.username,
        auth_time: typeof auth_time === 'number' ? Math.floor(auth_time) : Math.floor(context.now() / 1000),
        assertion_issuer: issuer.issuer,
      },
    },
  }
}
