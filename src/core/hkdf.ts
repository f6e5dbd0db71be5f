import { hash } from 'node:crypto'

// In bytes: what SHA-256 reads at a time, and returns.
const BLOCK = 64
const DIGEST = 32

/** Returns a key of 32 bytes by HKDF with SHA-256 (RFC 5869 §2): extract, then expand to one block. */
export function derivedKey(secret: Buffer, salt: Buffer, info: string): Buffer {
  return hmacSha256(hmacSha256(salt, secret), Buffer.from(`${info}\x01`))
}

/**
 * Returns the HMAC with SHA-256 (RFC 2104 §2): by two hashes, at half the cost of createHmac, whose result is also a stream.
 * @throws RangeError if the key has more than 64 bytes
 */
export function hmacSha256(key: Buffer, text: Buffer): Buffer {
  if (key.length > BLOCK) throw new RangeError(`The key of an HMAC must have at most ${BLOCK} bytes.`)
  const inner = Buffer.allocUnsafe(BLOCK + text.length).fill(0x36, 0, BLOCK)
  const outer = Buffer.allocUnsafe(BLOCK + DIGEST).fill(0x5c, 0, BLOCK)
  for (let i = 0; i < key.length; i++) {
    inner[i] = 0x36 ^ (key[i] ?? 0)
    outer[i] = 0x5c ^ (key[i] ?? 0)
  }
  text.copy(inner, BLOCK)
  // Digests as binary text: one in a Buffer has memory of its own, which costs more than the digest.
  outer.write(hash('sha256', inner, 'binary'), BLOCK, 'binary')
  return Buffer.from(hash('sha256', outer, 'binary'), 'binary')
}
