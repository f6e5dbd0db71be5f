import { commit } from '../../core/commit.ts'
import type { SecurityEvent } from '../../core/events.ts'
import type { FamilyId } from '../../core/ids.ts'
import { parseToken } from '../../core/token-string.ts'
import { looksLikeJwt } from '../../keys/jwt-reader.ts'
import type { TokenFamilies } from '../../storage/families.ts'
import { verifyAccessJwt } from '../../tokens/access-jwt.ts'
import { revokeVerifiedJwt } from '../../tokens/revocation.ts'
import { AdminError } from '../operation/problem.ts'
import type { TokenContext } from './context.ts'
import { addServerReason } from './inspect.ts'
import { explainJwt } from './jwt.ts'
import { whereRecorded } from './stored-form.ts'
import { serverContext } from './validation.ts'

/** What was revoked. */
export interface RevokedToken {
  /** Whether the family was revoked, too: a token of a client for itself has none. */
  readonly family: boolean
  /** Of a JWT: until then an API that verifies it locally accepts it. */
  readonly expires_at?: Date
}

/**
 * Revokes a token. Revoking a refresh token always revokes its family.
 * @param family whether an access token's family is revoked, too
 * @throws AdminError `not_found` if the token is unknown, or a JWT that no server accepts; StorageUnavailable
 */
export function revokeToken(context: TokenContext, token: string, family: boolean): Promise<RevokedToken> {
  return (looksLikeJwt(token) ? revokeJwt : revokeOpaque)(context, token, family)
}

async function revokeOpaque(context: TokenContext, token: string, family: boolean): Promise<RevokedToken> {
  const parts = parseToken(token)
  if (parts === undefined) throw new AdminError('not_found', 'This does not have the form of a token.')
  const recorded = await whereRecorded(context, token)
  const { families } = recorded.storage
  const record = await families.findToken(token)
  // Also a refresh token that was replaced and has no record any more.
  const event: SecurityEvent = { event: 'token_revoked', by: 'operator', client_id: record?.client_id }
  const outcome = await commit(recorded, [event], {}, (told) => families.revokeToken(token, undefined, told))
  if (outcome !== 'ok' && outcome !== 'again') {
    throw new AdminError(
      'not_found',
      'The token is unknown: it was never issued here, or it expired and was deleted.',
    )
  }
  const is_wanted = family || record?.type !== 'access_token'
  return {
    family: is_wanted && (await endFamilyOf(context, families, parts.family, outcome, event)),
  }
}

async function revokeJwt(context: TokenContext, token: string, family: boolean): Promise<RevokedToken> {
  const { storage } = context
  const verified = verifyAccessJwt(await serverContext(context), token)
  if (!verified.valid) {
    const { reasons } = await explainJwt(context, token)
    const reason = addServerReason(reasons, verified.reason).join('; ')
    throw new AdminError('not_found', `No server accepts this JWT, so nothing was revoked: ${reason}.`)
  }
  const { jti, client_id, expires_at } = verified.token
  const grant = parseToken(jti)?.family
  const event: SecurityEvent = { event: 'token_revoked', by: 'operator', client_id }
  const outcome = await commit(context, [event], {}, (told) =>
    revokeVerifiedJwt(storage, verified.token, told),
  )
  // A JWT that was not revoked has no record, so nothing says which form the servers look for.
  const other = context.openOtherForm?.()
  if (other !== undefined) await revokeVerifiedJwt(other, verified.token)
  const revoked =
    family && grant !== undefined && (await endFamilyOf(context, storage.families, grant, outcome, event))
  return { family: revoked, expires_at }
}

/**
 * Revokes the family of a token, and reports it, unless that of the token did.
 * @param outcome what came of the token
 * @returns whether there is a family
 */
async function endFamilyOf(
  context: TokenContext,
  families: TokenFamilies,
  family: FamilyId,
  outcome: 'ok' | 'again',
  event: SecurityEvent,
): Promise<boolean> {
  const ended = await commit(context, outcome === 'again' ? [event] : [], {}, (told) =>
    families.revokeFamily(family, told),
  )
  return ended !== 'missing'
}
