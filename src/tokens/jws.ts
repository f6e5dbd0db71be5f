import { isUtf8 } from 'node:buffer'
import { constants, sign, verify } from 'node:crypto'
import { parseObject } from '../core/json.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'
import type { VerifiedJws } from '../keys/verified-jws.ts'

/** What verifying needs of the key ring. */
export type VerifyingKeys = Pick<KeyRing, 'verificationKey' | 'verified' | 'notBefore'>

/** Why a JWS is refused if no known key has its `kid`. */
export const UNKNOWN_KEY = 'its key is unknown'

/** Why a JWS is refused if its key is known and its signature is invalid. */
export const INVALID_SIGNATURE = 'its signature is invalid'

const ACCESS_TOKEN_TYPE = 'application/at+jwt'

// RFC 7518 §3.3 to §3.5 and RFC 8037 §3.1.
const SIGNATURES = {
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  RS256: { hash: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING } },
  PS256: { hash: 'sha256', options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
  EdDSA: { hash: null, options: {} },
} as const satisfies Record<SigningAlg, object>

/** Returns a JWS in compact form (RFC 7515 §3.1): `input`, its encoded header and payload, with the signature. */
export function signJws({ alg, privateKey }: SigningKey, input: string): string {
  const { hash, options } = SIGNATURES[alg]
  const signature = sign(hash, Buffer.from(input, 'latin1'), { key: privateKey, ...options })
  return `${input}.${signature.toString('base64url')}`
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

/**
 * Verifies a JWS of this server with the key that its `kid` names, and only with the algorithm of that key. Returns its
 * content, or the reason for the log why it is invalid. The claims are not checked.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyJws(keys: VerifyingKeys, token: string): VerifiedJws | string {
  const known = keys.verified.find(token)
  // The key may have been removed or replaced since.
  if (known !== undefined && keys.verificationKey(known.key.kid) === known.key) return known
  const jws = readJws(keys, token)
  // Other types are presented once or twice, and have claims about a user.
  if (typeof jws === 'object' && jws.typ === ACCESS_TOKEN_TYPE) keys.verified.keep(token, jws)
  return jws
}

function readJws(keys: VerifyingKeys, token: string): VerifiedJws | string {
  const parts = splitJws(token)
  if (parts === undefined) return 'not three parts in canonical base64url'
  const header = readObject(parts[0])
  if (header === undefined) return 'its header is not a JSON object'
  const { alg, kid, typ } = header
  // RFC 7515 §4.1.11: what must be understood is not. RFC 7797 §7: the payload of a JWT is encoded.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) return 'its header has an extension'
  const key = typeof kid === 'string' ? keys.verificationKey(kid) : undefined
  if (key === undefined) return UNKNOWN_KEY
  if (key.alg !== alg) return 'its algorithm is not that of its key'
  // OpenSSL also verifies an RSA signature without its leading zero bytes: a second spelling of the same token.
  if (parts[2].length !== key.signature_length) return INVALID_SIGNATURE
  const { hash, options } = SIGNATURES[key.alg]
  const input = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'latin1')
  if (!verify(hash, input, { key: key.publicKey, ...options }, parts[2])) return INVALID_SIGNATURE
  const claims = readObject(parts[1])
  if (claims === undefined) return 'its claims are not a JSON object'
  return { key, typ: typeof typ === 'string' ? mediaType(typ) : undefined, claims }
}

function readObject(bytes: Buffer): Record<string, unknown> | undefined {
  return isUtf8(bytes) ? parseObject(bytes.toString()) : undefined
}

/** Returns the media type that a `typ` names (RFC 7515 §4.1.9): in lower case, with its omitted prefix. */
export function mediaType(typ: string): string {
  return typ.includes('/') ? typ.toLowerCase() : `application/${typ.toLowerCase()}`
}
