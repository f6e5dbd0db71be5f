import { isPasswordHash } from '../../src/accounts/password-hash.ts'
import { isStandardClaim } from '../../src/accounts/standard-claims.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { parseUser, type User } from '../../src/accounts/user-record.ts'
import type { FieldProblem, Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { EXIT, Refusal, sayProblem } from '../errors.ts'
import { pairs, type Report, table } from '../output.ts'

/** A user as the operator sees it: all but the password's hash. `unusable`: it is no hash of argon2id. */
export type UserDescription =
  | (Omit<User, 'password_hash'> & { password: 'set' | 'none' | 'unusable' })
  | { username: string; problems: FieldProblem[] }

/** @throws Refusal where there is no such user */
export async function readUser(store: RecordStore, username: string): Promise<Hash> {
  const hash = (await store.records.read(USER, username))?.hash
  if (hash === undefined) throw noSuchUser(username)
  return hash
}

export function noSuchUser(username: string): Refusal {
  return new Refusal(`There is no user "${username}".`)
}

/** Describes a record as it stands in storage. */
export function describeUser(username: string, hash: Hash): UserDescription {
  const parsed = parseUser(username, hash)
  if (!parsed.ok) return { username, problems: parsed.problems }
  const { password_hash, claims, ...user } = parsed.record
  // Fields that redmint does not know may hold anything, a password that somebody wrote by hand included.
  const known = Object.entries(claims).filter(([name]) => isStandardClaim(name))
  return { ...user, claims: Object.fromEntries(known), password: sayPassword(password_hash) }
}

function sayPassword(password_hash: string | undefined): 'set' | 'none' | 'unusable' {
  if (password_hash === undefined) return 'none'
  return isPasswordHash(password_hash) ? 'set' : 'unusable'
}

/** The command `user list`. */
export async function listUsers(store: RecordStore): Promise<Report> {
  const found: [string, Hash][] = []
  for await (const { id, hash } of store.records.list(USER)) found.push([id, hash])
  const users = [...new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))].map(([username, hash]) =>
    describeUser(username, hash),
  )
  const rows = users.map((user) =>
    'problems' in user
      ? [user.username, '', 'malformed', '', user.problems.map(sayProblem).join('; ')]
      : [
          user.username,
          user.sub,
          user.disabled ? 'disabled' : 'active',
          user.password,
          sayClaims(user.claims),
        ],
  )
  return {
    text:
      users.length === 0
        ? 'There are no users yet.'
        : table(['USERNAME', 'SUB', 'STATE', 'PASSWORD', 'CLAIMS'], rows),
    json: { users },
  }
}

/** The command `user show`. @throws Refusal where there is no such user */
export async function showUser(store: RecordStore, username: string): Promise<Report> {
  const user = describeUser(username, await readUser(store, username))
  return {
    text: sayUser(user),
    json: user,
    ...('problems' in user ? { exit: EXIT.refused } : {}),
  }
}

/** A user in words, a line for each field and claim. */
export function sayUser(user: UserDescription): string {
  if ('problems' in user) {
    return [
      'This record is malformed, so nobody can sign in by it:',
      ...user.problems.map((problem) => `  ${sayProblem(problem)}`),
    ].join('\n')
  }
  return pairs([
    ['username', user.username],
    ['sub', user.sub],
    ['state', user.disabled ? 'disabled' : 'active'],
    ['password', user.password],
    ...Object.entries(user.claims),
  ])
}

function sayClaims(claims: Hash): string {
  return Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}
