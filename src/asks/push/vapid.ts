import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Settings } from '../../config/settings.ts'
import { signJwt } from '../../tokens/jwt.ts'

/** What this server is known by at push services (RFC 8292). */
export interface Vapid {
  readonly privateKey: KeyObject
  /** The public key, an uncompressed point in base64url: browsers bind what they allow to it. */
  readonly public_key: string
  readonly contact: string
}

// RFC 8292 §2: at most a day.
const LIFETIME = 12 * 3600

/** Returns what the settings say; undefined: nobody gets notices in browsers. */
export function readVapid({
  web_push_private_key,
  web_push_contact,
}: Pick<Settings, 'web_push_private_key' | 'web_push_contact'>): Vapid | undefined {
  if (web_push_private_key === undefined || web_push_contact === undefined) return undefined
  const pair = createECDH('prime256v1')
  const d = Buffer.from(web_push_private_key, 'base64')
  pair.setPrivateKey(d)
  const point = pair.getPublicKey()
  const text = (part: Buffer) => part.toString('base64url')
  const [x, y] = [text(point.subarray(1, 33)), text(point.subarray(33))]
  const jwk = { kty: 'EC', crv: 'P-256', d: text(d), x, y }
  return {
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    public_key: point.toString('base64url'),
    contact: web_push_contact,
  }
}

/** Returns the `Authorization` of a message to a push service (RFC 8292 §3). @param now milliseconds since 1970 */
export function vapidHeader(
  { privateKey, public_key, contact }: Vapid,
  endpoint: string,
  now: number,
): string {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + LIFETIME, sub: contact }
  const token = signJwt({ alg: 'ES256', kid: 'web-push', privateKey }, 'JWT', claims)
  return `vapid t=${token}, k=${public_key}`
}
