import { CompactEncrypt, compactDecrypt, type JWK } from 'jose'
import { SigningKeyError, type SigningKeyRecord } from './key-record.ts'

/** Returns a private JWK encrypted with KEY_ENCRYPTION_KEY: a compact JWE (RFC 7516), `dir` with A256GCM. */
export function wrapPrivateKey(jwk: JWK, kid: string, key_encryption_key: Uint8Array): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(jwk)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
    .encrypt(key_encryption_key)
}

/**
 * Returns the private JWK of a key record.
 * @throws SigningKeyError if it is wrapped and KEY_ENCRYPTION_KEY is missing or wrong
 */
export async function unwrapPrivateKey(
  record: SigningKeyRecord,
  key_encryption_key: Uint8Array | undefined,
): Promise<JWK> {
  if (record.private_jwk !== undefined) return record.private_jwk
  if (key_encryption_key === undefined) {
    throw new SigningKeyError(
      `The signing key ${record.kid} is wrapped: set KEY_ENCRYPTION_KEY to the key it was wrapped with.`,
    )
  }
  try {
    const { plaintext } = await compactDecrypt(record.private_jwe ?? '', key_encryption_key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return JSON.parse(new TextDecoder().decode(plaintext)) as JWK
  } catch {
    throw new SigningKeyError(
      `The signing key ${record.kid} was wrapped with another KEY_ENCRYPTION_KEY: set that one.`,
    )
  }
}
