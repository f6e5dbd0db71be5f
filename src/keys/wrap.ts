import { createDecipheriv } from 'node:crypto'
import type { JWK } from 'jose'

// RFC 7518 §5.3.
const TAG_BYTES = 16
const EMPTY = Buffer.alloc(0)

/** A stored key: its private part is plain, or wrapped with KEY_ENCRYPTION_KEY (a JWE). */
export interface WrappableKey {
  readonly kid: string
  readonly private_jwk?: JWK
  readonly private_jwe?: string
}

/** A stored key is malformed or cannot be decrypted; the message has the kid and what to do. */
export class StoredKeyError extends Error {
  override readonly name = 'StoredKeyError'
}

/**
 * Returns the fields of a key record that hold its private part. With a key encryption key it is wrapped: a compact JWE
 * (RFC 7516), `dir` with A256GCM.
 */
export async function storedPrivateKey(
  private_jwk: JWK,
  kid: string,
  key_encryption_key: Uint8Array | undefined,
): Promise<Omit<WrappableKey, 'kid'>> {
  if (key_encryption_key === undefined) return { private_jwk }
  const { CompactEncrypt } = await import('jose/jwe/compact/encrypt')
  const private_jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(private_jwk)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
    .encrypt(key_encryption_key)
  return { private_jwe }
}

/**
 * Returns the private JWK of a key record.
 * @throws StoredKeyError if it is wrapped and KEY_ENCRYPTION_KEY is missing or wrong
 */
export function unwrapPrivateKey(record: WrappableKey, key_encryption_key: Uint8Array | undefined): JWK {
  if (record.private_jwk !== undefined) return record.private_jwk
  if (key_encryption_key === undefined) {
    throw new StoredKeyError(
      `The key ${record.kid} is wrapped: set KEY_ENCRYPTION_KEY to the key it was wrapped with.`,
    )
  }
  try {
    return JSON.parse(decrypt(record.private_jwe ?? '', key_encryption_key)) as JWK
  } catch {
    throw new StoredKeyError(
      `The key ${record.kid} was wrapped with another KEY_ENCRYPTION_KEY: set that one.`,
    )
  }
}

/**
 * Returns the plaintext of a compact JWE of storedPrivateKey (RFC 7516 §5.2). Every start does this, and jose would be
 * loaded for it. With `dir` there is no encrypted key, and the additional authenticated data is the encoded header.
 * @throws Error
 */
function decrypt(jwe: string, key: Uint8Array): string {
  const [header = '', _encrypted_key, ...rest] = jwe.split('.')
  const [iv = EMPTY, ciphertext = EMPTY, tag = EMPTY] = rest.map((part) => Buffer.from(part, 'base64url'))
  const { alg, enc, zip, crit } = JSON.parse(Buffer.from(header, 'base64url').toString())
  if (alg !== 'dir' || enc !== 'A256GCM' || zip !== undefined || crit !== undefined)
    throw new Error('The header is not one of storedPrivateKey.')
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(header)).setAuthTag(tag)
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8')
}
