import { misfitProblem, readAll } from '../../src/admin/operation/misfit.ts'
import { readUser } from '../../src/admin/users/noun.ts'
import { inBatches } from '../../src/core/batches.ts'
import { isObject } from '../../src/core/json.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { readClaims } from '../../src/users/claims-json.ts'
import { PASSWORD_STATES, passwordState } from '../../src/users/password-hash.ts'
import type { UserStore } from '../../src/users/sign-in-names.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import { USER } from '../../src/users/user-kind.ts'
import { parseUser, type User } from '../../src/users/user-record.ts'
import { type Calls, wholeList } from '../calls.ts'
import { EXIT, Refusal, UsageError } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { problemsIn, type RecordAnswer, storedForm } from '../from-answer.ts'
import { PARALLEL } from '../import.ts'
import { pairs, type Report, table, withIndexing } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'

const SIGN_INS_AT_A_TIME = 200

/** The JSON of a user in reports, without the password hash. `unusable`: no password matches the hash. */
export type UserDescription =
  | (Omit<User, 'password_hash' | 'generation'> & {
      password: ReturnType<typeof passwordState>
      last_sign_in_at?: string
    })
  | { username: string; problems: FieldProblem[] }

/** Returns the error for a user that does not exist. */
export function noSuchUser(username: string): Refusal {
  return new Refusal(`There is no user "${username}".`)
}

/** Returns the description of a user record; undefined: the key is not a hash. */
export function describeUser(username: string, hash: Hash | undefined): UserDescription {
  if (hash === undefined) return { username, problems: [misfitProblem('username')] }
  const parsed = parseUser(username, hash)
  if (!parsed.ok) return { username, problems: parsed.problems }
  const { password_hash, generation, ...user } = parsed.record
  return { ...user, password: passwordState(password_hash) }
}

/** Returns the description of a user in an answer of the API. */
export function describeAnswer(answer: RecordAnswer): UserDescription {
  const username = String(answer.username)
  const problems = problemsIn(answer)
  if (problems !== undefined) return { username, problems }
  const claims = readClaims(isObject(answer.claims) ? answer.claims : {}, () => {})
  const user = describeUser(username, { ...storedForm(USER_FIELDS, answer), ...claims })
  if ('problems' in user) return user
  const password = PASSWORD_STATES.find((state) => state === answer.password) ?? 'none'
  const { last_sign_in_at } = answer
  return { ...user, password, ...(typeof last_sign_in_at === 'string' && { last_sign_in_at }) }
}

/** The command `user list`. */
export async function listUsers(calls: Calls): Promise<Report> {
  const { host } = calls
  // The list of a host is whole, also while no server runs.
  const none = 'There are no users yet: see redmint user add --help.'
  if (host !== undefined)
    return reportUsers(await withSignIns(host.storage, await readAll(host.storage, USER)), none)
  const { items, ...indexing } = await wholeList(calls, 'list_users', {})
  return withIndexing(reportUsers(items.map(describeAnswer), none), 'user', indexing)
}

/** The command `user list --inactive`. @param since milliseconds since 1970 */
export async function listInactive({ host }: Calls, since: number): Promise<Report> {
  if (host === undefined) throw new UsageError('--inactive works on Redis only: leave --server out.')
  const store = host.storage
  const found: string[] = []
  for await (const { username } of store.sign_ins.inactiveSince(since)) found.push(username)
  const records = new Map<string, Hash>()
  await forEachInParallel(found.sort(), PARALLEL, async (username) => {
    const hash = (await store.records.read(USER, username))?.hash
    if (hash !== undefined) records.set(username, hash)
  })
  const sorted = new Map([...records].sort(([a], [b]) => (a < b ? -1 : 1)))
  const at = new Date(since).toISOString()
  return reportUsers(
    await withSignIns(store, sorted),
    `Every user signed in after ${at}, or is not known for so long.`,
  )
}

function reportUsers(users: readonly UserDescription[], none: string): Report {
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
  return {
    text:
      users.length === 0
        ? none
        : table(['USERNAME', 'SUB', 'STATE', 'PASSWORD', 'LAST SIGN-IN', 'CLAIMS'], rows),
    json: { users },
  }
}

/** Describes users, each with the last sign-in, in the order of the records. */
async function withSignIns(
  { sign_ins }: UserStore,
  records: ReadonlyMap<string, Hash | undefined>,
): Promise<UserDescription[]> {
  const users: UserDescription[] = []
  await inBatches(records, SIGN_INS_AT_A_TIME, async (some) => {
    const times = await sign_ins.of(some.map(([username]) => username))
    for (const [i, [username, hash]] of some.entries()) {
      const user = describeUser(username, hash)
      const at = times[i]?.signed_in_at
      if (at === undefined || 'problems' in user) users.push(user)
      else users.push({ ...user, last_sign_in_at: new Date(at).toISOString() })
    }
  })
  return users
}

/** The command `user show`. @throws Refusal if the user does not exist */
export async function showUser({ call, host }: Calls, username: string): Promise<Report> {
  const [user] =
    host === undefined
      ? [describeAnswer(await call('read_user', { params: { username } }))]
      : await withSignIns(host.storage, new Map([[username, await readUser(host.storage, username)]]))
  if (user === undefined) throw noSuchUser(username)
  // A server reports it itself.
  host?.report({ event: 'user_viewed', username })
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
