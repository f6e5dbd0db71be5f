// The one reader of JWTs that somebody else made. What every JWT must be stands here, with the sections of RFC 8725, the
// best current practices for JWTs; what a kind of JWT must say stands where it is used.
import { isUtf8 } from 'node:buffer'
import { type SigningAlg, VERIFIED_ALGS, verifiedAlg } from '../core/algs.ts'
import { parseObject } from '../core/json.ts'
import { hasSignature } from './compact-jws.ts'
import type { VerificationKey } from './verification-key.ts'

/** A decoded JWT of which nothing is checked: to show it, and to say what is wrong with it. */
export interface DecodedJwt {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** A type in a header (RFC 7515 §4.1.9), without `application/`; undefined: none. */
export type JwtTypeName = string | undefined

/** A JWT of the right form, which may be one of another kind. Nothing of it is proven. */
export interface UntypedJwt {
  readonly alg: SigningAlg
  readonly kid: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
  /** Returns the JWT if its type is one of these, or the reason why it is refused. */
  ofType(types: readonly JwtTypeName[]): UnverifiedJwt | string
}

/** A JWT of the expected kind. It is proven once isSignedBy says so. */
export interface UnverifiedJwt extends Omit<UntypedJwt, 'ofType'> {
  /** The key in its header: only a DPoP proof is verified by it (RFC 9449 §4.2). */
  readonly jwk: unknown
  /** Whether its signature is by this key, with the only algorithm of the key. */
  isSignedBy(key: VerificationKey): boolean
}

/**
 * Reads a JWT. Its header does not leave this function: nobody can use a key or an address in it (RFC 8725 §3.10).
 * @param max_length in characters: what comes later costs time in proportion to it
 * @returns the reason why it is refused if it is malformed
 */
export function readJwt(jwt: string, max_length: number): UntypedJwt | string {
  if (jwt.length > max_length) return `it is longer than ${max_length} characters`
  const parts = splitJws(jwt)
  if (parts === undefined) return 'it is not a JWT: three parts in base64url'
  const [header, claims] = [readPart(parts[0]), readPart(parts[1])]
  if (header === undefined || claims === undefined) return 'its header or its claims are not a JSON object'
  // RFC 7515 §4.1.11: extensions must be understood, and redmint knows none. RFC 7797 §7: a JWT has no `b64`.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) return 'its header has crit or b64'
  // RFC 8725 §3.1 and §3.2: neither unsigned, nor signed with a secret, nor encrypted.
  const alg = verifiedAlg(header.alg)
  if (alg === undefined) return `its alg is none of ${VERIFIED_ALGS.join(', ')}`
  const { kid, typ, jwk } = header
  // RFC 7515 §4.1.4 and §4.1.9.
  if (!isTextOrAbsent(kid)) return 'its kid is not a string'
  if (!isTextOrAbsent(typ)) return 'its typ is not a string'
  const read = { alg, kid, claims }
  const isSignedBy = (key: VerificationKey) => key.alg === alg && hasSignature(key, jwt, parts[2])
  return {
    ...read,
    // RFC 8725 §3.11: the type keeps one kind of JWT from passing as another.
    ofType: (types) =>
      types.some((one) => isSameType(one, typ)) ? { ...read, jwk, isSignedBy } : wrongType(types),
  }
}

/** Whether a text has the three parts of a JWT, which no other token has. */
export function looksLikeJwt(text: string): boolean {
  return /^[^.]+\.[^.]+\.[^.]*$/.test(text)
}

/**
 * Whether a text begins with the header of a JWT, signed or encrypted: a JSON object with an algorithm, and a dot (RFC 7515
 * §7.1, RFC 7516 §7.1). Neither an address nor a name does; what is left of a JWT that was cut does, too.
 */
export function hasJwtHeader(text: string): boolean {
  const end = text.indexOf('.')
  const header = end < 0 ? undefined : readPart(Buffer.from(text.slice(0, end), 'base64url'))
  return typeof header?.alg === 'string'
}

/** Returns the content of a JWT in its one spelling, whatever its header says; undefined if it is none. */
export function decodeJwt(jwt: string): DecodedJwt | undefined {
  const parts = splitJws(jwt)
  const [header, claims] = [parts && readPart(parts[0]), parts && readPart(parts[1])]
  return header === undefined || claims === undefined ? undefined : { header, claims }
}

type Parts = readonly [header: Buffer, payload: Buffer, signature: Buffer]

/** RFC 7515 §7.1. Only canonical base64url, because decoders also accept other spellings of the same bytes. */
function splitJws(jws: string): Parts | undefined {
  const [header, payload, signature, ...more] = jws.split('.', 4).map(decodePart)
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  return more.length === 0 ? [header, payload, signature] : undefined
}

function decodePart(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

/** RFC 8725 §3.7: in UTF-8. */
function readPart(bytes: Buffer): Record<string, unknown> | undefined {
  return isUtf8(bytes) ? parseObject(bytes.toString()) : undefined
}

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string'

const isSameType = (expected: JwtTypeName, typ: JwtTypeName) =>
  expected?.toLowerCase() === typ?.toLowerCase().replace(/^application\//, '')

const wrongType = (types: readonly JwtTypeName[]) =>
  `its typ must be ${types.filter((one) => one !== undefined).join(' or ')}`
