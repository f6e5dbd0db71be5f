import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NonceRules } from '../dpop/check-proof.ts'

// Seconds. The clocks of two processes may differ by so much.
const PERIOD = 60
const MIN_SECRET = 32
const PURPOSE = 'redmint/resource-server DPoP nonce'

/**
 * Returns the nonces of an API (RFC 9449 §9): an HMAC over the number of the minute. The nonce of the minute before is
 * `old`; the nonce of the next minute is of a process whose clock is ahead. Processes with the same secret accept each
 * other's nonces.
 * @param now milliseconds since 1970
 * @throws TypeError if the secret is too short
 */
export function keyedNonces(secret: string, now: () => number): NonceRules {
  if (Buffer.byteLength(secret) < MIN_SECRET) {
    throw new TypeError(
      `dpop.nonce_secret has fewer than ${MIN_SECRET} bytes: make one with \`openssl rand -base64 32\`.`,
    )
  }
  let known: { readonly period: number; readonly nonces: readonly [string, string, string] } | undefined

  const nonceOf = (period: number) =>
    createHmac('sha256', secret).update(`${PURPOSE} ${period}`).digest('base64url')

  function windows() {
    const period = Math.floor(now() / 1000 / PERIOD)
    if (known?.period !== period) {
      known = { period, nonces: [nonceOf(period - 1), nonceOf(period), nonceOf(period + 1)] }
    }
    return known.nonces
  }

  return {
    required: true,
    current: () => windows()[1],
    judge(nonce) {
      const [before, current, next] = windows()
      if (isSame(nonce, current) || isSame(nonce, next)) return 'good'
      return isSame(nonce, before) ? 'old' : 'refused'
    },
  }
}

function isSame(nonce: string, expected: string): boolean {
  const [a, b] = [Buffer.from(nonce), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
