import { type Static, type TOptional, type TSchema, Type } from '@sinclair/typebox'
import type { Client } from '../clients/record/client-record.ts'
import type { ScopeClaims } from '../config/scope-claims.ts'
import { parseObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { scopeNames } from '../core/scope.ts'
import { ADDRESS_MEMBERS, type ClaimType } from '../users/claim-kinds.ts'
import { isStandardClaim, STANDARD_CLAIMS, type StandardClaim } from '../users/standard-claims.ts'
import type { User } from '../users/user-record.ts'

const CLAIMS = Object.keys(STANDARD_CLAIMS).filter(isStandardClaim)

const CLAIM = {
  string: Type.String(),
  boolean: Type.Boolean(),
  number: Type.Integer({ description: 'Seconds since 1970' }),
  address: Type.Object(
    Object.fromEntries(ADDRESS_MEMBERS.map((name) => [name, Type.Optional(Type.String())])),
  ),
} satisfies Record<ClaimType, TSchema>

type ClaimProperties = {
  [Name in StandardClaim]: TOptional<(typeof CLAIM)[(typeof STANDARD_CLAIMS)[Name]['type']]>
}

/** Claims about a user by name (OpenID Connect Core §5.1). */
export const Claims = Type.Object(
  Object.fromEntries(
    CLAIMS.map((name) => [name, Type.Optional(CLAIM[STANDARD_CLAIMS[name].type])]),
  ) as ClaimProperties,
)
export type Claims = Static<typeof Claims>

/** Returns the scope that releases a claim; undefined if there is none. */
export function scopeOfClaim(name: string, scope_claims: ScopeClaims): string | undefined {
  return isStandardClaim(name) ? scopeOfStandardClaim(name) : scope_claims.get(name)
}

// OpenID Connect Core §5.4.
function scopeOfStandardClaim(name: StandardClaim): string {
  if (name === 'email' || name === 'email_verified') return 'email'
  if (name === 'phone_number' || name === 'phone_number_verified') return 'phone'
  return name === 'address' ? 'address' : 'profile'
}

/** Returns the claims that a scope string requests. */
export function claimsOfScope(scope: string, scope_claims: ScopeClaims): string[] {
  const names = scopeNames(scope)
  const claims: string[] = CLAIMS.filter((name) => names.includes(scopeOfStandardClaim(name)))
  for (const [name, releasing] of scope_claims) if (names.includes(releasing)) claims.push(name)
  return claims
}

/** Returns the requested claims whose scope the client may obtain. */
export function allowedClaims(
  names: readonly string[],
  allowed_scopes: readonly string[],
  scope_claims: ScopeClaims,
): string[] {
  return names.filter((name) => {
    const scope = scopeOfClaim(name, scope_claims)
    return scope !== undefined && allowed_scopes.includes(scope)
  })
}

/**
 * Returns the claims about a user that a client gets, as claimsOf; `preferred_username` is the username unless the account
 * says otherwise (OpenID Connect Core §5.1).
 */
export function claimsFor(
  { subject_type }: Pick<Client, 'subject_type'>,
  user: Pick<User, 'username' | 'claims' | 'custom_claims'>,
  names: readonly string[],
  log: Log,
): Claims {
  const { username, claims } = user
  // §8.1: one name at two sectors would say that they have the same user. An address is a claim of the scope `email`.
  const is_told = subject_type === 'public' && (!username.includes('@') || names.includes('email'))
  const told = is_told ? { preferred_username: username, ...claims } : claims
  return claimsOf({ ...user, claims: told }, names, log)
}

/**
 * Returns claims about a user in the JSON types of OpenID Connect Core §5.1. Empty values are left out; so are stored
 * values of a wrong type, which are logged.
 */
export function claimsOf(
  user: Pick<User, 'username' | 'claims' | 'custom_claims'>,
  names: readonly string[],
  log: Log,
): Claims {
  const claims: Record<string, unknown> = {}
  for (const name of names) {
    if (!isStandardClaim(name)) {
      if (Object.hasOwn(user.custom_claims, name)) claims[name] = user.custom_claims[name]
      continue
    }
    const text = Object.hasOwn(user.claims, name) ? user.claims[name] : undefined
    if (text === undefined || text.trim() === '') continue
    const value = READERS[STANDARD_CLAIMS[name].type](text)
    if (value !== undefined) claims[name] = value
    else {
      const { username } = user
      log.warn({ username, field: name }, `The user record's ${name} is left out: its type is wrong.`)
    }
  }
  return claims as Claims
}

const READERS = {
  string: (text: string) => text,
  boolean: (text: string) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  number: (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  address: readAddress,
}

// OpenID Connect Core §5.1.1: all members are strings; other members are left out.
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
