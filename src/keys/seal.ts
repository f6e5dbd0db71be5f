import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { derivedKey } from '../core/hkdf.ts'

const CIPHER = 'aes-256-gcm'
// Each value has a key of its own, so the nonce can be constant and no key encrypts too often (NIST SP 800-38D §8.3).
const NONCE = Buffer.alloc(12)
const SALT_BYTES = 24
const TAG_BYTES = 16
const KID_BYTES = 6
const KID_CHARS = 8
const KID = /^[A-Za-z0-9_-]{8}\./
const MIN_CHARS = KID_CHARS + 1 + Math.ceil(((SALT_BYTES + TAG_BYTES) * 4) / 3)
const KEY_BYTES = 32

/** A key that seals. */
export interface SealingKey {
  /** 8 base64url characters. */
  readonly kid: string
  readonly secret: Buffer
}

/** Returns a new kid, and a new key as a symmetric JWK (RFC 7518 §6.4). */
export function newSealingKey(): { kid: string; jwk: { kty: 'oct'; k: string } } {
  const kid = randomBytes(KID_BYTES).toString('base64url')
  return { kid, jwk: { kty: 'oct', k: randomBytes(KEY_BYTES).toString('base64url') } }
}

/**
 * Returns a text, sealed for a purpose: `<kid>.<salt, ciphertext and tag>`, 63 characters and four for every three
 * bytes.
 */
export function sealWith({ kid, secret }: SealingKey, purpose: string, text: string): string {
  const salt = randomBytes(SALT_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(secret, salt, purpose), NONCE)
  const sealed = Buffer.concat([salt, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return `${kid}.${sealed.toString('base64url')}`
}

/** The kid of a sealed value; undefined if it does not begin like one, or is too short. Opening it reads the rest. */
export function kidOf(sealed: string): string | undefined {
  return sealed.length >= MIN_CHARS && KID.test(sealed) ? sealed.slice(0, KID_CHARS) : undefined
}

/** Returns the text of a value that this key sealed; undefined if it was not sealed for this purpose, or was changed. */
export function openWith({ secret }: SealingKey, purpose: string, sealed: string): string | undefined {
  const data = sealed.slice(KID_CHARS + 1)
  const bytes = Buffer.from(data, 'base64url')
  // The last character may have bits that belong to no byte: a value has one spelling (RFC 4648 §3.5).
  if (bytes.toString('base64url') !== data) return undefined
  const salt = bytes.subarray(0, SALT_BYTES)
  const decipher = createDecipheriv(CIPHER, keyOf(secret, salt, purpose), NONCE)
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const opened = decipher.update(bytes.subarray(SALT_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([opened, decipher.final()]).toString()
  } catch {
    return undefined
  }
}

function keyOf(secret: Buffer, salt: Buffer, purpose: string): Buffer {
  return derivedKey(secret, salt, `redmint ${purpose}`)
}
