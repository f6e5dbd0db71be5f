import { ADDRESS_MEMBERS } from '../accounts/claim-kinds.ts'
import { isStandardClaim, STANDARD_CLAIMS, type StandardClaim } from '../accounts/standard-claims.ts'
import type { User } from '../accounts/user-record.ts'
import { parseObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { scopeNames } from '../core/scope.ts'

/** The scopes that stand for claims (OpenID Connect Core §5.4). */
export const CLAIM_SCOPES = ['profile', 'email', 'address', 'phone'] as const
export type ClaimScope = (typeof CLAIM_SCOPES)[number]

/** The value of a claim, in its JSON type. */
export type ClaimValue = string | boolean | number | Readonly<Record<string, string>>

const CLAIMS = Object.keys(STANDARD_CLAIMS).filter(isStandardClaim)

/** The scope that holds a claim. */
export function scopeOfClaim(name: StandardClaim): ClaimScope {
  if (name === 'email' || name === 'email_verified') return 'email'
  if (name === 'phone_number' || name === 'phone_number_verified') return 'phone'
  return name === 'address' ? 'address' : 'profile'
}

/** The claims that a scope string stands for. */
export function claimsOfScope(scope: string): StandardClaim[] {
  const names = scopeNames(scope)
  return CLAIMS.filter((name) => names.includes(scopeOfClaim(name)))
}

/** Those of the claims asked for by name that a client may have: it may obtain the scope that holds them. */
export function allowedClaims(names: readonly string[], allowed_scopes: readonly string[]): StandardClaim[] {
  return names.filter(isStandardClaim).filter((name) => allowed_scopes.includes(scopeOfClaim(name)))
}

/**
 * What is known of a user, in the JSON types of OpenID Connect Core §5.1. Nothing is null or empty; a stored value of
 * another type is left out, and the log hears of which field.
 */
export function claimsOf(
  user: Pick<User, 'username' | 'claims'>,
  names: readonly StandardClaim[],
  log: Log,
): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = {}
  for (const name of names) {
    const text = Object.hasOwn(user.claims, name) ? user.claims[name] : undefined
    if (text === undefined || text.trim() === '') continue
    const value = READERS[STANDARD_CLAIMS[name].type](text)
    if (value !== undefined) claims[name] = value
    else {
      const { username } = user
      log.warn({ username, field: name }, `The user record's ${name} is left out: it is of a wrong type.`)
    }
  }
  return claims
}

const READERS = {
  string: (text: string) => text,
  boolean: (text: string) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  number: (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  address: readAddress,
}

// OpenID Connect Core §5.1.1: members that are there are strings; other names are not for us to hand out.
function readAddress(json: string): Readonly<Record<string, string>> | undefined {
  const members = parseObject(json) ?? {}
  const address: Record<string, string> = {}
  for (const name of ADDRESS_MEMBERS) {
    const text = Object.hasOwn(members, name) ? members[name] : ''
    if (typeof text !== 'string') return undefined
    if (text.trim() !== '') address[name] = text
  }
  return Object.keys(address).length > 0 ? address : undefined
}
