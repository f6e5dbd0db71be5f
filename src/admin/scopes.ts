/** What operators look after. `apis` are resources and trusted issuers; `server` includes lockouts and explanations. */
export const AREAS = ['users', 'clients', 'apis', 'tokens', 'keys', 'server'] as const
export type Area = (typeof AREAS)[number]

export const VERBS = ['read', 'write'] as const
export type Verb = (typeof VERBS)[number]

/** The scope of one area and verb. Neither verb includes the other. */
export type AdminScope = `redmint:${Area}:${Verb}`

/** A scope that stands for all areas. */
type SumScope = `redmint:${Verb}`

/** All scopes of the admin API. */
export const ADMIN_SCOPES: readonly (AdminScope | SumScope)[] = [
  ...VERBS.map((verb) => `redmint:${verb}` as const),
  ...AREAS.flatMap((area) => VERBS.map((verb) => `redmint:${area}:${verb}` as const)),
]

/** Whether scopes give a right: the scope itself, or the sum of its verb. */
export function hasScope(scopes: ReadonlySet<string>, wanted: AdminScope | SumScope): boolean {
  const verb = wanted.slice(wanted.lastIndexOf(':') + 1)
  return scopes.has(wanted) || scopes.has(`redmint:${verb}`)
}
