import { present } from '../../src/core/present.ts'
import { scopeNames } from '../../src/core/scope.ts'
import type { StorageUnavailable } from '../../src/storage/errors.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { looksLike, namesakesOf } from '../../src/users/namesakes.ts'
import { insertUser, newSub } from '../../src/users/new-user.ts'
import { ownersOf } from '../../src/users/owners-of-subs.ts'
import { passwordProblem } from '../../src/users/password-rules.ts'
import type { Passwords } from '../../src/users/passwords.ts'
import { fitUsersFirst } from '../../src/users/user-index.ts'
import { USER } from '../../src/users/user-kind.ts'
import {
  describeUnfinished,
  type EntryProblems,
  formatTotals,
  type ImportStep,
  LISTED,
  PARALLEL,
  type Totals,
} from '../import.ts'
import type { ListFile } from '../list-file.ts'
import { checkList, type ListImport, writeList } from '../list-import.ts'
import { type Report, table } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'
import { Problems } from '../problems.ts'
import { rightLost } from '../rights-in-files.ts'
import type { CommandContext, Progress } from '../run.ts'
import { readEntries, type UserEntry } from './import-file.ts'

/**
 * The options of `user import`. Without `skipExisting`, an existing user is a problem and nothing is written. With `json` each user
 * is in the report.
 */
export interface UserImportFlags {
  skipExisting?: true
  dryRun?: true
  json?: true
}

type ImportContext = Pick<CommandContext, 'storage' | 'report' | 'config'>

interface UserStep extends ImportStep {
  username: string
  /** The rights that the file has and the user does not get. */
  lost?: readonly string[]
}

/**
 * The command `user import`. Nothing is written unless every user in the file is well-formed.
 * @throws Refusal that lists problems
 */
export async function importUsers(
  context: ImportContext,
  passwords: Passwords,
  file: ListFile,
  flags: UserImportFlags,
  progress: (total: number) => Progress,
): Promise<Report> {
  await fitUsersFirst(context.storage)
  const users = importOf(context, passwords, flags)
  const told = new Told(flags)
  if (flags.dryRun) {
    let total = 0
    const would_create = await checkList(file, users, (step) => {
      total += 1
      told.noteLost(step)
    })
    return reportDryRun(would_create, total, told)
  }
  const wanted = await checkList(file, users)
  const { totals, failure } = await writeList(file, users, progress(wanted), (step) => told.note(step))
  return reportImport(totals, told, failure)
}

function importOf(
  context: ImportContext,
  passwords: Passwords,
  flags: UserImportFlags,
): ListImport<UserEntry, UserStep> {
  const { storage: store, config } = context
  return {
    read: (values, problems, seen) => readEntries(values, problems, undefined, seen),
    untried: ({ username }) => ({ username, outcome: 'not_written' }),
    async plan(entries, problems) {
      const existing = new Set<string>()
      await forEachInParallel(entries, PARALLEL, async ({ index, username }) => {
        if ((await store.records.read(USER, username)) !== undefined) existing.add(username)
        else if (problems !== undefined) {
          const [namesake] = await namesakesOf(store, username)
          if (namesake !== undefined) problems.add({ index, name: username }, looksLike(namesake))
        }
      })
      const wanted = entries.filter(({ username }) => !existing.has(username))
      if (problems !== undefined) {
        const refused = flags.skipExisting ? [] : entries.filter(({ username }) => existing.has(username))
        for (const { index, username } of refused)
          problems.add({ index, name: username }, 'exists already: use --skip-existing to keep it')
        for (const { index, username, password, fields } of wanted) {
          if (password === undefined) continue
          const problem = passwordProblem(password, config.settings, { username, email: fields.email })
          if (problem !== undefined) problems.add({ index, name: username }, `password ${problem}`)
        }
        await findTakenSubs(store, wanted, problems)
      }
      return entries.map((entry): UserStep => {
        const { username } = entry
        // One that another process added in the meantime is not this one's.
        if (existing.has(username))
          return { username, outcome: flags.skipExisting ? 'skipped' : 'not_written' }
        const { admin } = entry.fields
        const lost = admin === undefined ? {} : { lost: scopeNames(admin) }
        return { username, ...lost, outcome: 'not_written', write: () => write(context, passwords, entry) }
      })
    },
  }
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

interface LostRight {
  readonly username: string
  readonly right: string
}

/** What a report says of single users: without `json`, no more than a bounded number. */
class Told {
  readonly users: { username: string; outcome: ImportStep['outcome'] }[] = []
  readonly lost: LostRight[] = []
  readonly #lines = new Problems()
  readonly #unfinished: string[][] = []
  readonly #is_json: boolean

  constructor({ json }: Pick<UserImportFlags, 'json'>) {
    this.#is_json = json === true
  }

  note(step: UserStep): void {
    const { username, outcome } = step
    if (this.#is_json) this.users.push({ username, outcome })
    const is_unfinished = outcome === 'unknown' || outcome === 'not_written'
    if (is_unfinished && this.#unfinished.length < LISTED) this.#unfinished.push([username, outcome])
    if (outcome === 'created') this.noteLost(step)
  }

  noteLost({ username, lost = [] }: UserStep): void {
    for (const right of lost) {
      if (this.#is_json) this.lost.push({ username, right })
      this.#lines.add(`lost     user "${username}" admin: ${rightLost(right)}`)
    }
  }

  /** The lines about single users; `unfinished`: how many those are. */
  lines(unfinished = 0): string[] {
    const more = unfinished - this.#unfinished.length
    const { lines, count } = this.#lines
    return [
      ...(this.#unfinished.length === 0 ? [] : [table(['USERNAME', 'OUTCOME'], this.#unfinished)]),
      ...(more > 0 ? [`… and ${more} more`] : []),
      ...(this.#unfinished.length === 0 ? [] : ['']),
      ...lines,
      ...(count > lines.length ? [`… and ${count - lines.length} more`] : []),
    ]
  }
}

function reportDryRun(would_create: number, total: number, told: Told): Report {
  return {
    text: [
      ...told.lines(),
      `Nothing was written. The file is valid: ${would_create} of ${total} users would be created.`,
    ].join('\n'),
    json: present({ total, would_create, lost: told.lost.length > 0 ? told.lost : undefined }),
  }
}

function reportImport(totals: Totals, told: Told, failure: StorageUnavailable | undefined): Report {
  return {
    text: [...told.lines(totals.unknown + totals.not_written), formatTotals(totals)].join('\n'),
    json: present({ ...totals, users: told.users, lost: told.lost.length > 0 ? told.lost : undefined }),
    ...describeUnfinished(totals, 'user', failure, 'Users whose outcome is "unknown" may have been written.'),
  }
}
