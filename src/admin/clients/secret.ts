import { randomBytes } from 'node:crypto'
import { secretHash } from '../../clients/record/client-secret.ts'
import { invalidField } from '../operation/problem.ts'

const SECRET_BYTES = 32

/** The minimum length of a given secret, in characters. */
export const MIN_SECRET_LENGTH = 32

/** The note below generated secrets. */
export const SECRETS_NOTE = 'Generated secrets are shown only once: only their SHA-256 is stored.'

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

/** Returns a given secret. @throws AdminError `invalid_field` if it is refused */
export function checkSecret(client_secret: string): string {
  const problem = secretProblem(client_secret)
  if (problem === undefined) return client_secret
  throw invalidField('client_secret', `client_secret ${problem}`)
}

/** The fields of the secret before the present one. */
export const OLD_SECRET_FIELDS = ['old_secret_hash', 'old_secret_created_at', 'old_secret_ends_at'] as const

/**
 * Returns the fields of a new secret that is set at `now` (milliseconds since 1970).
 * @param created_at when it was made, of a secret that a file brings along
 */
export function secretFields(client_secret: string, now: number, created_at?: string) {
  return {
    client_secret_hash: secretHash(client_secret),
    client_secret_created_at: created_at ?? new Date(now).toISOString(),
  }
}
