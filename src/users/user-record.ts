import type { CustomClaims } from '../core/custom-claims.ts'
import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Sub } from '../core/ids.ts'
import type { FieldProblem, Hash, Parsed } from '../core/record-hash.ts'
import { nameForm, visibleNameProblem } from '../core/visible-text.ts'
import { isCustomClaimField, readCustomClaims } from './custom-claims.ts'
import type { LapsedGroups } from './groups-from.ts'
import { isStandardClaim, standardClaimsProblems } from './standard-claims.ts'
import { GENERATION, USER_FIELDS } from './user-fields.ts'

/** The account of a user. */
export interface User extends RecordOf<typeof USER_FIELDS> {
  readonly sub: Sub
  readonly username: string
  /** Standard claims (OpenID Connect Core §5.1) by name, as texts. */
  readonly claims: Readonly<Record<string, string>>
  /** The claims that the operator defines, by name. */
  readonly custom_claims: CustomClaims
  /** Groups that do not count any more (`asOf`); absent: there are none. */
  readonly lapsed?: LapsedGroups
  /** How often a way in, or what its person may do, was changed (`isWayIn`), so that there and back again is two changes. */
  readonly generation: number
}

/** The fields on which it depends who can sign in, how, and with which rights. */
const WAYS_IN: ReadonlySet<string> = new Set([
  ...['sub', 'password_hash', 'disabled', 'linked_subjects', 'email', 'email_verified'],
  ...['second_factor', 'admin'],
])

/** Whether a change of this field of a user record changes a way in, or what the person may do. Groups are custom claims. */
export function isWayIn(field: string): boolean {
  return WAYS_IN.has(field) || isCustomClaimField(field)
}

/** A user to be written; fields that have a default are optional. */
export interface UserDefinition extends DefinitionOf<typeof USER_FIELDS> {
  /** The fields of claims: standard claims by name, as texts, and fields of custom claims (`customClaimField`). */
  readonly claims: Hash
}

const USERNAME = /^[^\s:{}]{1,255}$/u

/** What `isUsername` wants of a name that is in its form. */
export const USERNAME_RULE =
  '1 to 255 characters, one of them visible, without white space, control characters, colons and braces'

/** Whether a string is a valid username: it follows USERNAME_RULE, and is in the form in which names are stored. */
export function isUsername(value: string): boolean {
  return USERNAME.test(value) && visibleNameProblem(value) === undefined && nameForm(value) === value
}

/**
 * Parses a user record from storage. Of standard claims only their size is checked; a malformed custom claim makes the
 * record malformed; unknown fields are ignored.
 */
export function parseUser(username: string, hash: Hash): Parsed<User> {
  const parsed = parseFields(USER_FIELDS, hash)
  const { custom_claims, problems: custom_problems } = readCustomClaims(hash)
  const problems = [
    ...standardClaimsProblems(hash),
    ...custom_problems,
    ...(/^\d{0,15}$/.test(hash[GENERATION] ?? '')
      ? []
      : [{ field: GENERATION, problem: 'must be a whole number' }]),
    ...usernameProblems(username),
  ]
  if (!parsed.ok) return { ok: false, problems: [...parsed.problems, ...problems] }
  if (problems.length > 0) return { ok: false, problems }
  const claims = Object.fromEntries(Object.entries(hash).filter(([name]) => isStandardClaim(name)))
  const generation = Number(hash[GENERATION] ?? 0)
  return { ok: true, record: { username, ...parsed.record, claims, custom_claims, generation } }
}

// Only a record that was written by hand can have another name. Nobody can sign in by it.
function usernameProblems(username: string): FieldProblem[] {
  if (isUsername(username)) return []
  const form = nameForm(username)
  const problem = isUsername(form)
    ? `in the key is another spelling of "${form}": rename the key, so that the user can type it`
    : `in the key must have ${USERNAME_RULE}`
  return [{ field: 'username', problem }]
}

/** Formats a user for storage. */
export function formatUser({ claims, ...user }: UserDefinition): Hash {
  return { ...claims, ...formatFields(USER_FIELDS, user) }
}
