import {
  authenticateClient,
  type Caller,
  type ClientAuthContext,
} from '../clients/authentication/client-auth.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { isOpaqueToken } from '../core/token-string.ts'
import type { Storage } from '../storage/storage.ts'
import { verifyAccessJwt } from './access-jwt.ts'
import type { ValidAccessToken, ValidationContext } from './validation.ts'

type RevocationContext = Pick<ValidationContext, 'settings' | 'keys' | 'now'> &
  ClientAuthContext & {
    readonly storage: Pick<Storage, 'families'>
    readonly report: ReportEvent
  }

/**
 * Answers a revocation request (RFC 7009 §2). Revoking a refresh token revokes its family. A token that is unknown,
 * expired, revoked or issued to another client changes nothing and gets the same response (RFC 7009 §2.2).
 * @throws OAuthError; StorageUnavailable
 */
export async function revoke(
  context: RevocationContext,
  parameters: Parameters,
  caller: Caller,
): Promise<void> {
  const token = required(parameters, 'token')
  const { client_id } = await authenticateClient(context, caller, parameters)
  const event: SecurityEvent = { event: 'token_revoked', by: 'client', client_id }
  if (isOpaqueToken(token)) {
    await commit(context, [event], {}, (told) => context.storage.families.revokeToken(token, client_id, told))
    return
  }
  const validation = verifyAccessJwt(context, token)
  if (!validation.valid || validation.token.client_id !== client_id) return
  await commit(context, [event], {}, (told) => revokeVerifiedJwt(context.storage, validation.token, told))
}

/**
 * Revokes a verified JWT: writes a revoked token record for the rest of its lifetime.
 * @param told what the audit trail says of it, in the same step
 * @returns `again`: it was revoked before
 * @throws StorageUnavailable
 */
export async function revokeVerifiedJwt(
  { families }: Pick<Storage, 'families'>,
  { jti, client_id, subject, scope, expires_at, audience }: ValidAccessToken,
  told?: AuditEntries,
): Promise<'ok' | 'again'> {
  // A replica whose clock is slow accepts the JWT longer.
  const until = new Date(expires_at.getTime() + CLOCK_SKEW * 1000)
  const fields = {
    type: 'access_token',
    subject,
    scope,
    client_id,
    ...(audience && { audience: audience.join(' ') }),
  }
  return families.saveRevokedToken({ token: jti, fields }, until, told)
}
