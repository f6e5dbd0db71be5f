import { isObject, parseJson } from './json.ts'

/** The value of a claim that an operator defines: a text, a number, a boolean, a list or an object. */
export type ClaimValue = string | number | boolean | readonly ClaimValue[] | ClaimObject
interface ClaimObject {
  readonly [member: string]: ClaimValue
}

/** Claims that an operator defines, by name. */
export type CustomClaims = Readonly<Record<string, ClaimValue>>

/** A claim read from JSON, or its problem, as text that completes "<name> …". */
type ReadClaim = { readonly value: ClaimValue } | { readonly problem: string }

/** The names of the standard claims except `sub` (OpenID Connect Core §5.1). */
export const STANDARD_CLAIM_NAMES = [
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'email',
  'email_verified',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phone_number',
  'phone_number_verified',
  'address',
  'updated_at',
] as const

/** Claims that say what a token is, whom it is for and how it came about: an operator must not set them. */
const RESERVED = new Set([
  // RFC 7519 §4.1, RFC 7800 §3.1, RFC 8417 §2.2, RFC 8693 §4.
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf', 'events', 'toe', 'txn', 'act', 'may_act'],
  // OpenID Connect Core §2, §3.1.3.6, §3.3.2.11 and §7.4; Back-Channel Logout §2.4.
  ...['nonce', 'auth_time', 'acr', 'amr', 'azp', 'at_hash', 'c_hash', 's_hash', 'sub_jwk', 'sid'],
  // RFC 9068 §2.2, RFC 7662 §2.2, RFC 9396 §9.
  ...['client_id', 'scope', 'active', 'username', 'token_type', 'token_use', 'authorization_details'],
  // Fields of a user that are no claims.
  ...['disabled', 'password', 'password_hash'],
])

const STANDARD = new Set<string>(STANDARD_CLAIM_NAMES)
// Also URIs, with which names do not collide. No separator of SCOPE_CLAIMS or of the record of a code.
const NAME = /^[A-Za-z][\w.:/~-]{0,127}$/

/** The longest JSON text of a custom claim, in bytes. */
const MAX_CLAIM = 4096
/**
 * The longest JSON object of the custom claims of a record, in bytes: a JWT access token that has all of them is accepted
 * in a header (docs/decisions/0072-tokens-that-come-back.md).
 */
export const MAX_CUSTOM_CLAIMS = 8192

/** Returns why a name cannot be that of a custom claim, as text that completes "<name> …"; undefined if it can. */
export function claimNameProblem(name: string): string | undefined {
  if (RESERVED.has(name)) return 'cannot be set as a claim: its meaning is fixed'
  if (STANDARD.has(name)) return 'is a standard claim (OpenID Connect Core §5.1) with a field of its own'
  if (NAME.test(name)) return undefined
  return 'is not a claim name: 1 to 128 letters, digits and ".", "_", ":", "/", "~", "-", beginning with a letter'
}

/** Reads the value of a custom claim from a JSON text. */
export function readClaimJson(json: string): ReadClaim {
  const value = parseJson(json)
  if (value === undefined) return { problem: `must be JSON: true, 7, ["a","b"], {"a":"b"}, or "a" in quotes` }
  return readClaimValue(value)
}

/** Reads the value of a custom claim. */
export function readClaimValue(value: unknown): ReadClaim {
  if (!isClaimValue(value)) {
    return {
      problem: 'must be a text, a number (a long one as a text), a boolean, or a list or object of these',
    }
  }
  return bytesOf(JSON.stringify(value)) > MAX_CLAIM
    ? { problem: `must have at most ${MAX_CLAIM} bytes as JSON` }
    : { value }
}

/** Returns the problem of an object of custom claims, as text that completes "claims …"; undefined if it is valid. */
export function customClaimsProblem(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries(claims)) {
    const name_problem = claimNameProblem(name)
    if (name_problem !== undefined) return `: "${name}" ${name_problem}`
    const read = readClaimValue(value)
    if ('problem' in read) return `: "${name}" ${read.problem}`
  }
  return bytesOf(JSON.stringify(claims)) > MAX_CUSTOM_CLAIMS
    ? `must have at most ${MAX_CUSTOM_CLAIMS} bytes in all as JSON, names included`
    : undefined
}

/**
 * Whether custom claims fit into a token beside other members, of which some may be absent: in all they have no more bytes
 * than custom claims alone may have.
 */
export function fitBeside(claims: CustomClaims, others: readonly unknown[]): boolean {
  const present = others.filter((one) => one !== undefined)
  if (present.length === 0) return true
  return (
    [claims, ...present].reduce<number>((sum, one) => sum + bytesOf(JSON.stringify(one)), 0) <=
    MAX_CUSTOM_CLAIMS
  )
}

/** How many bytes a member of a JSON object takes: its name, its value as JSON, and their separators. */
export function bytesOfMember(name: string, json: string): number {
  return bytesOf(JSON.stringify(name)) + bytesOf(json) + 2
}

const bytesOf = (text: string) => Buffer.byteLength(text)

function isClaimValue(value: unknown): value is ClaimValue {
  if (typeof value === 'string') return value.isWellFormed()
  // A number that JSON cannot hold, or that was rounded when it was read, would be another one in a token.
  if (typeof value === 'number') return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (typeof value === 'boolean') return true
  if (Array.isArray(value)) return value.every(isClaimValue)
  return isObject(value) && Object.values(value).every(isClaimValue)
}
