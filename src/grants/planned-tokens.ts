import type { Caller } from '../clients/authentication/client-auth.ts'
import type { Client } from '../clients/record/client-record.ts'
import { refreshTtlFor } from '../core/admin-scopes.ts'
import { certificateMissing } from '../core/client-errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { refreshTokenExpiresIn, type TokenPlan } from '../tokens/plan.ts'
import { notedFor } from '../tokens/status-bits.ts'
import type { PlannedTokens } from '../tokens/token-families.ts'

/**
 * Returns the thumbprint of the certificate that a token request binds its tokens to (RFC 8705 §3); undefined unless the
 * client is registered for that.
 * @throws OAuthError `invalid_request` if the client must send a certificate and there is none that can be used
 */
export function certificateBinding(
  { tls_client_certificate_bound_access_tokens: is_bound }: Client,
  caller: Pick<Caller, 'certificate'>,
): string | undefined {
  if (!is_bound) return undefined
  const presented = caller.certificate()
  if (!presented.ok) throw certificateMissing(presented.reason)
  return presented.certificate.thumbprint
}

/** Returns what the tokens of a plan are bound to, and the proofs and assertions that the write uses up. */
export function boundTo({ confirmation, single_uses }: TokenPlan) {
  return { ...(confirmation && { confirmation }), ...(single_uses.length > 0 && { single_uses }) }
}

/** Returns what an attempt to redeem a code writes: the tokens of the plan. */
export function plannedTokens(
  plan: TokenPlan,
  client: Pick<Client, 'client_id' | 'is_public'>,
): Omit<PlannedTokens, 'operation'> {
  return {
    // RFC 9449 §5, RFC 8705 §4: client authentication already binds the refresh token of a confidential client.
    binds_refresh_token: client.is_public,
    target: plan.target,
    access_token_ttl: plan.access_token_kept,
    refresh_token_ttl: plan.refresh_token_ttl,
    ...(plan.format === 'opaque' ? { access_token: plan.jti } : {}),
    ...(plan.refresh_token === undefined ? {} : { refresh_token: plan.refresh_token }),
    ...(plan.details === undefined ? {} : { details: plan.details }),
    ...(plan.refresh_scope === undefined ? {} : { refresh_scope: plan.refresh_scope }),
    ...(plan.refresh_token_idle_ttl === undefined ? {} : { idle_ttl: plan.refresh_token_idle_ttl }),
    ...boundTo(plan),
    ...notedFor(plan, client),
  }
}

/** Returns the first refresh token of a family for the response, on the same condition on which storage wrote it. */
export function firstRefreshToken(
  plan: TokenPlan,
  scope: string,
): { token: string; expires_in: number } | undefined {
  const { refresh_token: token, refresh_scope } = plan
  if (token === undefined) return undefined
  const names = scopeNames(scope)
  if (refresh_scope !== undefined && !names.includes(refresh_scope)) return undefined
  return { token, expires_in: refreshTokenExpiresIn(plan, refreshTtlFor(names, plan.refresh_token_ttl)) }
}

/** Returns the details of the access token: those that the request asks for, or all of the grant. */
export function detailsOf(
  { details }: Pick<TokenPlan, 'details'>,
  { authorization_details }: Pick<GrantFacts, 'authorization_details'>,
): string | undefined {
  return typeof details === 'object' ? details.text : authorization_details
}
