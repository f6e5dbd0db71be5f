import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** What is signed: an entry, or a block of the chain. The two must not stand for each other. */
type Signed = 'entry' | 'block'

/** Returns the signature of a text with AUDIT_KEY: HMAC-SHA256, 43 base64url characters. */
export function signText(key: string, text: string, what: Signed = 'entry'): string {
  return createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`redmint audit ${what}\n${text}`)
    .digest('base64url')
}

/** Whether a text has this signature. */
export function hasSignature(key: string, text: string, mac: string, what: Signed = 'entry'): boolean {
  const expected = Buffer.from(signText(key, text, what))
  const given = Buffer.from(mac)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Returns the digest of an entry in the chain: SHA-256, 43 base64url characters. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}
