import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { newId } from '../core/token-string.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { LogoutNotice } from '../sessions/logout-queue.ts'
import { signJwt } from '../tokens/jwt.ts'

/** The event of a logout token (OpenID Connect Back-Channel Logout §2.4). */
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
// In seconds; Back-Channel Logout §4 recommends at most two minutes.
const TTL = 120

/** The dependencies of signLogoutToken. */
export interface LogoutTokenContext {
  readonly settings: Pick<Settings, 'issuer' | 'id_token_alg'>
  readonly keys: Pick<KeyRing, 'signingKey'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Returns a signed logout token (OpenID Connect Back-Channel Logout §2.4), with a new `jti` at each call.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function signLogoutToken(
  { settings, keys, now }: LogoutTokenContext,
  client: Pick<Client, 'client_id' | 'id_token_signed_response_alg'>,
  { sub, sid }: Pick<LogoutNotice, 'sub' | 'sid'>,
): string {
  const iat = Math.floor(now() / 1000)
  const key = keys.signingKey(client.id_token_signed_response_alg ?? settings.id_token_alg)
  return signJwt(key, 'logout+jwt', {
    iss: settings.issuer,
    sub,
    aud: client.client_id,
    iat,
    exp: iat + TTL,
    jti: newId(),
    events: { [LOGOUT_EVENT]: {} },
    sid,
  })
}
