import type { KeyObject } from 'node:crypto'
import { ENCRYPTION_ALGS, type EncryptionAlg } from '../core/encryption-algs.ts'
import { isObject } from '../core/json.ts'
import { isUsableRsa, readPublicKey } from './verification-key.ts'

/** A public key of another party, and an algorithm that encrypts to it. */
export interface EncryptionKey {
  readonly alg: EncryptionAlg
  readonly publicKey: KeyObject
  /** Absent if the key set does not name it. */
  readonly kid?: string
}

// To import a key takes up to a millisecond, and a key set at an address has room for hundreds.
const MAX_KEYS = 20

// RFC 7518 §6.2.1.1.
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

/**
 * Returns the keys of a key set (RFC 7517 §5) that can be encrypted to, in its order. Only those with `use` `enc` are
 * meant for that: OpenID Connect Registration §2 requires `use` where a client has keys of both kinds. Of these the
 * first 20 are read.
 */
export function readEncryptionKeys({ keys }: Readonly<Record<string, unknown>>): readonly EncryptionKey[] {
  if (!Array.isArray(keys)) return []
  const meant = keys.filter((jwk) => isObject(jwk) && jwk.use === 'enc')
  return meant.slice(0, MAX_KEYS).flatMap(readKey)
}

function readKey(jwk: Record<string, unknown>): EncryptionKey[] {
  const { kid, alg } = jwk
  const publicKey = readPublicKey(jwk)
  if (publicKey === undefined) return []
  const named = typeof kid === 'string' ? { kid } : {}
  const algs = ENCRYPTION_ALGS.filter((known) => alg === undefined || alg === known)
  return algs.flatMap((known) => (fits(known, publicKey) ? [{ alg: known, publicKey, ...named }] : []))
}

function fits(alg: EncryptionAlg, { asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  switch (alg) {
    // RFC 7518 §4.6, RFC 8037 §3.2.
    case 'ECDH-ES':
      return asymmetricKeyType === 'x25519' || CURVES.includes(asymmetricKeyDetails.namedCurve ?? '')
    // RFC 7518 §4.3.
    case 'RSA-OAEP-256':
      return asymmetricKeyType === 'rsa' && isUsableRsa(asymmetricKeyDetails)
  }
}
