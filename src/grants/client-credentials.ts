import { invalidScope } from '../core/errors.ts'
import { needsUser, resolveScope, scopeNames } from '../core/scope.ts'
import { newFamilyId } from '../core/token-string.ts'
import type { GrantHandler } from './grant-handler.ts'

/** The client_credentials grant (RFC 6749 §4.4). */
export const clientCredentials: GrantHandler = {
  grant_type: 'client_credentials',
  registered_as: ['client_credentials'],
  // RFC 6749 §4.4: "MUST only be used by confidential clients".
  public_clients: false,
  issues: { id_token: false, first_refresh_token: false },

  parse: (parameters) => ({
    familyId: newFamilyId,

    async write({ storage }, client, plan) {
      const { target } = plan
      const scope = ownScope(parameters.scope, target.scopes ?? client.allowed_scopes)
      if (plan.format === 'opaque') {
        const { audience } = target
        const token = { token: plan.jti, client_id: client.client_id, scope, audience }
        await storage.families.saveClientToken(token, plan.access_token_kept)
      }
      return { scope }
    },
  }),
}

/**
 * Returns the scope to grant to a client that acts for itself: as resolveScope, without the names that need a user.
 * @throws OAuthError `invalid_scope` as resolveScope, or if the request has such a name
 */
export function ownScope(requested: string | undefined, allowed: readonly string[]): string {
  const about_user = scopeNames(requested ?? '').filter((name) => needsUser(name) && allowed.includes(name))
  if (about_user.length > 0) {
    throw invalidScope(
      `A token for the client itself has no user, and this scope is about one: ${about_user.join(' ')}. Leave it out.`,
    )
  }
  return resolveScope(
    requested,
    allowed.filter((name) => !needsUser(name)),
  )
}
