import { parseToken } from '../src/ids.ts'
import type { TokenStore } from '../src/storage/storage.ts'
import { Refusal } from './errors.ts'
import { instant, type Report } from './output.ts'
import { looksLikeJwt, readExpiry, readJwt } from './token-jwt.ts'

/**
 * The command `token revoke`. A refresh token dies with all that came of the same sign-in.
 * @throws Refusal where there is no such token, or it is a JWT
 */
export async function revokeToken(
  store: TokenStore,
  token: string,
  flags: { family?: true },
  now: number,
): Promise<Report> {
  if (looksLikeJwt(token)) throw refuseJwt(token, now)
  const parts = parseToken(token)
  if (parts === undefined) throw new Refusal('This has not the form of a token.')
  const record = await store.findToken(token)
  if (record === undefined) {
    throw new Refusal('There is no such token: it was never issued here, or it has expired and is gone.')
  }
  const family = flags.family === true || record.type === 'refresh_token'
  const familyRevoked = family && (await store.revokeGrant(parts.grant)) === 'ok'
  // Also after the family: a record written by hand may be in no family's index.
  await store.revokeToken(token)
  return {
    text: familyRevoked
      ? 'The token is revoked, and with it every other token of the same sign-in.'
      : `The token is revoked.${family ? ' No sign-in is recorded that it came of, so nothing else was.' : ''}`,
    json: { revoked: true, family: familyRevoked },
  }
}

function refuseJwt(token: string, now: number): Refusal {
  const expires_at = readExpiry(readJwt(token)?.claims ?? {})
  const until =
    expires_at === undefined ? '' : ` This one says that it expires at ${instant(expires_at, now)}.`
  return new Refusal(
    `A JWT access token cannot be revoked yet: servers accept it until it expires.${until} Revoke the refresh token of the same sign-in to end what could follow it.`,
  )
}
