import type { SET_TYP } from '../core/security-events.ts'
import { signJws } from '../keys/compact-jws.ts'
import type { SigningKey } from '../keys/ring.ts'
import { type VerifyingKeys, verifyJws } from './jws.ts'

/** The claims of a JWT (RFC 7519 §4). Those of `ExpectedClaims` are checked; others have any type. */
export type JwtClaims = Readonly<Record<string, unknown>>

/** The claims of a JWT, or the reason for the log why it is invalid; `signed`: its claims, if only they are wrong. */
export type VerifiedJwt = { ok: true; claims: JwtClaims } | { ok: false; reason: string; signed?: JwtClaims }

/** What the claims of a JWT must be. */
export interface ExpectedClaims {
  readonly issuer: string
  readonly audience?: string
  readonly required: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The types of the JWTs that this server signs (RFC 8725 §3.11). */
export type JwtType =
  | 'at+jwt'
  | 'JWT'
  | 'logout+jwt'
  | 'token-introspection+jwt'
  | 'oauth-id-jag+jwt'
  | 'statuslist+jwt'
  | typeof SET_TYP

/** The media type of an introspection response as a JWT (RFC 9701 §5). */
export const INTROSPECTION_JWT = 'application/token-introspection+jwt'

/** The media type of a status list as a JWT (draft-ietf-oauth-status-list §8.2). */
export const STATUS_LIST_JWT = 'application/statuslist+jwt'

/** Returns a signed JWT in JWS compact form with `alg`, `kid` and `typ` in its header. */
export function signJwt(
  key: Pick<SigningKey, 'alg' | 'kid' | 'privateKey'>,
  typ: JwtType,
  claims: object,
): string {
  return signJws(key, `${headerOf(key, typ)}.${encode(claims)}`)
}

/** The encoded headers of keys, by what they sign. */
const headers = new WeakMap<object, Map<JwtType, string>>()

function headerOf(key: Pick<SigningKey, 'alg' | 'kid'>, typ: JwtType): string {
  const of_key = headers.get(key) ?? new Map<JwtType, string>()
  const header = of_key.get(typ) ?? encode({ alg: key.alg, kid: key.kid, typ })
  if (!of_key.has(typ)) headers.set(key, of_key.set(typ, header))
  return header
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * Verifies a JWT of this server: its signature, its type and its claims.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyJwt(
  keys: VerifyingKeys,
  token: string,
  typ: Exclude<JwtType, 'logout+jwt' | 'oauth-id-jag+jwt' | 'statuslist+jwt' | typeof SET_TYP>,
  expected: ExpectedClaims,
): VerifiedJwt {
  const jws = verifyJws(keys, token, typ)
  if (typeof jws === 'string') return { ok: false, reason: jws }
  const reason = problemOf(jws.claims, expected, keys.notBefore)
  return reason === undefined ? { ok: true, claims: jws.claims } : { ok: false, reason, signed: jws.claims }
}

// RFC 7519 §4.1.
function problemOf(
  claims: JwtClaims,
  { issuer, audience, required, now }: ExpectedClaims,
  not_before: number,
): string | undefined {
  const { iss, aud, exp, nbf, iat } = claims
  const missing = required.find((name) => !Object.hasOwn(claims, name))
  if (missing !== undefined) return `without the claim ${missing}`
  if (iss !== issuer) return 'of another issuer'
  if (audience !== undefined && aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) {
    return 'for another audience'
  }
  const wrong = ['exp', 'nbf', 'iat'].find((name) => !isNumericDate(claims[name]))
  if (wrong !== undefined) return `the claim ${wrong} is not a number`
  const seconds = Math.floor(now / 1000)
  if (exp !== undefined && Number(exp) <= seconds) return 'expired'
  if (nbf !== undefined && Number(nbf) > seconds) return 'not valid yet'
  // Without a time it may be older.
  if (not_before > 0 && !(Number(iat) >= not_before)) return 'from before the restore mark'
  return undefined
}

function isNumericDate(value: unknown): boolean {
  return value === undefined || Number.isFinite(value)
}
