import { type BinaryLike, createHmac } from 'node:crypto'

/**
 * Returns a key of 32 bytes by HKDF with SHA-256 (RFC 5869 §2): extract, then expand to one block. hkdfSync returns the
 * same and takes twice as long.
 */
export function derivedKey(secret: BinaryLike, salt: BinaryLike, info: string): Buffer {
  const pseudorandom = createHmac('sha256', salt).update(secret).digest()
  return createHmac('sha256', pseudorandom).update(`${info}\x01`).digest()
}
