import type { Client } from '../clients/record/client-record.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import { parseToken } from '../core/token-string.ts'
import type { GrantOnce } from '../storage/families.ts'
import type { SingleUse, UsedBefore } from '../storage/single-use.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { grantListings } from '../tokens/grant-listings.ts'
import { issuedAt, type TokenPlan } from '../tokens/plan.ts'
import { notedFor } from '../tokens/status-bits.ts'
import type { GrantContext, Granted } from './grant-handler.ts'

/**
 * Writes what is granted for the assertion of another issuer, and uses up what the request presents once: an access token,
 * and for a user its family.
 * @param single_uses with those of the plan; the first one names the family
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function grantAsserted(
  { storage, now }: Pick<GrantContext, 'storage' | 'now'>,
  client: Client,
  plan: TokenPlan,
  { scope, user, act }: Granted,
  single_uses: readonly SingleUse[] = plan.single_uses,
  told?: AuditEntries,
): Promise<'ok' | UsedBefore> {
  const { client_id } = client
  const is_jwt = plan.format === 'jwt'
  const { confirmation } = plan
  const acting = act && JSON.stringify(act)
  const noting = notedFor(plan, client, { is_own: user === undefined, ...(acting && { act: acting }) })
  // A JWT of a workload leaves nothing in storage but its note.
  if (is_jwt && single_uses.length === 0 && user === undefined) {
    if (noting.noted !== undefined) await storage.noted_jwts.add(noting.noted, plan.access_token_kept)
    return 'ok'
  }
  const { subject = '', ...sign_in }: Partial<GrantFacts> = user?.sign_in ?? {}
  const family = parseToken(plan.jti)?.family ?? ''
  const started_at = Number(sign_in.started_at)
  const grant: GrantOnce = {
    token: plan.jti,
    is_jwt,
    single_uses,
    ...(confirmation && { confirmation }),
    ...(acting && { act: acting }),
    ...noting,
    ...(user === undefined && issuedAt(client, plan)),
    client_id,
    scope,
    audience: plan.target.audience,
    access_token_ttl: plan.access_token_kept,
    ...(user && {
      user: {
        subject,
        fields: textsOf(sign_in),
        lists: grantListings(
          { family, started_at, client_id, username: sign_in.username },
          plan.access_token_kept + (now() - started_at) / 1000,
        ),
      },
    }),
  }
  return await storage.families.grantOnce(grant, told)
}

function textsOf(fields: object): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}
