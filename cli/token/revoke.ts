import { parseToken } from '../../src/core/token-string.ts'
import { verifyAccessJwt } from '../../src/tokens/access-jwt.ts'
import { revokeVerifiedJwt } from '../../src/tokens/revocation.ts'
import { Refusal } from '../errors.ts'
import { instant, type Report } from '../output.ts'
import type { Opened } from '../run.ts'
import { withServersReason } from './inspect.ts'
import { explainJwt, looksLikeJwt } from './jwt.ts'
import { serverContext } from './validation.ts'

interface RevokeFlags {
  family?: true
}

/**
 * The command `token revoke`. A refresh token dies with all that came of the same sign-in.
 * @throws Refusal where there is no such token, or it is a JWT that no server accepts
 */
export function revokeToken(opened: Opened, token: string, flags: RevokeFlags): Promise<Report> {
  return (looksLikeJwt(token) ? revokeJwt : revokeOpaque)(opened, token, flags)
}

async function revokeOpaque({ storage }: Opened, token: string, flags: RevokeFlags): Promise<Report> {
  const parts = parseToken(token)
  if (parts === undefined) throw new Refusal('This has not the form of a token.')
  const record = await storage.families.findToken(token)
  if (record === undefined) {
    throw new Refusal('There is no such token: it was never issued here, or it has expired and is gone.')
  }
  const family = flags.family === true || record.type === 'refresh_token'
  const familyRevoked = family && (await storage.families.revokeFamily(parts.family)) === 'ok'
  // Also after the family: a record written by hand may be in no family's index.
  await storage.families.revokeToken(token)
  return report(family, familyRevoked)
}

async function revokeJwt(opened: Opened, token: string, flags: RevokeFlags): Promise<Report> {
  const { storage, now } = opened
  const family = flags.family === true
  const verified = await verifyAccessJwt(await serverContext(opened), token)
  if (!verified.valid) {
    const { reasons } = await explainJwt(opened, token)
    const said = withServersReason(reasons, verified.reason).join('; ')
    throw new Refusal(`No server accepts this JWT, so nothing was revoked: ${said}.`)
  }
  const { jti, expires_at } = verified.token
  const grant = parseToken(jti)?.family
  const familyRevoked = family && grant !== undefined && (await storage.families.revokeFamily(grant)) === 'ok'
  await revokeVerifiedJwt(storage, verified.token)
  const { text, json } = report(family, familyRevoked)
  const locally = `Below /api/ only servers with BEARER_CHECK_REVOCATION=true see that; others accept it until ${instant(expires_at, now)}.`
  return { text: `${text}\n${locally}`, json: { ...json, expires_at } }
}

function report(family: boolean, familyRevoked: boolean): Report {
  return {
    text: familyRevoked
      ? 'The token is revoked, and with it every other token of the same sign-in.'
      : `The token is revoked.${family ? ' No sign-in is recorded that it came of, so nothing else was.' : ''}`,
    json: { revoked: true, family: familyRevoked },
  }
}
