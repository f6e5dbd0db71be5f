// Whether a row reaches its goal.
import { candidateOf, withControl } from './compare.ts'
import type { Results, Sample } from './results.ts'
import type { CandidateName } from './row.ts'
import { ROWS } from './rows.ts'
import { quotient, type Ratio } from './statistics.ts'

export interface Judgement {
  /** The candidate that is judged. */
  of: CandidateName
  ratio: Ratio
  goal: number
  /** What it is compared with. */
  what: string
  met: boolean
  /** The ratio that the guarded floor has itself; absent: it was not measured. */
  guarded?: Ratio
}

/** @returns undefined for a row without a goal, or with a figure that was not measured */
export function judge({ rows }: Pick<Results, 'rows'>, name: string): Judgement | undefined {
  const goal = ROWS.find((row) => row.name === name)?.goal
  if (!goal) return undefined
  const { ratio: limit, to, of = 'redmint', main_thread } = goal
  const read = (sample: Sample) => (main_thread ? sample.cpu_main : sample.cpu)
  const row = rows.find((found) => found.name === name)
  if (!row) return undefined
  const other =
    typeof to === 'string'
      ? candidateOf(row, to)
      : candidateOf(rows.find((found) => found.name === to.row) ?? { candidates: [] }, 'redmint')
  const ratio = withControl(quotient(candidateOf(row, of), other, read), row, read)
  if (ratio === undefined) return undefined
  const what = typeof to === 'string' ? to : `row ${to.row}`
  const guarded = to === 'floor+' ? quotient(candidateOf(row, 'guarded'), other, read) : undefined
  return {
    of,
    ratio,
    goal: limit,
    what: main_thread ? `${what}, main thread` : what,
    met: ratio.value <= limit,
    ...(guarded !== undefined && { guarded }),
  }
}

/** Whether a goal is met, and whether noise alone could decide it. */
export const verdict = ({ ratio, goal, met }: Judgement) =>
  `${met ? 'met' : 'missed'}${Math.abs(ratio.value - goal) < ratio.noise ? ' within the noise' : ''}`
