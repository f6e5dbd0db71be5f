// Whether a row reaches its goal.
import type { Results, Sample } from './results.ts'
import type { CandidateName } from './row.ts'
import { ROWS } from './rows.ts'
import { cost } from './statistics.ts'

export interface Judgement {
  /** The candidate that is judged. */
  of: CandidateName
  ratio: number
  goal: number
  /** What it is compared with. */
  what: string
  met: boolean
  /** The ratio that the guarded floor has itself; absent: it was not measured. */
  guarded?: number
}

/** @returns undefined for a row without a goal, or with a figure that was not measured */
export function judge({ rows }: Pick<Results, 'rows'>, name: string): Judgement | undefined {
  const goal = ROWS.find((row) => row.name === name)?.goal
  if (!goal) return undefined
  const { ratio: limit, to, of = 'redmint', main_thread } = goal
  const read = (sample: Sample) => (main_thread ? sample.cpu_main : sample.cpu)
  const find = (row: string, label: CandidateName) =>
    rows.find((found) => found.name === row)?.candidates.find((candidate) => candidate.label === label)
  const own = cost(find(name, of), read)
  const other = typeof to === 'string' ? cost(find(name, to), read) : cost(find(to.row, 'redmint'), read)
  if (own === undefined || other === undefined) return undefined
  const ratio = own / other
  const what = typeof to === 'string' ? to : `row ${to.row}`
  const guarded = to === 'floor+' ? cost(find(name, 'guarded'), read) : undefined
  return {
    of,
    ratio,
    goal: limit,
    what: main_thread ? `${what}, main thread` : what,
    met: ratio <= limit,
    ...(guarded !== undefined && { guarded: guarded / other }),
  }
}
