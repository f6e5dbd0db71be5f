/** The algorithms that redmint signs with (RFC 7518 §3.1, RFC 8037 §3.1). */
export const SIGNING_ALGS = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const
export type SigningAlg = (typeof SIGNING_ALGS)[number]
