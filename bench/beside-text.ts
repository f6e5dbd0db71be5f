// What operations cost beside an earlier build.
import { candidateOf, compare, cpu } from './compare.ts'
import type { Figures, Sample } from './results.ts'
import { titleOf } from './row-tables.ts'
import { cost } from './statistics.ts'
import { line, show, showRatio } from './table.ts'

const redis = ({ redis_cpu }: Sample) => redis_cpu
const main = ({ cpu_main }: Sample) => cpu_main

/** A line for each row in which the earlier build was measured as well. */
export function besideText({ rows, beside }: Pick<Figures, 'rows' | 'beside'>): string {
  if (beside === undefined) return 'This run had no earlier build beside it.'
  const compared = rows.filter((row) => candidateOf(row, beside) !== undefined)
  return [
    line([
      'operation, µs',
      `CPU, ${beside}`,
      'CPU',
      'quotient',
      'of the main thread',
      `Redis, ${beside}`,
      'Redis',
      'quotient',
    ]),
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...compared.map((row) => {
      const shown = (label: string, read: (sample: Sample) => number | undefined) =>
        show(cost(candidateOf(row, label), read))
      const ratio = (read: (sample: Sample) => number | undefined) =>
        showRatio(compare(row, 'redmint', beside, read))
      return line([
        titleOf(row.name),
        shown(beside, cpu),
        shown('redmint', cpu),
        ratio(cpu),
        ratio(main),
        shown(beside, redis),
        shown('redmint', redis),
        ratio(redis),
      ])
    }),
  ].join('\n')
}
