import { usedBefore } from '../clients/authentication/used-before.ts'
import type { Client } from '../clients/record/client-record.ts'
import { scopeOf } from '../resources/target.ts'
import type { ClientToken } from '../storage/families.ts'
import type { NotedJwt } from '../storage/noted-jwts.ts'
import type { Storage } from '../storage/storage.ts'
import { issuedAt, type TokenPlan } from '../tokens/plan.ts'
import { notedFor } from '../tokens/status-bits.ts'
import type { GrantHandler } from './grant-handler.ts'

/** The client_credentials grant (RFC 6749 §4.4). */
export const clientCredentials: GrantHandler = {
  grant_type: 'client_credentials',
  parameters: {},
  issues: { id_token: false, first_refresh_token: false },

  parse: (parameters) => ({
    async write({ storage }, client, plan) {
      const { target } = plan
      const scope = scopeOf(target, client, parameters.scope)
      const { single_uses, format, access_token_kept } = plan
      const { noted } = notedFor(plan, client, { is_own: true })
      if (single_uses.length > 0) await saveOnce(storage, ownToken(client, plan, scope), plan, noted)
      else if (format === 'opaque') {
        await storage.families.saveClientToken(ownToken(client, plan, scope), access_token_kept)
      } else if (noted !== undefined) await storage.noted_jwts.add(noted, access_token_kept)
      return { scope }
    },
  }),
}

/** Returns the token of a client for itself. */
function ownToken(client: Client, plan: TokenPlan, scope: string): ClientToken {
  const { jti: token, confirmation, target } = plan
  const { client_id } = client
  const more = { ...(confirmation && { confirmation }), ...issuedAt(client, plan) }
  return { token, client_id, scope, audience: target.audience, ...more }
}

async function saveOnce(
  { families }: Pick<Storage, 'families'>,
  token: ClientToken,
  { format, single_uses, access_token_kept: access_token_ttl }: TokenPlan,
  noted: NotedJwt | undefined,
): Promise<void> {
  const is_jwt = format === 'jwt'
  const granted = await families.grantOnce({
    ...{ is_jwt, single_uses, access_token_ttl, ...token },
    ...(noted && { noted }),
  })
  if (granted !== 'ok') throw usedBefore(granted, token.client_id)
}
