import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { parseToken } from '../core/token-string.ts'

// A spent refresh token keeps its successor for a retry, sealed so that only who presents the spent token can
// read it: a dump of the storage holds no usable token. The key is derived anew for each operation and seals
// once, so the nonce may stay the same.
const NONCE = Buffer.alloc(12)
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

function key(spent: string, operation: string): Buffer {
  return Buffer.from(hkdfSync('sha256', spent, operation, 'redmint successor', 32))
}

/** Seals the secret part of `successor` for whoever presents `spent`: 64 base64url characters. */
export function sealSuccessor(spent: string, operation: string, successor: string): string {
  const cipher = createCipheriv(CIPHER, key(spent, operation), NONCE)
  const secret = Buffer.from(parseToken(successor)?.secret ?? '', 'base64url')
  return Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/**
 * The successor that `operation` sealed for `spent`.
 * @throws Error where it was sealed for another token or tampered with
 */
export function openSuccessor(spent: string, operation: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, key(spent, operation), NONCE)
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const secret = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
  return `${parseToken(spent)?.family}.${secret.toString('base64url')}`
}
