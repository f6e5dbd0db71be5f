import { AdminError } from '../../src/admin/operation/problem.ts'
import { givenUser } from '../../src/admin/users/given.ts'
import { present } from '../../src/core/present.ts'
import { scopeNames } from '../../src/core/scope.ts'
import type { Calls } from '../calls.ts'
import { describeUnfinished, formatTotals, type ImportStep, LISTED, type Totals } from '../import.ts'
import type { ListFile } from '../list-file.ts'
import { checkList, type ListImport, writeList } from '../list-import.ts'
import { type Report, table } from '../output.ts'
import { Problems } from '../problems.ts'
import { rightLost } from '../rights-in-files.ts'
import type { Importing } from '../run.ts'
import { readEntries, type UserEntry } from './import-file.ts'
import { NextSteps } from './next-step.ts'

/**
 * The options of `user import`. Without `skipExisting`, an existing user is a problem and nothing is written. With `json`
 * each user is in the report.
 */
export interface UserImportFlags {
  skipExisting?: true
  dryRun?: true
  json?: true
}

interface UserStep extends ImportStep {
  readonly username: string
  /** The rights that the file has and the user does not get. */
  readonly lost?: readonly string[]
  /** That nobody can sign in as the user yet, and what to do. */
  readonly next_step?: string
}

type ReadUser = UserEntry & { readonly name: string }

/**
 * The command `user import`. Nothing is written unless every user in the file is well-formed.
 * @throws Refusal that lists problems
 */
export async function importUsers(
  calls: Calls,
  file: ListFile,
  flags: UserImportFlags,
  { progress, wait }: Importing,
): Promise<Report> {
  // No server may keep the index yet, by which a sub that is taken is found.
  if (calls.host !== undefined) await calls.call('index_users', { body: {} })
  const users: ListImport<ReadUser, UserStep> = {
    read: (values, problems, seen) =>
      readEntries(values, problems, undefined, seen).map((entry) => ({ ...entry, name: entry.username })),
    check: (entry) => importUser(calls, entry, flags, true),
    write: (entry) => importUser(calls, entry, flags),
    unfinished: ({ username }, outcome) => ({ username, outcome }),
    problemsOf: (_, { code, fields, message }) => {
      if (fields.length > 0) return fields.map(({ detail }) => detail)
      return [
        code === 'exists' ? 'exists already: use --skip-existing to keep it' : message.replace(/\.$/, ''),
      ]
    },
    wait,
  }
  const told = new Told(flags)
  let total = 0
  let would_create = 0
  await checkList(file, users, (step) => {
    total += 1
    if (step.outcome === 'created') would_create += 1
    if (flags.dryRun) told.noteLost(step)
  })
  if (flags.dryRun) return reportDryRun(would_create, total, told)
  const { totals, failure } = await writeList(file, users, progress(would_create), (step) => told.note(step))
  return reportImport(totals, told, failure)
}

/** Adds a user of a file, or checks it. @throws AdminError if it is refused */
async function importUser(
  { call, host }: Calls,
  { username, fields: given, password }: ReadUser,
  { skipExisting }: UserImportFlags,
  dry_run?: true,
): Promise<UserStep> {
  // A list of users gives no right.
  const { admin, ...fields } = given
  const lost = admin === undefined ? {} : { lost: scopeNames(admin) }
  const is_of_host = host !== undefined || password !== undefined || fields.password_hash !== undefined
  const asked = is_of_host
    ? call('import_user', {
        body: { username, fields, ...present({ password }) },
        ...(dry_run && { dry_run }),
      })
    : call('create_user', { body: { username, ...givenUser(fields) }, ...(dry_run && { dry_run }) })
  try {
    const { next_step } = await asked
    return { username, ...lost, ...present({ next_step }), outcome: 'created' }
  } catch (error) {
    if (!(error instanceof AdminError) || error.code !== 'exists' || error.fields.length > 0) throw error
    if (skipExisting) return { username, outcome: 'skipped' }
    throw error
  }
}

interface LostRight {
  readonly username: string
  readonly right: string
}

/** What a report says of single users: without `json`, no more than a bounded number. */
class Told {
  readonly users: { username: string; outcome: ImportStep['outcome'] }[] = []
  readonly lost: LostRight[] = []
  readonly left = new NextSteps()
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
    this.left.note(step)
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

function reportImport(totals: Totals, told: Told, failure: Error | undefined): Report {
  return {
    text: [...told.lines(totals.unknown + totals.not_written), formatTotals(totals), ...told.left.lines].join(
      '\n',
    ),
    json: present({
      ...totals,
      ...told.left.json,
      users: told.users,
      lost: told.lost.length > 0 ? told.lost : undefined,
    }),
    ...describeUnfinished(totals, 'user', failure, 'Users whose outcome is "unknown" may have been written.'),
  }
}
