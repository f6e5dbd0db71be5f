import { looksLike, namesakesOf } from '../../src/accounts/namesakes.ts'
import { insertUser, newSub } from '../../src/accounts/new-user.ts'
import { ownersOf } from '../../src/accounts/owners-of-subs.ts'
import { passwordProblem } from '../../src/accounts/password-rules.ts'
import type { Passwords } from '../../src/accounts/passwords.ts'
import { fitUsersFirst } from '../../src/accounts/user-index.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { scopeNames } from '../../src/core/scope.ts'
import type { StorageUnavailable } from '../../src/storage/errors.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import {
  describeUnfinished,
  type EntryProblems,
  formatTotals,
  type ImportStep,
  PARALLEL,
  totalsOf,
  writeSteps,
} from '../import.ts'
import { type Report, table } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'
import { rightLost } from '../rights-in-files.ts'
import type { CommandContext, Progress } from '../run.ts'
import { readUserFile, type UserEntry } from './import-file.ts'

/** The options of `user import`. Without `skipExisting`, an existing user is a problem and nothing is written. */
export interface UserImportFlags {
  skipExisting?: true
  dryRun?: true
}

type ImportContext = Pick<CommandContext, 'storage' | 'report' | 'config'>

interface UserStep extends ImportStep {
  username: string
  /** The rights that the file has and the user does not get. */
  lost?: readonly string[]
}

/**
 * The command `user import`. Nothing is written unless every user in the file is well-formed.
 * @throws Refusal that lists every problem
 */
export async function importUsers(
  context: ImportContext,
  passwords: Passwords,
  content: string,
  flags: UserImportFlags,
  progress: (total: number) => Progress,
): Promise<Report> {
  const { storage: store } = context
  const { entries, problems } = readUserFile(content)
  await fitUsersFirst(store)
  const existing = new Set<string>()
  await forEachInParallel(entries, PARALLEL, async ({ index, username }) => {
    if ((await store.records.read(USER, username)) !== undefined) {
      existing.add(username)
      return
    }
    const [namesake] = await namesakesOf(store, username)
    if (namesake !== undefined) problems.add({ index, name: username }, looksLike(namesake))
  })
  for (const { index, username } of entries) {
    if (existing.has(username) && !flags.skipExisting) {
      problems.add({ index, name: username }, 'exists already: use --skip-existing to keep it')
    }
  }
  const wanted = entries.filter(({ username }) => !existing.has(username))
  for (const { index, username, password, fields } of wanted) {
    if (password === undefined) continue
    const problem = passwordProblem(password, context.config.settings, { username, email: fields.email })
    if (problem !== undefined) problems.add({ index, name: username }, `password ${problem}`)
  }
  await findTakenSubs(store, wanted, problems)
  problems.throwIfAny()
  const steps: UserStep[] = entries.map((entry) =>
    existing.has(entry.username)
      ? { username: entry.username, outcome: 'skipped' }
      : {
          username: entry.username,
          ...(entry.fields.admin !== undefined && { lost: scopeNames(entry.fields.admin) }),
          outcome: 'not_written',
          write: () => write(context, passwords, entry),
        },
  )
  if (flags.dryRun) return reportDryRun(wanted.length, steps)
  return reportImport(steps, await writeSteps(steps, progress))
}

/** Reports new users whose sub is taken: it is never reassigned. */
export async function findTakenSubs(
  store: RecordStore,
  wanted: readonly UserEntry[],
  problems: EntryProblems,
): Promise<void> {
  const bySub = new Map(wanted.flatMap((entry) => (entry.fields.sub ? [[entry.fields.sub, entry]] : [])))
  for (const [sub, owner] of await ownersOf(store, [...bySub.keys()])) {
    const entry = bySub.get(sub)
    if (entry === undefined) continue
    problems.add(
      { index: entry.index, name: entry.username },
      `its sub belongs to the user "${owner}" already`,
    )
  }
}

async function write(context: ImportContext, passwords: Passwords, entry: UserEntry) {
  const { username, password } = entry
  // A list of users gives no right.
  const { admin: _lost, ...fields } = entry.fields
  const hash = password === undefined ? {} : { password_hash: await passwords.hash(password) }
  const outcome = await insertUser(context, username, { sub: newSub(), ...fields, ...hash })
  return outcome === 'ok' ? 'created' : 'not_written'
}

function reportDryRun(would_create: number, steps: readonly UserStep[]): Report {
  const total = steps.length
  const lost = lostOf(steps)
  return {
    text: [
      ...lost.map(lostLine),
      `Nothing was written. The file is valid: ${would_create} of ${total} users would be created.`,
    ].join('\n'),
    json: { total, would_create, ...(lost.length > 0 && { lost }) },
  }
}

interface LostRight {
  readonly username: string
  readonly right: string
}

const lostOf = (steps: readonly UserStep[]): LostRight[] =>
  steps.flatMap(({ username, lost = [] }) => lost.map((right) => ({ username, right })))

const lostLine = ({ username, right }: LostRight) => `lost     user "${username}" admin: ${rightLost(right)}`

function reportImport(steps: readonly UserStep[], failure: StorageUnavailable | undefined): Report {
  const totals = totalsOf(steps)
  const users = steps.map(({ username, outcome }) => ({ username, outcome }))
  const unfinished = users.filter(({ outcome }) => outcome === 'unknown' || outcome === 'not_written')
  const rows = unfinished.map(({ username, outcome }) => [username, outcome])
  const lost = lostOf(steps.filter(({ outcome }) => outcome === 'created'))
  return {
    text: [
      ...(rows.length === 0 ? [] : [table(['USERNAME', 'OUTCOME'], rows), '']),
      ...lost.map(lostLine),
      formatTotals(totals),
    ].join('\n'),
    json: { ...totals, users, ...(lost.length > 0 && { lost }) },
    ...describeUnfinished(steps, 'user', failure, 'Users whose outcome is "unknown" may have been written.'),
  }
}
