import { createPublicKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { SigningAlg } from '../core/algs.ts'
import type { SigningKeyRecord } from './key-record.ts'
import { isOfSmallOrder } from './small-order.ts'
import { StoredKeyError } from './wrap.ts'

/** A published key, and the only algorithm that it verifies. */
export interface VerificationKey {
  readonly kid: string
  readonly alg: SigningAlg
  readonly publicKey: KeyObject
  /** The length of each of its signatures in bytes. */
  readonly signature_length: number
}

/**
 * Returns the public key of a key record.
 * @throws StoredKeyError if it is not a key for the algorithm of the record
 */
export function verificationKeyOf(record: SigningKeyRecord): VerificationKey {
  const { kid, alg, public_jwk } = record
  const key = readVerificationKey(kid, alg, public_jwk)
  if (key === undefined) {
    throw new StoredKeyError(
      `The signing key ${kid} is not a key for ${alg}: restore the field ${kid} of the hash signing-keys, or remove it.`,
    )
  }
  return key
}

// RFC 7518 §6.2.1.1, RFC 8037 §2.
const CURVES: Readonly<Partial<Record<SigningAlg, string>>> = { ES256: 'P-256', EdDSA: 'Ed25519' }

/** Returns the key in a JWK, or undefined if it is not a public key for the algorithm. */
export function readVerificationKey(
  kid: string,
  alg: SigningAlg,
  jwk: JWK | Readonly<Record<string, unknown>>,
): VerificationKey | undefined {
  // First, because OpenSSL takes a millisecond to import a key of P-521.
  const publicKey = jwk.crv === CURVES[alg] ? readPublicKey(jwk) : undefined
  if (publicKey === undefined || !fits(alg, publicKey)) return undefined
  return { kid, alg, publicKey, signature_length: signatureLength(publicKey) }
}

/** Returns the length of the signatures by a key in bytes: RFC 8017 §8.1.2 and §8.2.2, RFC 7518 §3.4, RFC 8032 §5.1.6. */
export function signatureLength({ asymmetricKeyDetails }: KeyObject): number {
  const { modulusLength } = asymmetricKeyDetails ?? {}
  return modulusLength === undefined ? 64 : Math.ceil(modulusLength / 8)
}

/** Returns the public key in a JWK, or undefined if it has none. */
export function readPublicKey(jwk: object): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' })
  } catch {
    return undefined
  }
}

// A larger key, or a larger exponent, would make each verification and each encryption slow.
const MAX_MODULUS = 8192
const MAX_EXPONENT = 2n ** 32n

function fits(alg: SigningAlg, publicKey: KeyObject): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey
  switch (alg) {
    // RFC 7518 §3.4.
    case 'ES256':
      return asymmetricKeyDetails?.namedCurve === 'prime256v1'
    // RFC 7518 §3.3 and §3.5.
    case 'RS256':
    case 'PS256':
      return asymmetricKeyType === 'rsa' && isUsableRsa(publicKey)
    // RFC 8037 §3.1; redmint makes Ed25519 keys only.
    case 'EdDSA':
      return asymmetricKeyType === 'ed25519' && !isOfSmallOrder(publicKey)
  }
}

/**
 * Whether an RSA key is long enough (RFC 7518 §3.3, §4.3), short enough to be fast, and one whose private operation is
 * not known to everybody: modulus and exponent are odd, and the exponent is at least 3 (RFC 8017 §3.1).
 */
export function isUsableRsa(publicKey: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = publicKey.asymmetricKeyDetails ?? {}
  if (modulusLength < 2048 || modulusLength > MAX_MODULUS) return false
  if (publicExponent < 3n || publicExponent >= MAX_EXPONENT || publicExponent % 2n === 0n) return false
  const { n = '' } = publicKey.export({ format: 'jwk' })
  return ((Buffer.from(n, 'base64url').at(-1) ?? 0) & 1) === 1
}
