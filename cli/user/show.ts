import { namesakesOf } from '../../src/accounts/namesakes.ts'
import { isPasswordHash } from '../../src/accounts/password-hash.ts'
import { USER_FIELDS } from '../../src/accounts/user-fields.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { parseUser, type User } from '../../src/accounts/user-record.ts'
import { misfitProblem, readAll } from '../../src/admin/misfit.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { EXIT, Refusal } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { pairs, type Report, table } from '../output.ts'

/** The JSON of a user in reports, without the password hash. `unusable`: it is not a valid argon2id hash. */
export type UserDescription =
  | (Omit<User, 'password_hash'> & { password: 'set' | 'none' | 'unusable' })
  | { username: string; problems: FieldProblem[] }

/** Reads a user's record. @throws Refusal if the user does not exist */
export async function readUser(store: RecordStore, username: string): Promise<Hash> {
  const hash = (await store.records.read(USER, username))?.hash
  if (hash !== undefined) return hash
  const [namesake] = await namesakesOf(store, username)
  if (namesake === undefined) throw noSuchUser(username)
  throw new Refusal(`There is no user "${username}": did you mean "${namesake}"?`)
}

/** Returns the error for a user that does not exist. */
export function noSuchUser(username: string): Refusal {
  return new Refusal(`There is no user "${username}".`)
}

/** Returns the description of a user record; undefined: the key is not a hash. */
export function describeUser(username: string, hash: Hash | undefined): UserDescription {
  if (hash === undefined) return { username, problems: [misfitProblem('username')] }
  const parsed = parseUser(username, hash)
  if (!parsed.ok) return { username, problems: parsed.problems }
  const { password_hash, ...user } = parsed.record
  return { ...user, password: passwordState(password_hash) }
}

function passwordState(password_hash: string | undefined): 'set' | 'none' | 'unusable' {
  if (password_hash === undefined) return 'none'
  return isPasswordHash(password_hash) ? 'set' : 'unusable'
}

/** The command `user list`. */
export async function listUsers(store: RecordStore): Promise<Report> {
  const users = [...(await readAll(store, USER))].map(([username, hash]) => describeUser(username, hash))
  const rows = users.map((user) =>
    'problems' in user
      ? [user.username, '', 'malformed', '', user.problems.map(describeProblem).join('; ')]
      : [user.username, user.sub, stateOf(user), user.password, formatClaims(claimRows(user))],
  )
  return {
    text:
      users.length === 0
        ? 'There are no users yet: see redmint user add --help.'
        : table(['USERNAME', 'SUB', 'STATE', 'PASSWORD', 'CLAIMS'], rows),
    json: { users },
  }
}

/** The command `user show`. @throws Refusal if the user does not exist */
export async function showUser(store: RecordStore, username: string): Promise<Report> {
  const user = describeUser(username, await readUser(store, username))
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
