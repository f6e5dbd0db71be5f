import type { Calls } from '../calls.ts'
import type { Report } from '../output.ts'
import { when } from '../when.ts'

interface RevokeFlags {
  family?: true
}

/**
 * The command `token revoke`. Revoking a refresh token always revokes its family.
 * @throws AdminError `not_found` if the token is unknown, or a JWT that no server accepts
 */
export async function revoke({ call, now }: Calls, token: string, flags: RevokeFlags): Promise<Report> {
  const body = { token, family: flags.family === true }
  const { family, expires_at } = await call('revoke_token', { body })
  const text = family
    ? 'The token and every other token of the same sign-in are revoked.'
    : `The token is revoked.${flags.family ? ' It belongs to no recorded sign-in, so nothing else was revoked.' : ''}`
  const json = { revoked: true, family }
  if (expires_at === undefined) return { text, json }
  const note = `Below /api/ only servers with BEARER_CHECK_REVOCATION=true refuse it now; others accept it until ${when(expires_at, now)}.`
  return { text: `${text}\n${note}`, json: { ...json, expires_at } }
}
