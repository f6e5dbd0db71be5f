import { hash } from 'node:crypto'

/**
 * The length from which a presented secret can authenticate a client, in characters. New secrets need more
 * (docs/decisions/0036-secrets-of-clients.md).
 */
export const MIN_PRESENTED_LENGTH = 16

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
