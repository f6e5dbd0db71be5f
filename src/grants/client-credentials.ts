import { resolveScope } from '../core/scope.ts'
import { newFamilyId } from '../core/token-string.ts'
import type { GrantHandler } from './grant-handler.ts'

/** The client_credentials grant (RFC 6749 §4.4). */
export const clientCredentials: GrantHandler = {
  grant_type: 'client_credentials',
  registered_as: 'client_credentials',
  // RFC 6749 §4.4: "MUST only be used by confidential clients".
  public_clients: false,
  issues: { id_token: false, first_refresh_token: false },

  parse: (parameters) => ({
    familyId: newFamilyId,

    async write({ storage }, client, plan) {
      const scope = resolveScope(parameters.scope, client.allowed_scopes)
      if (plan.format === 'opaque') {
        const token = { token: plan.jti, client_id: client.client_id, scope }
        await storage.families.saveClientToken(token, plan.access_token_kept)
      }
      return { scope }
    },
  }),
}
