import { SECRETS_NOTE } from '../../src/admin/clients/secret.ts'
import { count } from '../../src/core/count.ts'
import { present } from '../../src/core/present.ts'
import { EXIT, ServerFailure } from '../errors.ts'
import { formatTotals } from '../import.ts'
import type { Unanswered } from '../list-import.ts'
import { type Report, table } from '../output.ts'
import { NextSteps } from '../user/next-step.ts'
import type { Difference } from './difference.ts'
import type { Action, ApplyStep } from './step.ts'

const DONE = { create: 'created', change: 'changed', unchanged: 'unchanged', remove: 'removed' } as const

/** Reports what a run without --dry-run would do. */
export function reportDryRun(label: string, steps: readonly ApplyStep[]): Report {
  const totals = countBy(steps, ({ action }) => action)
  return {
    text: [
      ...formatSteps(steps, ({ action }) => action),
      `Nothing was written: ${formatTotals(totals)}`,
    ].join('\n'),
    json: {
      label,
      dry_run: true,
      ...totals,
      records: steps.map(({ kind, name, action, differences }) => ({ kind, name, action, differences })),
    },
  }
}

/** Reports what was done; `failure`: storage or the server did not answer, so that some of it was not. */
export function reportApplied(
  label: string,
  steps: readonly ApplyStep[],
  failure: Unanswered | undefined,
): Report {
  const stateOf = ({ action, outcome }: ApplyStep) => (outcome === 'done' ? DONE[action] : outcome)
  const totals = countBy(steps, stateOf)
  const left = new NextSteps()
  for (const { answer } of steps) left.note(answer)
  return {
    text: [...formatSteps(steps, stateOf), ...formatSecrets(steps), formatTotals(totals), ...left.lines].join(
      '\n',
    ),
    json: {
      label,
      dry_run: false,
      ...totals,
      ...left.json,
      records: steps.map((step) => {
        const { kind, name, action, outcome, problem, differences } = step
        return present({ kind, name, action, outcome, problem, differences, client_secret: secretOf(step) })
      }),
    },
    ...describeUnfinished(steps, failure),
  }
}

/** The secret that was generated, if the client has it, or may have it. */
function secretOf({ outcome, client_secret }: ApplyStep): string | undefined {
  return outcome === 'not_written' ? undefined : client_secret
}

function formatSecrets(steps: readonly ApplyStep[]): readonly string[] {
  const rows = steps.flatMap((step) => {
    const secret = secretOf(step)
    return secret === undefined ? [] : [[step.name, secret]]
  })
  if (rows.length === 0) return []
  return [table(['CLIENT_ID', 'CLIENT_SECRET'], rows), '', SECRETS_NOTE]
}

function countBy(steps: readonly ApplyStep[], stateOf: (step: ApplyStep) => string): Record<string, number> {
  const totals: Record<string, number> = { total: steps.length }
  for (const step of steps) totals[stateOf(step)] = (totals[stateOf(step)] ?? 0) + 1
  return totals
}

function formatSteps(
  steps: readonly ApplyStep[],
  stateOf: (step: ApplyStep) => Action | string,
): readonly string[] {
  const rows = steps.flatMap((step) => {
    const [first = '', ...more] = step.differences.map(describeDifference)
    return [[stateOf(step), step.kind, step.name, first], ...more.map((text) => ['', '', '', text])]
  })
  return rows.length === 0 ? [] : [table(['RECORD', 'KIND', 'NAME', 'DIFFERENCE'], rows), '']
}

function describeDifference({ field, from, to }: Difference): string {
  return from === undefined ? `${field}: changed` : `${field}: ${from || 'none'} -> ${to || 'none'}`
}

function describeUnfinished(
  steps: readonly ApplyStep[],
  failure: Unanswered | undefined,
): Pick<Report, 'exit' | 'error'> {
  const unfinished = steps.filter(({ outcome }) => outcome !== 'done')
  if (unfinished.length === 0) return {}
  const refused = unfinished.flatMap(({ kind, name, problem }) =>
    problem === undefined ? [] : [`  ${kind} "${name}": ${problem}`],
  )
  return {
    exit: failure === undefined ? EXIT.refused : EXIT.storage,
    error: [
      `${count(unfinished.length, 'record')} not completed: ${whyNot(failure)}`,
      ...refused,
      'Run the command again: it does what is left.',
    ].join('\n'),
  }
}

function whyNot(failure: Unanswered | undefined): string {
  if (failure === undefined) return 'another process changed them in the meantime, or they were refused.'
  return failure instanceof ServerFailure ? failure.message : `storage does not answer: ${failure.message}`
}
