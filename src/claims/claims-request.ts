import type { ScopeClaims } from '../config/scope-claims.ts'
import { invalidRequest } from '../core/errors.ts'
import { isObject, parseObject } from '../core/json.ts'
import { scopeOfClaim } from './claims.ts'

/** The claims that a client requests by name (OpenID Connect Core §5.5). */
export interface ClaimsRequest {
  /** Names of claims for the user information endpoint. */
  readonly userinfo: readonly string[]
  /** Names of claims for the id_token. */
  readonly id_token: readonly string[]
  /** Whether user information goes to the client as a JWT. Only noted if another replica may not know that. */
  readonly as_jwt?: boolean
  /** The only acceptable subject. */
  readonly sub?: string
  /** The acr of the sign-in must be one of these. */
  readonly essential_acr?: readonly string[]
}

type Member = 'userinfo' | 'id_token'
type Entry = { essential: boolean; values: readonly unknown[] }

const NOTHING: ClaimsRequest = { userinfo: [], id_token: [] }
const MAX_LENGTH = 8192
/** The word for `as_jwt` in the record of a code, among those of the claims. */
const AS_JWT = 'jwt'

/**
 * Reads the parameter `claims`. Unknown claims and members are ignored (§5.5.1), and so are claims with a language tag
 * (§5.2).
 * @throws OAuthError `invalid_request` if it is too long, not JSON, of wrong types, or requests two users
 */
export function readClaimsParameter(json: string | undefined, scope_claims: ScopeClaims): ClaimsRequest {
  if (json === undefined) return NOTHING
  if (json.length > MAX_LENGTH) throw malformed(`claims is longer than ${MAX_LENGTH} characters.`)
  const members = parseObject(json)
  if (members === undefined) throw malformed('claims must be a JSON object.')
  const userinfo = readMember(members, 'userinfo', scope_claims)
  const id_token = readMember(members, 'id_token', scope_claims)
  const sub = demandedSub([...(userinfo.get('sub')?.values ?? []), ...(id_token.get('sub')?.values ?? [])])
  const acr = id_token.get('acr')
  const acr_values = texts('acr', acr?.values ?? [])
  return {
    userinfo: [...userinfo.keys()].filter((name) => isKnown(name, scope_claims)),
    id_token: [...id_token.keys()].filter((name) => isKnown(name, scope_claims)),
    ...(sub === undefined ? {} : { sub }),
    ...(acr?.essential && acr_values.length > 0 ? { essential_acr: acr_values } : {}),
  }
}

/**
 * Formats the requested names for the record of a code, such as `userinfo:email id_token:name`; undefined if it would
 * be empty. Omits `sub` and `essential_acr`, which are checked before a code is issued.
 */
export function formatClaimsRequest({ userinfo, id_token, as_jwt }: ClaimsRequest): string | undefined {
  const words = [...userinfo.map((name) => `userinfo:${name}`), ...id_token.map((name) => `id_token:${name}`)]
  if (as_jwt) words.push(AS_JWT)
  return words.length === 0 ? undefined : words.join(' ')
}

/** Parses the result of `formatClaimsRequest`; other words are ignored. */
export function parseClaimsRequest(text: string | undefined, scope_claims: ScopeClaims): ClaimsRequest {
  const words = text?.split(' ') ?? []
  const namesOf = (member: Member) =>
    words
      .filter((word) => word.startsWith(`${member}:`))
      .map((word) => word.slice(member.length + 1))
      .filter((name) => isKnown(name, scope_claims))
  return {
    userinfo: namesOf('userinfo'),
    id_token: namesOf('id_token'),
    ...(words.includes(AS_JWT) && { as_jwt: true }),
  }
}

/** Returns the scopes of the claims requested by name, which need consent too. */
export function scopesOfClaims({ userinfo, id_token }: ClaimsRequest, scope_claims: ScopeClaims): string[] {
  const scopes = [...userinfo, ...id_token].map((name) => scopeOfClaim(name, scope_claims))
  return [...new Set(scopes.filter((scope) => scope !== undefined))]
}

const isKnown = (name: string, scope_claims: ScopeClaims) => scopeOfClaim(name, scope_claims) !== undefined

function readMember(
  members: Record<string, unknown>,
  member: Member,
  scope_claims: ScopeClaims,
): Map<string, Entry> {
  const given = members[member]
  if (given === undefined) return new Map()
  if (!isObject(given)) throw malformed(`claims: ${member} must be an object.`)
  const known = Object.entries(given).filter(
    ([name]) => isKnown(name, scope_claims) || name === 'sub' || name === 'acr',
  )
  return new Map(known.map(([name, request]) => [name, readEntry(name, request)]))
}

function readEntry(name: string, request: unknown): Entry {
  if (request === null) return { essential: false, values: [] }
  if (!isObject(request)) throw malformed(`claims: ${name} must be null or an object.`)
  const { essential = false, value, values = [] } = request
  if (typeof essential !== 'boolean') throw malformed(`claims: essential of ${name} must be a boolean.`)
  if (!Array.isArray(values)) throw malformed(`claims: values of ${name} must be an array.`)
  return { essential, values: value === undefined ? values : [value, ...values] }
}

function demandedSub(values: readonly unknown[]): string | undefined {
  const [sub, ...others] = new Set(texts('sub', values))
  if (others.length > 0) throw malformed('claims demands more than one sub.')
  return sub
}

function texts(name: string, values: readonly unknown[]): readonly string[] {
  if (values.every((value) => typeof value === 'string')) return values
  throw malformed(`claims: a value of ${name} must be a string.`)
}

// It has names of known claims, and no value.
const malformed = (description: string) =>
  invalidRequest('claims_malformed', description, { received: { fault: description } })
