import { instant } from '../../src/core/instant.ts'
import { parseToken } from '../../src/core/token-string.ts'
import { looksLikeJwt } from '../../src/keys/jwt-reader.ts'
import { verifyAccessJwt } from '../../src/tokens/access-jwt.ts'
import { revokeVerifiedJwt } from '../../src/tokens/revocation.ts'
import { Refusal } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { addServerReason } from './inspect.ts'
import { explainJwt } from './jwt.ts'
import { whereRecorded } from './stored-form.ts'
import { serverContext } from './validation.ts'

interface RevokeFlags {
  family?: true
}

/**
 * The command `token revoke`. Revoking a refresh token always revokes its family.
 * @throws Refusal if the token is unknown, or a JWT that no server accepts
 */
export function revokeToken(context: CommandContext, token: string, flags: RevokeFlags): Promise<Report> {
  return (looksLikeJwt(token) ? revokeJwt : revokeOpaque)(context, token, flags)
}

async function revokeOpaque(context: CommandContext, token: string, flags: RevokeFlags): Promise<Report> {
  const parts = parseToken(token)
  if (parts === undefined) throw new Refusal('This does not have the form of a token.')
  const { storage, report: reportEvent } = await whereRecorded(context, token)
  const record = await storage.families.findToken(token)
  // Also a refresh token that was replaced and has no record any more.
  const outcome = await storage.families.revokeToken(token)
  if (outcome !== 'ok') {
    throw new Refusal('The token is unknown: it was never issued here, or it expired and was deleted.')
  }
  reportEvent({ event: 'token_revoked', by: 'operator', client_id: record?.client_id })
  const family = flags.family === true || record?.type !== 'access_token'
  const familyRevoked = family && (await storage.families.revokeFamily(parts.family)) === 'ok'
  return report(family, familyRevoked)
}

async function revokeJwt(context: CommandContext, token: string, flags: RevokeFlags): Promise<Report> {
  const { storage, now } = context
  const family = flags.family === true
  const verified = verifyAccessJwt(await serverContext(context), token)
  if (!verified.valid) {
    const { reasons } = await explainJwt(context, token)
    const reason = addServerReason(reasons, verified.reason).join('; ')
    throw new Refusal(`No server accepts this JWT, so nothing was revoked: ${reason}.`)
  }
  const { jti, client_id, expires_at } = verified.token
  const grant = parseToken(jti)?.family
  const familyRevoked = family && grant !== undefined && (await storage.families.revokeFamily(grant)) === 'ok'
  await revokeVerifiedJwt(storage, verified.token)
  // A JWT that was not revoked has no record, so nothing says which form the servers look for.
  await revokeVerifiedJwt(context.openOtherForm(), verified.token)
  context.report({ event: 'token_revoked', by: 'operator', client_id })
  const { text, json } = report(family, familyRevoked)
  const note = `Below /api/ only servers with BEARER_CHECK_REVOCATION=true refuse it now; others accept it until ${instant(expires_at, now)}.`
  return { text: `${text}\n${note}`, json: { ...json, expires_at } }
}

function report(family: boolean, familyRevoked: boolean): Report {
  return {
    text: familyRevoked
      ? 'The token and every other token of the same sign-in are revoked.'
      : `The token is revoked.${family ? ' It belongs to no recorded sign-in, so nothing else was revoked.' : ''}`,
    json: { revoked: true, family: familyRevoked },
  }
}
