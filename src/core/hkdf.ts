import { type BinaryLike, createHmac } from 'node:crypto'

/**
 * Returns a key of 32 bytes by HKDF with SHA-256 (RFC 5869 §2): extract, then expand to one block. hkdfSync returns the
 * same and takes twice as long.
 */
export function derivedKey(secret: BinaryLike, salt: BinaryLike, info: string): Buffer {
  return expandedKey(extractedKey(secret, salt), info)
}

/** Returns the key of 32 bytes from which `expandedKey` derives keys for several purposes (RFC 5869 §2.2). */
export function extractedKey(secret: BinaryLike, salt: BinaryLike): Buffer {
  return createHmac('sha256', salt).update(secret).digest()
}

/** Returns a key of 32 bytes for one purpose (RFC 5869 §2.3). */
export function expandedKey(extracted: Buffer, info: string): Buffer {
  return createHmac('sha256', extracted).update(`${info}\x01`).digest()
}
