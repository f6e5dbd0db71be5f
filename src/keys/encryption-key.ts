import type { KeyObject } from 'node:crypto'
import type { EncryptionAlg } from '../core/algs.ts'
import { isObject } from '../core/json.ts'
import { isOfSmallOrder } from './small-order.ts'
import { isUsableRsa, readPublicKey } from './verification-key.ts'

/** A public key of another party, and an algorithm that encrypts to it. */
export interface EncryptionKey {
  readonly alg: EncryptionAlg
  readonly publicKey: KeyObject
  /** Absent if the key set does not name it. */
  readonly kid?: string
}

// To import a key takes time, and a key set at an address has room for hundreds.
const MAX_KEYS = 20

/**
 * Returns the first key of a key set (RFC 7517 §5) for each algorithm that can be encrypted to. Only those with `use`
 * `enc` are meant for that: OpenID Connect Registration §2 requires `use` where a client has keys of both kinds. Of these
 * the first 20 are tried.
 */
export function readEncryptionKeys({ keys }: Readonly<Record<string, unknown>>): readonly EncryptionKey[] {
  if (!Array.isArray(keys)) return []
  const meant = keys.filter((jwk) => isObject(jwk) && jwk.use === 'enc')
  const found = new Map<EncryptionAlg, EncryptionKey>()
  for (const jwk of meant.slice(0, MAX_KEYS)) {
    const alg = algOf(jwk)
    if (alg === undefined || found.has(alg)) continue
    const publicKey = readPublicKey(jwk)
    if (publicKey === undefined || !isUsable(publicKey)) continue
    found.set(alg, { alg, publicKey, ...(typeof jwk.kid === 'string' && { kid: jwk.kid }) })
  }
  return [...found.values()]
}

/**
 * Returns the algorithm of a key. RFC 7518 §4.6 and RFC 8037 §3.2 name further curves: to encrypt to them costs up to 15
 * times as much, and requests without credentials cause it.
 */
function algOf({ kty, crv, alg }: Readonly<Record<string, unknown>>): EncryptionAlg | undefined {
  const is_on_curve = (kty === 'EC' && crv === 'P-256') || (kty === 'OKP' && crv === 'X25519')
  const fitting = is_on_curve ? 'ECDH-ES' : kty === 'RSA' ? 'RSA-OAEP-256' : undefined
  return alg === undefined || alg === fitting ? fitting : undefined
}

/** Whether encryption to a key works. */
function isUsable(publicKey: KeyObject): boolean {
  // RFC 7518 §4.3.
  return publicKey.asymmetricKeyType === 'rsa' ? isUsableRsa(publicKey) : !isOfSmallOrder(publicKey)
}
