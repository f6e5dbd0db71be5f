// Time-based one-time passwords (RFC 6238) of six digits, with HMAC-SHA-1 and steps of 30 seconds, as every app makes them.
import { createHmac, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000

/** The code of a key (bytes) in one step. */
export function codeOf(key, step) {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  // RFC 4226 §5.3.
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** The step of a code: the present one, or one beside it, for clocks that differ (RFC 6238 §5.2). Undefined: it is wrong. */
export function stepOf(key, code, now) {
  if (!/^\d{6}$/.test(code)) return undefined
  const present = Math.floor(now / STEP_MS)
  const steps = [present, present - 1, present + 1]
  return steps.find((step) => timingSafeEqual(Buffer.from(codeOf(key, step)), Buffer.from(code)))
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A key as apps read it (RFC 4648 §6), without padding. */
export function base32(key) {
  const bits = [...key].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits
    .match(/.{1,5}/g)
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}
