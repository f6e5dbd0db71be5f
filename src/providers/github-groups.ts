import { isObject } from '../core/json.ts'
import { ProviderFailure } from './upstream.ts'

/**
 * What GitHub can say of groups, by the `groups_claim` of its record. Entries of teams are long, and an answer of more
 * than 128 kB is not read.
 */
const LISTS = {
  orgs: { path: '/user/orgs', per_page: 100 },
  teams: { path: '/user/teams', per_page: 25 },
} as const

const MAX_PAGES = 10
/** Each of them lets read organisations and teams. */
const SCOPES = ['read:org', 'write:org', 'admin:org']
const LOGIN = /^[\w-]{1,100}$/
const SLUG = /^[\w.-]{1,255}$/

/** The fields of a record that speak of groups. */
interface GroupFields {
  readonly groups_claim?: string | undefined
  readonly scope?: readonly string[] | undefined
}

/** Returns the problems of a record of GitHub that names groups, by field. */
export function gitHubGroupProblems({
  groups_claim,
  scope = [],
}: GroupFields): [field: string, problem: string][] {
  if (groups_claim === undefined) return []
  return [
    ...(Object.hasOwn(LISTS, groups_claim)
      ? []
      : ([['groups_claim', 'must be orgs or teams at GitHub']] as [string, string][])),
    ...(isAllowed(scope)
      ? []
      : ([['scope', 'must contain read:org, or GitHub says no groups']] as [string, string][])),
  ]
}

const isAllowed = (scope: readonly string[]) => scope.some((name) => SCOPES.includes(name))

/**
 * Reads the groups of a person: `<organisation>`, and with `teams` `<organisation>/<team>` beside it, in lower case.
 * @param granted the scope that GitHub gave
 * @param read reads a path of its API
 * @returns undefined if the record takes none
 * @throws ProviderFailure if they cannot be read, all of them
 */
export async function gitHubGroups(
  { groups_claim }: Pick<GroupFields, 'groups_claim'>,
  granted: unknown,
  read: (path: string) => Promise<unknown>,
): Promise<readonly string[] | undefined> {
  if (groups_claim === undefined) return undefined
  // Without it GitHub answers with a list that lacks what is private, and not with an error.
  if (typeof granted !== 'string' || !isAllowed(granted.split(/[\s,]+/)))
    throw new ProviderFailure('denied', 'groups', 'NO_SCOPE_FOR_GROUPS')
  const { path, per_page } = LISTS[groups_claim as keyof typeof LISTS]
  const groups = new Set<string>()
  for (let page = 1; page <= MAX_PAGES; page++) {
    const entries = await read(`${path}?per_page=${per_page}&page=${page}`)
    if (!Array.isArray(entries)) throw new ProviderFailure('broken', 'groups', 'NO_GROUPS')
    for (const entry of entries) for (const group of namesOf(groups_claim, entry)) groups.add(group)
    if (entries.length < per_page) return [...groups]
  }
  // Whoever has more keeps none by chance.
  throw new ProviderFailure('broken', 'groups', 'TOO_MANY_GROUPS')
}

/** @throws ProviderFailure if an entry has no such name: none is left out */
function namesOf(list: string, entry: unknown): readonly string[] {
  const { login, slug, organization } = isObject(entry) ? entry : {}
  const owner = list === 'orgs' ? login : isObject(organization) ? organization.login : undefined
  if (typeof owner !== 'string' || !LOGIN.test(owner))
    throw new ProviderFailure('broken', 'groups', 'NO_GROUPS')
  if (list === 'orgs') return [owner.toLowerCase()]
  if (typeof slug !== 'string' || !SLUG.test(slug)) throw new ProviderFailure('broken', 'groups', 'NO_GROUPS')
  return [owner.toLowerCase(), `${owner}/${slug}`.toLowerCase()]
}
