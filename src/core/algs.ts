/** The algorithms that redmint signs with (RFC 7518 §3.1, RFC 8037 §3.1). */
export const SIGNING_ALGS = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const
export type SigningAlg = (typeof SIGNING_ALGS)[number]

/**
 * The names of what redmint verifies: `Ed25519` is a newer one of EdDSA with the only curve that it has here (RFC 9864
 * §2.2).
 */
export const VERIFIED_ALGS = [...SIGNING_ALGS, 'Ed25519'] as const

/**
 * Returns the algorithm that the `alg` of a header or a key of somebody else means; undefined: redmint does not verify
 * it.
 */
export function verifiedAlg(alg: unknown): SigningAlg | undefined {
  return alg === 'Ed25519' ? 'EdDSA' : SIGNING_ALGS.find((known) => known === alg)
}

/** The key management algorithms of what redmint encrypts to clients (RFC 7518 §4.1, RFC 8037 §3.2). */
export const ENCRYPTION_ALGS = ['ECDH-ES', 'RSA-OAEP-256'] as const
export type EncryptionAlg = (typeof ENCRYPTION_ALGS)[number]

/** The algorithms of the content (RFC 7518 §5.1). */
export const ENCRYPTION_ENCS = ['A256GCM'] as const
export type EncryptionEnc = (typeof ENCRYPTION_ENCS)[number]
