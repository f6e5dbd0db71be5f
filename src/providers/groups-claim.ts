import { isObject, parseJson } from '../core/json.ts'
import { ProviderFailure } from './upstream.ts'

type Claims = Readonly<Record<string, unknown>>

/**
 * Returns the problem of the name of a claim with groups, as text that completes "<field> …"; undefined if there is
 * none.
 */
export function groupsClaimProblem(name: string): string | undefined {
  const is_path = name.split('.').every((part) => part !== '')
  return is_path && /^\S{1,256}$/.test(name)
    ? undefined
    : 'must be the name of a claim, or names with dots between them for one inside of another'
}

/**
 * Returns the groups in a claim, and whether it is there at all. One that is missing names none: nobody keeps a group
 * that the provider does not say.
 * @param name of the claim; with dots it may be the path to one inside of another
 * @throws ProviderFailure if there are more than the claims have, or they have a form that is not understood
 */
export function readGroupsClaim(
  name: string,
  claims: Claims,
): { readonly groups: readonly string[]; readonly is_there: boolean } {
  const [first = name] = Object.hasOwn(claims, name) ? [name] : name.split('.')
  // A part would be taken for all: who has many groups would keep some of them, or none.
  if (isCut(claims, first)) throw new ProviderFailure('broken', 'groups', 'GROUPS_INCOMPLETE')
  const value = Object.hasOwn(claims, name) ? claims[name] : inside(claims, name)
  if (value === undefined || value === null) return { groups: [], is_there: false }
  const groups = namesIn(value)
  if (groups === undefined) throw new ProviderFailure('broken', 'groups', 'GROUPS_NOT_UNDERSTOOD')
  return { groups: [...new Set(groups)], is_there: true }
}

// OpenID Connect Core §5.6.2: the claim is elsewhere; Microsoft does so from 201 groups on, and says `hasgroups` in some
// tokens.
function isCut(claims: Claims, first: string): boolean {
  const { _claim_names: elsewhere } = claims
  if (isObject(elsewhere) && Object.hasOwn(elsewhere, first)) return true
  const marks = ['hasgroups', `${first}_truncated`, `${first}_overage`, `${first}_incomplete`]
  return marks.some((mark) => claims[mark] === true || claims[mark] === 'true')
}

function inside(claims: Claims, path: string): unknown {
  let found: unknown = claims
  for (const part of path.split('.')) {
    if (found === undefined) return undefined
    if (!isObject(found)) throw new ProviderFailure('broken', 'groups', 'GROUPS_NOT_UNDERSTOOD')
    found = Object.hasOwn(found, part) ? found[part] : undefined
  }
  return found
}

/** Returns the names in a claim as people mean it; undefined: that cannot be known. */
function namesIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return namesInText(value)
  if (!Array.isArray(value)) return undefined
  const names = value.map((one) => (isObject(one) ? one.name : one))
  return names.every((name) => typeof name === 'string' && name !== '') ? names : undefined
}

// A list that was put into a text: as JSON, with commas, or with spaces.
function namesInText(text: string): readonly string[] | undefined {
  const trimmed = text.trim()
  if (trimmed.startsWith('[')) {
    const list = parseJson(trimmed)
    return Array.isArray(list) ? namesIn(list) : undefined
  }
  const parts = trimmed.includes(',') ? trimmed.split(',') : trimmed.split(/\s+/)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
