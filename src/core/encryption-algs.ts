/** The key management algorithms of what redmint encrypts to clients (RFC 7518 §4.1, RFC 8037 §3.2). */
export const ENCRYPTION_ALGS = ['ECDH-ES', 'RSA-OAEP-256'] as const
export type EncryptionAlg = (typeof ENCRYPTION_ALGS)[number]

/** The algorithms of the content (RFC 7518 §5.1). */
export const ENCRYPTION_ENCS = ['A256GCM'] as const
export type EncryptionEnc = (typeof ENCRYPTION_ENCS)[number]
