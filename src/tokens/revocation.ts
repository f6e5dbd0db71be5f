import { authenticateClient, type Caller } from '../clients/client-auth.ts'
import type { Context } from '../context.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { isOpaqueToken } from '../core/token-string.ts'
import { CLOCK_SKEW } from '../keys/timing.ts'
import type { Storage } from '../storage/storage.ts'
import { verifyAccessJwt } from './access-jwt.ts'
import type { AccessToken } from './validation.ts'

/**
 * Answers a revocation request (RFC 7009 §2). A refresh token takes its family with it. What is unknown, ended
 * or another client's is left alone, and the answer is the same (RFC 7009 §2.2). Returns after the write.
 * @throws OAuthError; StorageUnavailable
 */
export async function revoke(context: Context, parameters: Parameters, caller: Caller): Promise<void> {
  const token = required(parameters, 'token')
  const { client_id } = await authenticateClient(context, caller, parameters)
  if (isOpaqueToken(token)) {
    await context.storage.families.revokeToken(token, client_id)
    return
  }
  const validation = await verifyAccessJwt(context, token)
  if (!validation.valid || validation.token.client_id !== client_id) return
  await revokeVerifiedJwt(context.storage, validation.token)
}

/**
 * Revokes a JWT that was verified. It has no record; one that is revoked gets one for the time that it has left.
 * @throws StorageUnavailable
 */
export async function revokeVerifiedJwt(
  { families }: Pick<Storage, 'families'>,
  { jti, client_id, subject, scope, expires_at }: AccessToken,
): Promise<void> {
  // By a clock that is behind it is good for longer.
  const until = new Date(expires_at.getTime() + CLOCK_SKEW * 1000)
  const fields = { type: 'access_token', subject, scope, client_id }
  await families.saveRevokedToken({ token: jti, fields }, until)
}
