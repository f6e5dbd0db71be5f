import type { JWK } from 'jose'

// Direct use of the shared key (RFC 7518 §4.5).
const ALG = 'dir'
const ENC = 'A256GCM'

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
 * (RFC 7516).
 */
export async function storedPrivateKey(
  private_jwk: JWK,
  kid: string,
  key_encryption_key: Uint8Array | undefined,
): Promise<Omit<WrappableKey, 'kid'>> {
  if (key_encryption_key === undefined) return { private_jwk }
  const { CompactEncrypt } = await import('jose/jwe/compact/encrypt')
  const private_jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(private_jwk)))
    .setProtectedHeader({ alg: ALG, enc: ENC, kid })
    .encrypt(key_encryption_key)
  return { private_jwe }
}

/**
 * Returns the private JWK of a key record.
 * @throws StoredKeyError if it is wrapped and KEY_ENCRYPTION_KEY is missing or wrong
 */
export async function unwrapPrivateKey(
  record: WrappableKey,
  key_encryption_key: Uint8Array | undefined,
): Promise<JWK> {
  if (record.private_jwk !== undefined) return record.private_jwk
  if (key_encryption_key === undefined) {
    throw new StoredKeyError(
      `The key ${record.kid} is wrapped: set KEY_ENCRYPTION_KEY to the key it was wrapped with.`,
    )
  }
  const { compactDecrypt } = await import('jose/jwe/compact/decrypt')
  try {
    const { plaintext } = await compactDecrypt(record.private_jwe ?? '', key_encryption_key, {
      keyManagementAlgorithms: [ALG],
      contentEncryptionAlgorithms: [ENC],
    })
    return JSON.parse(new TextDecoder().decode(plaintext)) as JWK
  } catch {
    throw new StoredKeyError(
      `The key ${record.kid} was wrapped with another KEY_ENCRYPTION_KEY: set that one.`,
    )
  }
}
