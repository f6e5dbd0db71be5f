import { AdminError } from '../../src/admin/operation/problem.ts'
import { StorageUnavailable } from '../../src/storage/errors.ts'
import type { Calls } from '../calls.ts'
import { Refusal, ServerFailure } from '../errors.ts'
import { PARALLEL } from '../import.ts'
import { patiently, type Unanswered } from '../list-import.ts'
import type { Report } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'
import type { Importing } from '../run.ts'
import { APPLICATION, DETAIL_TYPE, ISSUER, PROVIDER, RESOURCE } from '../simple.ts'
import { declaredClient } from './clients.ts'
import type { Declaration } from './declaration.ts'
import { reportApplied, reportDryRun } from './report.ts'
import { declaredSimple } from './simple.ts'
import { type ApplyStep, type Declared, planDeclared } from './step.ts'
import { planMarks, planRemovals } from './undeclared.ts'
import { declaredUser } from './users.ts'

/** The options of `apply`. */
export interface ApplyFlags {
  dryRun?: true
  prune?: true
  adopt?: true
}

interface Interaction extends Importing {
  /** Asks whether so many records may be removed. */
  confirm(removals: number): Promise<boolean>
}

/**
 * The command `apply`: makes the records of a file what the file declares. Nothing is written unless all of
 * them are well-formed and the file may change them: all are planned first, and each is written only if it still has the
 * version that was planned for.
 * @throws Refusal that lists every problem, or if the operator does not confirm removals
 */
export async function applyDeclaration(
  given: Calls,
  declaration: Declaration,
  flags: ApplyFlags,
  { confirm, progress, wait }: Interaction,
): Promise<Report> {
  const { label, problems } = declaration
  const calls = patient(given, wait)
  const steps = await planFile(calls, declaration, flags.adopt === true)
  problems.throwIfAny()
  const others = await (flags.prune ? planRemovals : planMarks)(calls, declaration)
  const all = [...steps, ...others]
  if (flags.dryRun) return reportDryRun(label, all)
  const removals = others.filter(({ action }) => action === 'remove').length
  if (removals > 0 && !(await confirm(removals))) throw new Refusal('Nothing was changed.')
  return reportApplied(label, all, await runSteps(all, progress))
}

/** Returns calls that wait while a server has no time for them. */
function patient(calls: Calls, wait: Importing['wait']): Calls {
  const { call, plan } = calls
  return {
    ...calls,
    call: ((...given: Parameters<typeof call>) => patiently({ wait }, () => call(...given))) as typeof call,
    plan: ((...given: Parameters<typeof plan>) => patiently({ wait }, () => plan(...given))) as typeof plan,
  }
}

/** Plans all records of a file; the problems are those of the file. */
async function planFile(
  calls: Calls,
  { label, clients, users, resources, detail_types, issuers, applications, providers, problems }: Declaration,
  adopt: boolean,
): Promise<ApplyStep[]> {
  const failing = (index: number, name: string) => (problem: string) => problems.add({ index, name }, problem)
  const plan = (one: Declared) => planDeclared(one, { label, adopt }, failing(one.index, one.name))
  const declared = [
    ...resources.map((entry) => declaredSimple(calls, RESOURCE, entry, label)),
    ...detail_types.map((entry) => declaredSimple(calls, DETAIL_TYPE, entry, label)),
    ...issuers.map((entry) => declaredSimple(calls, ISSUER, entry, label)),
    ...applications.map((entry) => declaredSimple(calls, APPLICATION, entry, label)),
    ...providers.map((entry) => declaredSimple(calls, PROVIDER, entry, label)),
    ...clients.map((entry) => declaredClient(calls, entry, label, failing(entry.index, entry.client_id))),
    ...users.map((entry) => declaredUser(calls, entry, label, failing(entry.index, entry.username))),
  ]
  const steps: ApplyStep[] = []
  await forEachInParallel([...declared.entries()], PARALLEL, async ([at, one]) => {
    steps[at] = await plan(one)
  })
  if (calls.host === undefined) return steps
  // No server may keep the index yet, by which a sub that is taken is found.
  const with_sub = new Set(users.flatMap(({ username, fields }) => (fields.sub ? [username] : [])))
  const added = [...declared.entries()].filter(
    ([at, { kind, name }]) => kind === 'user' && with_sub.has(name) && steps[at]?.action === 'create',
  )
  if (added.length === 0) return steps
  await calls.call('index_users', { body: {} })
  for (const [at, one] of added) steps[at] = await plan(one)
  return steps
}

// Steps that end something run one by one, and last: if one of them fails, only such steps are left to do.
async function runSteps(
  steps: readonly ApplyStep[],
  progress: Importing['progress'],
): Promise<Unanswered | undefined> {
  const left = steps.filter(({ write }) => write !== undefined)
  const shown = progress(left.length)
  let done = 0
  const run = async (step: ApplyStep) => {
    step.outcome = 'unknown'
    step.outcome = await outcomeOf(step)
    done += 1
    shown.at(done)
  }
  try {
    await forEachInParallel(
      left.filter(({ ends }) => !ends),
      PARALLEL,
      run,
    )
    await forEachInParallel(
      left.filter(({ ends }) => ends),
      1,
      run,
    )
    return undefined
  } catch (error) {
    if (error instanceof StorageUnavailable || error instanceof ServerFailure) return error
    throw error
  } finally {
    shown.end()
  }
}

/** Writes what was planned: what is refused now, another process has changed in the meantime. */
async function outcomeOf(step: ApplyStep): Promise<'done' | 'not_written'> {
  try {
    step.answer = await step.write?.()
    return 'done'
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    step.problem = error.message
    return 'not_written'
  }
}
