import { constants, sign, verify } from 'node:crypto'
import type { SigningAlg } from '../core/algs.ts'
import { inSpan } from '../core/spans.ts'
import type { SigningKey } from './ring.ts'
import type { VerificationKey } from './verification-key.ts'

// RFC 7518 §3.3 to §3.5 and RFC 8037 §3.1.
const SIGNATURES = {
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  RS256: { hash: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING } },
  PS256: { hash: 'sha256', options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
  EdDSA: { hash: null, options: {} },
} as const satisfies Record<SigningAlg, object>

/** Returns a JWS in compact form (RFC 7515 §3.1): `input`, its encoded header and payload, with the signature. */
export function signJws({ alg, privateKey }: Pick<SigningKey, 'alg' | 'privateKey'>, input: string): string {
  const { hash, options } = SIGNATURES[alg]
  const signature = inSpan('sign', { 'redmint.alg': alg }, () =>
    sign(hash, Buffer.from(input, 'latin1'), { key: privateKey, ...options }),
  )
  return `${input}.${signature.toString('base64url')}`
}

/** Whether a signature is that of a JWS in compact form, by a key and the only algorithm of this key. */
export function hasSignature(
  { alg, publicKey, signature_length }: VerificationKey,
  jws: string,
  signature: Buffer,
): boolean {
  // OpenSSL also verifies an RSA signature without its leading zero bytes: a second spelling of the same token.
  if (signature.length !== signature_length) return false
  const { hash, options } = SIGNATURES[alg]
  const input = Buffer.from(jws.slice(0, jws.lastIndexOf('.')), 'latin1')
  return verify(hash, input, { key: publicKey, ...options }, signature)
}
