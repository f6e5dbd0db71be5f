import { isUtf8 } from 'node:buffer'
import { constants, sign, verify } from 'node:crypto'
import { parseObject } from '../core/json.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
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
  const signature = sign(hash, Buffer.from(input, 'latin1'), { key: privateKey, ...options })
  return `${input}.${signature.toString('base64url')}`
}

/** Whether a signature is that of a JWS in compact form, by a key and the only algorithm of this key. */
export function isSignedBy(
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

/**
 * Returns the decoded parts of a JWS in compact form: header, payload and signature. Returns undefined unless they are
 * canonical base64url, because decoders also accept other spellings of the same bytes.
 */
export function splitJws(jws: string): [header: Buffer, payload: Buffer, signature: Buffer] | undefined {
  const [header, payload, signature, ...more] = jws.split('.', 4).map(decodePart)
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  return more.length === 0 ? [header, payload, signature] : undefined
}

function decodePart(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

/** Parses a decoded part of a JWS; undefined unless it is a JSON object in UTF-8. */
export function readJwsPart(bytes: Buffer): Record<string, unknown> | undefined {
  return isUtf8(bytes) ? parseObject(bytes.toString()) : undefined
}

/** Whether the `kid` of a header is one, or absent: it must be a string (RFC 7515 §4.1.4). */
export function isKidOrAbsent(kid: unknown): kid is string | undefined {
  return kid === undefined || typeof kid === 'string'
}

/**
 * Whether a header has extensions that must be understood (`crit`, RFC 7515 §4.1.11; redmint knows none), or `b64`, for
 * a payload that is not encoded, which a JWT never has (RFC 7797 §7).
 */
export function hasExtension(header: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')
}

/** Returns the media type that a `typ` names (RFC 7515 §4.1.9): in lower case, with its omitted prefix. */
export function mediaType(typ: string): string {
  return typ.includes('/') ? typ.toLowerCase() : `application/${typ.toLowerCase()}`
}
