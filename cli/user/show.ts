import { isObject } from '../../src/core/json.ts'
import { describeProblem, type FieldProblem } from '../../src/core/record-hash.ts'
import { readClaims } from '../../src/users/claims-json.ts'
import type { PASSWORD_STATES } from '../../src/users/password-hash.ts'
import { isStandardClaim } from '../../src/users/standard-claims.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import type { User } from '../../src/users/user-record.ts'
import { type Calls, wholeList } from '../calls.ts'
import { type FindFlag, noneText, queryOf } from '../command.ts'
import { EXIT } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { problemsIn, type RecordAnswer, shownRecord, storedForm } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'

type PasswordState = (typeof PASSWORD_STATES)[number]

/** The JSON of a user in reports, without the password hash. `unusable`: no password matches the hash. */
export type UserDescription =
  | (Omit<User, 'password_hash' | 'generation'> & {
      password: PasswordState
      last_sign_in_at?: string
    })
  | { username: string; problems: FieldProblem[] }

/** Returns the description of a user in an answer of the API. */
export function describeAnswer(answer: RecordAnswer): UserDescription {
  const username = String(answer.username)
  const shown = shownRecord(USER_FIELDS, storedForm(USER_FIELDS, answer), problemsIn(answer))
  if (!shown.ok) return { username, problems: shown.problems }
  const { password_hash: _, ...user } = shown.record
  const { claims: given, password, last_sign_in_at } = answer
  const known = isObject(given) ? given : {}
  const [standard, custom_claims] = [true, false].map((is_standard) =>
    Object.fromEntries(Object.entries(known).filter(([name]) => isStandardClaim(name) === is_standard)),
  )
  return {
    ...{ username, ...user, claims: readClaims(standard ?? {}, () => {}) },
    ...{ custom_claims: custom_claims as User['custom_claims'], password: password as PasswordState },
    ...(typeof last_sign_in_at === 'string' && { last_sign_in_at }),
  }
}

/** The command `user list`. */
export async function listUsers(calls: Calls, flags: FindFlag): Promise<Report> {
  const none = noneText(flags, 'There are no users yet: see redmint user add --help.')
  const { items, of, ...indexing } = await wholeList(calls, 'list_users', queryOf(flags))
  return withIndexing(reportUsers(items.map(describeAnswer), { none, of }), 'user', indexing)
}

/** The command `user list --inactive`. @param since milliseconds since 1970 */
export async function listInactive({ call }: Calls, since: number): Promise<Report> {
  const at = new Date(since).toISOString()
  const { items } = await call('list_inactive_users', { body: { since: at } })
  const none = `Every user signed in after ${at}, or is not known for so long.`
  return reportUsers(items.map(describeAnswer), { none })
}

function reportUsers(
  users: readonly UserDescription[],
  texts: { readonly none: string; readonly of?: number | undefined },
): Report {
  const rows = users.map((user) =>
    'problems' in user
      ? [user.username, '', 'malformed', '', '', user.problems.map(describeProblem).join('; ')]
      : [
          user.username,
          user.sub,
          stateOf(user),
          user.password,
          user.last_sign_in_at?.slice(0, 10) ?? '',
          formatClaims(claimRows(user)),
        ],
  )
  const head = ['USERNAME', 'SUB', 'STATE', 'PASSWORD', 'LAST SIGN-IN', 'CLAIMS']
  return { text: listed(head, rows, { ...texts, noun: 'user' }), json: { users } }
}

/** The command `user show`. @throws Refusal if the user does not exist */
export async function showUser({ call }: Calls, username: string): Promise<Report> {
  const user = describeAnswer(await call('read_user', { params: { username } }))
  return {
    text: formatUserDescription(user),
    json: user,
    ...('problems' in user ? { exit: EXIT.refused } : {}),
  }
}

/** Formats a user as text, one line for each field and claim. */
export function formatUserDescription(user: UserDescription): string {
  if ('problems' in user) {
    return [
      'This record is malformed, so the user cannot sign in:',
      ...user.problems.map((problem) => `  ${describeProblem(problem)}`),
    ].join('\n')
  }
  return pairs([
    ['username', user.username],
    ...fieldRows(USER_FIELDS, user, {
      disabled: ['state', stateOf(user)],
      password_hash: ['password', user.password],
    }),
    ...(user.last_sign_in_at === undefined
      ? []
      : [['last sign-in', user.last_sign_in_at] as [string, string]]),
    ...claimRows(user),
  ])
}

// A user of demo mode is refused outside it.
function stateOf({ disabled, demo }: Pick<User, 'disabled' | 'demo'>): string {
  return disabled ? 'disabled' : demo ? 'demo' : 'active'
}

function claimRows({ claims, custom_claims }: Pick<User, 'claims' | 'custom_claims'>): [string, string][] {
  const custom = Object.entries(custom_claims)
  return [
    ...Object.entries(claims),
    ...custom.map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
  ]
}

function formatClaims(rows: readonly [string, string][]): string {
  return rows.map(([name, value]) => `${name}=${value}`).join(', ')
}
