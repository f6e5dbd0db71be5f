import { randomUUID } from 'node:crypto'
import type { Client } from '../clients/client-record.ts'
import type { Context } from '../context.ts'
import type { LogoutNotice } from '../sessions/logout-queue.ts'
import { signJwt } from '../tokens/jwt.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
// Seconds; Back-Channel Logout §4 wants two minutes at most.
const TTL = 120

/**
 * A signed logout token (OpenID Connect Back-Channel Logout §2.4), another one at each call.
 * @throws StorageUnavailable while the key ring was not read for too long.
 */
export function signLogoutToken(
  { settings, keys, now }: Pick<Context, 'settings' | 'keys' | 'now'>,
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
    jti: randomUUID(),
    events: { [EVENT]: {} },
    sid,
  })
}
