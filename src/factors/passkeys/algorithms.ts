/** ES256, RS256 and EdDSA (RFC 9053 §2, RFC 8812 §2), as they are asked for and accepted. */
export const ALGORITHMS = [-7, -257, -8] as const
