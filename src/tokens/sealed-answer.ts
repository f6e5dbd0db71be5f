import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { parseToken } from '../core/token-string.ts'

// The record of a spent refresh token has its successor for a retry, encrypted with a key derived from the spent token,
// so a dump of storage contains no usable token. Each key encrypts once, so the nonce can be constant.
const NONCE = Buffer.alloc(12)
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

function key(spent: string, operation: string): Buffer {
  return Buffer.from(hkdfSync('sha256', spent, operation, 'redmint successor', 32))
}

/** Encrypts the secret part of `successor` with a key from `spent`. Returns 64 base64url characters. */
export function sealSuccessor(spent: string, operation: string, successor: string): string {
  const cipher = createCipheriv(CIPHER, key(spent, operation), NONCE)
  const secret = Buffer.from(parseToken(successor)?.secret ?? '', 'base64url')
  return Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/**
 * Returns the successor that `operation` sealed for `spent`.
 * @throws Error if it was sealed for another token or changed
 */
export function openSuccessor(spent: string, operation: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, key(spent, operation), NONCE)
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const secret = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
  return `${parseToken(spent)?.family}.${secret.toString('base64url')}`
}
