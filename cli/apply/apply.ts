import { removeClient } from '../../src/admin/clients/state.ts'
import { ISSUERS } from '../../src/admin/issuers/issuers.ts'
import { PROVIDERS } from '../../src/admin/providers/providers.ts'
import { RESOURCES } from '../../src/admin/resources/resources.ts'
import { removeUser } from '../../src/admin/users/state.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { StorageUnavailable } from '../../src/storage/errors.ts'
import { everyRecord } from '../../src/storage/indexes.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { ownersOf } from '../../src/users/owners-of-subs.ts'
import type { Passwords } from '../../src/users/passwords.ts'
import { fitUsersFirst } from '../../src/users/user-index.ts'
import { USER } from '../../src/users/user-kind.ts'
import { adminContext } from '../admin-context.ts'
import { hostCalls } from '../calls.ts'
import { finishEndings } from '../end-all.ts'
import { commandError, Refusal } from '../errors.ts'
import { type EntryProblems, PARALLEL, writeSteps } from '../import.ts'
import type { Report } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'
import type { CommandContext, Progress } from '../run.ts'
import type { UserEntry } from '../user/import-file.ts'
import { planClient, planMark } from './clients.ts'
import type { Declaration } from './declaration.ts'
import { planProvider } from './providers.ts'
import { reportApplied, reportDryRun } from './report.ts'
import { planSimple, planSimpleRemovals } from './simple.ts'
import type { ApplyStep, Ownership } from './step.ts'
import { planUser } from './users.ts'

/** The options of `apply`. */
export interface ApplyFlags {
  dryRun?: true
  prune?: true
  adopt?: true
}

interface Interaction {
  /** Asks whether so many records may be removed. */
  confirm(removals: number): Promise<boolean>
  progress(total: number): Progress
}

/**
 * The command `apply`: makes the records of a file what the file declares. Nothing is written unless all of
 * them are well-formed and the file may change them.
 * @throws Refusal that lists every problem, or if the operator does not confirm removals
 */
export async function applyDeclaration(
  context: CommandContext,
  passwords: Passwords,
  declaration: Declaration,
  flags: ApplyFlags,
  { confirm, progress }: Interaction,
): Promise<Report> {
  const own = { label: declaration.label, adopt: flags.adopt === true }
  const steps = await planDeclared(context, passwords, declaration, own)
  declaration.problems.throwIfAny()
  const removals = flags.prune ? await planRemovals(context, declaration) : []
  const marks = flags.prune ? [] : await planMarks(context, declaration)
  const all = [...steps, ...removals, ...marks]
  if (flags.dryRun) return reportDryRun(own.label, all)
  if (removals.length > 0 && !(await confirm(removals.length))) throw new Refusal('Nothing was changed.')
  return reportApplied(own.label, all, await runSteps(all, progress))
}

async function planDeclared(
  context: CommandContext,
  passwords: Passwords,
  { clients, users, resources, issuers, providers, problems }: Declaration,
  own: Ownership,
): Promise<ApplyStep[]> {
  const failing = (index: number, name: string) => (problem: string) => problems.add({ index, name }, problem)
  const calls = hostCalls(context)
  const plans = [
    ...resources.map((entry) => () => {
      return planSimple(calls, RESOURCES, entry, own, failing(entry.index, entry.id))
    }),
    ...issuers.map((entry) => () => {
      return planSimple(calls, ISSUERS, entry, own, failing(entry.index, entry.id))
    }),
    ...providers.map((entry) => () => {
      return planProvider(context, calls, entry, own, failing(entry.index, entry.id))
    }),
    ...clients.map((entry) => () => {
      return planClient(context, entry, own, failing(entry.index, entry.client_id))
    }),
    ...users.map((entry) => () => {
      return planUser(context, passwords, entry, own, failing(entry.index, entry.username))
    }),
  ]
  const steps: ApplyStep[] = []
  await forEachInParallel([...plans.entries()], PARALLEL, async ([index, plan]) => {
    steps[index] = await plan()
  })
  const isNew = (username: string) =>
    steps.some(({ kind, name, action }) => kind === 'user' && name === username && action === 'create')
  const added = users.filter(({ username, fields }) => fields.sub !== undefined && isNew(username))
  if (added.length > 0) await fitUsersFirst(context.storage)
  await findTakenSubs(context.storage, added, problems)
  return steps
}

/** Returns the marks of clients that carry the label and are not in the file: the label alone would say that they are. */
async function planMarks(
  context: CommandContext,
  { label, clients }: Pick<Declaration, 'label' | 'clients'>,
): Promise<ApplyStep[]> {
  const client_ids = new Set(clients.map(({ client_id }) => client_id))
  const marks: ApplyStep[] = []
  for await (const { id, hash } of everyRecord(context.storage, CLIENT)) {
    const mark = hash.managed_by === label && !client_ids.has(id) ? planMark(context, id, hash) : undefined
    if (mark !== undefined) marks.push(mark)
  }
  return marks
}

/** Returns the removals of records that carry the label and are not in the file. */
async function planRemovals(
  context: CommandContext,
  { label, clients, users, resources, issuers, providers }: Declaration,
): Promise<ApplyStep[]> {
  const { storage } = context
  // A record that another file has taken over in the meantime stays.
  const expected = { managed_by: label }
  const removals: ApplyStep[] = []
  const add = (kind: ApplyStep['kind'], name: string, remove: () => Promise<unknown>) => {
    const write = async () => {
      await remove()
      await finishEndings(context)
      return 'done' as const
    }
    removals.push({
      kind,
      name,
      action: 'remove',
      outcome: 'not_written',
      differences: [],
      ends: true,
      write,
    })
  }
  const client_ids = new Set(clients.map(({ client_id }) => client_id))
  for await (const { id, hash } of everyRecord(storage, CLIENT)) {
    if (hash.managed_by !== label || client_ids.has(id)) continue
    add('client', id, () => removeClient(context, id, { expected }))
  }
  const usernames = new Set(users.map(({ username }) => username))
  for await (const { id, hash } of everyRecord(storage, USER)) {
    if (hash.managed_by !== label || usernames.has(id)) continue
    add('user', id, () => removeUser(adminContext(context), id, { expected }))
  }
  const calls = hostCalls(context)
  removals.push(
    ...(await planSimpleRemovals(calls, RESOURCES, label, resources)),
    ...(await planSimpleRemovals(calls, ISSUERS, label, issuers)),
    ...(await planSimpleRemovals(calls, PROVIDERS, label, providers)),
  )
  return removals.sort((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1))
}

// Steps that end something run one by one, and last: if one of them fails, only such steps are left to do.
async function runSteps(
  steps: readonly ApplyStep[],
  progress: (total: number) => Progress,
): Promise<StorageUnavailable | undefined> {
  const tried = steps.map((step) => {
    const { write } = step
    if (write !== undefined) step.write = () => write().catch((error) => noteRefusal(step, error))
    return step
  })
  const failure = await writeSteps(
    tried.filter(({ ends }) => !ends),
    progress,
  )
  if (failure !== undefined) return failure
  const ending = tried.filter(({ ends }) => ends)
  return writeSteps(ending, progress, 1)
}

function noteRefusal(step: ApplyStep, error: unknown): 'not_written' {
  const refusal = commandError(error)
  if (!(refusal instanceof Refusal)) throw error
  step.problem = refusal.message
  return 'not_written'
}

/** Reports new users whose sub is taken: it is never reassigned. */
async function findTakenSubs(
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
