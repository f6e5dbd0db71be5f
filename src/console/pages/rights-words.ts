import { ACT_AS, AREAS, type Area, CONSENTS, LOGINS, PREVIEWS } from '../../core/admin-scopes.ts'

/** What each area is for operators. */
const AREA_WORDS: Readonly<Record<Area, string>> = {
  users: 'people',
  clients: 'applications',
  apis: 'APIs, trusted issuers and providers',
  tokens: 'tokens',
  keys: 'keys',
  server: 'the server',
}

const PLACES: readonly (readonly [scope: string, words: string])[] = [
  ['redmint', 'everything'],
  ...AREAS.map((area) => [`redmint:${area}`, AREA_WORDS[area]] as const),
]
const OTHERS: Readonly<Record<string, string>> = {
  [LOGINS]: 'sign-ins that applications show',
  [CONSENTS]: 'consents that applications ask for',
  [PREVIEWS]: 'previews of applications',
  [ACT_AS]: 'acting as people, for support',
}

/** Returns what scopes of the admin API let somebody do, in words: "everything", "people, only to read". */
export function rightsWords(scopes: readonly string[]): string {
  const known = PLACES.flatMap(([place, words]) => {
    const [reads, changes] = [`${place}:read`, `${place}:write`].map((scope) => scopes.includes(scope))
    if (reads && changes) return [words]
    return reads ? [`${words}, only to read`] : changes ? [`${words}, only to change`] : []
  })
  const others = scopes.flatMap((scope) => OTHERS[scope] ?? [])
  const named = [...known, ...others]
  return named.length === 0 ? 'nothing' : named.join('; ')
}
