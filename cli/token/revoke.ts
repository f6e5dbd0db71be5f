import { revokeToken } from '../../src/admin/tokens/revoke.ts'
import { instant } from '../../src/core/instant.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { tokenContext } from './inspect.ts'

interface RevokeFlags {
  family?: true
}

/**
 * The command `token revoke`. Revoking a refresh token always revokes its family.
 * @throws Refusal if the token is unknown, or a JWT that no server accepts
 */
export async function revoke(context: CommandContext, token: string, flags: RevokeFlags): Promise<Report> {
  const revoked = await revokeToken(tokenContext(context), token, flags.family === true)
  const { family_wanted, family, expires_at } = revoked
  const text = family
    ? 'The token and every other token of the same sign-in are revoked.'
    : `The token is revoked.${family_wanted ? ' It belongs to no recorded sign-in, so nothing else was revoked.' : ''}`
  const json = { revoked: true, family }
  if (expires_at === undefined) return { text, json }
  const note = `Below /api/ only servers with BEARER_CHECK_REVOCATION=true refuse it now; others accept it until ${instant(expires_at, context.now)}.`
  return { text: `${text}\n${note}`, json: { ...json, expires_at } }
}
