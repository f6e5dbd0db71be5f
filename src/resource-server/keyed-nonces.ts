import { createHmac, timingSafeEqual } from 'node:crypto'
import { judgePeriod, type NonceRules, noncePeriod } from '../dpop/nonce-period.ts'

const MIN_SECRET = 32
const PURPOSE = 'redmint/resource-server DPoP nonce'

/**
 * Returns the nonces of an API (RFC 9449 §9): an HMAC over the number of the minute. That of the minute before is
 * accepted too, and that of the next minute: it is of a process whose clock is ahead. Processes with the same secret
 * accept each other's nonces.
 * @param now milliseconds since 1970
 * @throws TypeError if the secret is too short
 */
export function keyedNonces(secret: string, now: () => number): NonceRules {
  if (Buffer.byteLength(secret) < MIN_SECRET) {
    throw new TypeError(
      `dpop.nonce_secret has fewer than ${MIN_SECRET} bytes: make one with \`openssl rand -base64 32\`.`,
    )
  }
  const nonceOf = (period: number) =>
    createHmac('sha256', secret).update(`${PURPOSE} ${period}`).digest('base64url')

  return {
    required: true,
    current: () => nonceOf(noncePeriod(now())),
    judge(nonce) {
      const instant = now()
      const period = noncePeriod(instant)
      const made_in = [period, period - 1, period + 1].find((one) => isSame(nonce, nonceOf(one)))
      return made_in === undefined ? undefined : judgePeriod(made_in, instant)
    },
  }
}

function isSame(nonce: string, expected: string): boolean {
  const [a, b] = [Buffer.from(nonce), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
