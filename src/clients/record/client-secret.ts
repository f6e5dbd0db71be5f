import { hash, timingSafeEqual } from 'node:crypto'

/** Secrets with fewer characters are short. New secrets need more (docs/decisions/0036-secrets-of-clients.md). */
const SHORT_LENGTH = 16

/** Whether a secret is so short that it can be guessed (RFC 6749 §10.10). */
export function isShortSecret(client_secret: string): boolean {
  return client_secret.length < SHORT_LENGTH
}

const DIGEST_BYTES = 32

/** Returns the SHA-256 of a client secret in base64, as storage has it. */
export function secretHash(client_secret: string): string {
  return hash('sha256', client_secret, 'base64')
}

const EMPTY_SECRET_HASH = secretHash('')

/** Returns why a text cannot be the stored digest of a secret, or undefined if it can. */
export function digestProblem(value: string): string | undefined {
  if (value === EMPTY_SECRET_HASH) {
    return 'is the digest of an empty secret: give the client another one with redmint client rotate-secret'
  }
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === DIGEST_BYTES && bytes.toString('base64') === value
    ? undefined
    : 'is not a SHA-256 digest in base64 (44 characters)'
}

/** Returns why a text is no instant, or undefined if it is one. */
export function instantProblem(value: string): string | undefined {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value) && !Number.isNaN(Date.parse(value))
    ? undefined
    : 'must be an instant such as 2026-11-22T08:00:00.000Z'
}

/** The secrets of a client record. */
interface Secrets {
  readonly client_secret_hash?: string
  readonly old_secret_hash?: string
  readonly old_secret_ends_at?: string
}

// Compared with if there is no stored digest, so that the response takes the same time.
const NO_SECRET_HASH = Buffer.alloc(DIGEST_BYTES).toString('base64')

/**
 * Returns the stored digest of a presented secret, if it may authenticate the client at `now` (milliseconds since 1970).
 * It always takes the same steps: a client may be missing, and have one secret or two.
 */
export function matchingDigest(
  client_secret: string,
  client: Secrets | undefined,
  now: number,
): string | undefined {
  const presented = Buffer.from(secretHash(client_secret))
  const { client_secret_hash, old_secret_hash, old_secret_ends_at = '' } = client ?? {}
  const is_present = isSame(presented, client_secret_hash)
  const is_old = isSame(presented, old_secret_hash)
  if (is_present) return client_secret_hash
  return is_old && now < Date.parse(old_secret_ends_at) ? old_secret_hash : undefined
}

// A digest has one spelling in base64, and a record with another is malformed.
function isSame(presented: Buffer, stored: string | undefined): boolean {
  return timingSafeEqual(presented, Buffer.from(stored ?? NO_SECRET_HASH)) && stored !== undefined
}
