import { randomBytes } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { secretHash } from '../../src/clients/client-secret.ts'

const SECRET_BYTES = 32

/** The minimum length of a given secret, in characters. */
export const MIN_SECRET_LENGTH = 32

/** Returns a new client secret: 256 random bits, 43 base64url characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** Returns why a given secret is refused, or undefined if it is accepted. */
export function secretProblem(client_secret: string): string | undefined {
  if (client_secret.length < MIN_SECRET_LENGTH) {
    return `has ${client_secret.length} characters, and needs at least ${MIN_SECRET_LENGTH}`
  }
  // RFC 6749 Appendix A.2.
  return /^[\x20-\x7E]+$/.test(client_secret) ? undefined : 'has characters that are not printable ASCII'
}

const UNITS = { m: 60, h: 3600, d: 86_400 } as const
const MAX_KEEP_DAYS = 90

/** Parses how long an old secret is kept, such as 24h; returns seconds. @throws InvalidArgumentError */
export function readKeep(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(value === '0' ? '0m' : value) ?? []
  const seconds = Number(digits) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)
  if (seconds <= MAX_KEEP_DAYS * UNITS.d) return seconds
  throw new InvalidArgumentError(
    `Give minutes, hours or days, at most ${MAX_KEEP_DAYS}d: 30m, 24h, 7d, or 0.`,
  )
}

/** The fields of the secret before the present one. */
export const OLD_SECRET_FIELDS = ['old_secret_hash', 'old_secret_created_at', 'old_secret_ends_at'] as const

/** Returns the fields of a new secret that was set at `now` (milliseconds since 1970). */
export function secretFields(client_secret: string, now: number) {
  return {
    client_secret_hash: secretHash(client_secret),
    client_secret_created_at: new Date(now).toISOString(),
  }
}
