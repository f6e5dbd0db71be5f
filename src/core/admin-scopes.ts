/**
 * What operators look after. `apis` are resources, trusted issuers and providers; `server` includes lockouts and
 * explanations.
 */
export const AREAS = ['users', 'clients', 'apis', 'tokens', 'keys', 'server'] as const
export type Area = (typeof AREAS)[number]

export const VERBS = ['read', 'write'] as const
export type Verb = (typeof VERBS)[number]

/** Of applications at which people sign in: to read what is asked there, and to answer. */
export const LOGINS = 'redmint:logins:write'

/** The same of applications at which people consent. */
export const CONSENTS = 'redmint:consents:write'

/** To make previews of the clients that name the one who asks, and to end them. */
export const PREVIEWS = 'redmint:previews:write'

/** To act as a person, for support: a right of its own, which no sum gives. */
export const ACT_AS = 'redmint:users:act-as'

/** The scope of one area and verb. Neither verb includes the other. */
export type AdminScope =
  | `redmint:${Area}:${Verb}`
  | typeof LOGINS
  | typeof CONSENTS
  | typeof PREVIEWS
  | typeof ACT_AS

/** A scope that stands for all areas. */
type SumScope = `redmint:${Verb}`

/** All scopes of the admin API. */
export const ADMIN_SCOPES: readonly (AdminScope | SumScope)[] = [
  ...VERBS.map((verb) => `redmint:${verb}` as const),
  ...AREAS.flatMap((area) => VERBS.map((verb) => `redmint:${area}:${verb}` as const)),
  LOGINS,
  CONSENTS,
  PREVIEWS,
  ACT_AS,
]

const PREFIX = 'redmint:'

/** Whether a scope is of the admin API, or could become one: no other resource has scopes of this form. */
export function isAdminScope(scope_name: string): boolean {
  return scope_name.startsWith(PREFIX)
}

/** Whether scopes give a right: the scope itself, or the sum of its verb. */
export function hasScope(scopes: ReadonlySet<string>, wanted: string): boolean {
  const verb = wanted.slice(wanted.lastIndexOf(':') + 1)
  return scopes.has(wanted) || (isAdminScope(wanted) && scopes.has(`redmint:${verb}`))
}

/** Whether scopes give a right to change what is of others, or to act as they. */
export function givesChange(names: readonly string[]): boolean {
  return names.some((name) => isAdminScope(name) && (name.endsWith(':write') || name === ACT_AS))
}

/** For how many seconds a grant with such a right can be refreshed at most: a working day. */
export const CHANGE_REFRESH_TTL = 28_800

/** Returns for how many seconds a grant of a scope can be refreshed, by names, of a lifetime that its client has. */
export function refreshTtlFor(names: readonly string[], ttl: number): number {
  return givesChange(names) ? Math.min(ttl, CHANGE_REFRESH_TTL) : ttl
}

/** Returns the scopes of the admin API that several holders have, each by itself or by a sum: the rights of all of them. */
export function commonScopes(...holders: readonly Iterable<string>[]): string[] {
  const sets = holders.map((scopes) => new Set(scopes))
  const common = ADMIN_SCOPES.filter((name) => sets.every((scopes) => hasScope(scopes, name)))
  // A sum says what its parts would repeat.
  return common.filter((name) => name.split(':').length === 2 || !hasSum(common, name))
}

const hasSum = (scopes: readonly string[], name: string) =>
  scopes.includes(`redmint:${name.slice(name.lastIndexOf(':') + 1)}`)
