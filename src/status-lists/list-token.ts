import { deflateSync } from 'node:zlib'
import type { SigningKey } from '../keys/ring.ts'
import { signJwt } from '../tokens/jwt.ts'
import { LIST_SIZE } from './list-order.ts'

/** How long an API may use a list before it asks for a newer one, in seconds. */
export const LIST_TTL = 15

/** How long a list can be used by its `exp`, in seconds. */
const LIST_VALID = 60

/** Returns the bytes of a list in which these bits are set, the lowest bit first (draft-ietf-oauth-status-list §4.1). */
export function bytesOf(set: Iterable<number>): Uint8Array {
  const bytes = new Uint8Array(LIST_SIZE / 8)
  for (const index of set) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7))
  return bytes
}

/** Returns a status list as a signed JWT (draft-ietf-oauth-status-list §5.1). @param now milliseconds since 1970 */
export function signList(key: SigningKey, uri: string, bytes: Uint8Array, now: number): string {
  const iat = Math.floor(now / 1000)
  const lst = deflateSync(bytes).toString('base64url')
  return signJwt(key, 'statuslist+jwt', {
    ...{ sub: uri, iat, exp: iat + LIST_VALID, ttl: LIST_TTL },
    status_list: { bits: 1, lst },
  })
}
