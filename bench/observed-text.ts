// What the audit trail and traces cost.
import { compare, controlOf } from './compare.ts'
import type { Results } from './results.ts'
import { titleOf } from './row-tables.ts'
import { line, showNumber, showRatio } from './table.ts'

const OBSERVED = ['redmint, audit', 'redmint, audit and traces'] as const

/** A line for each row with traces: its CPU beside that of a redmint without them. */
export function observedTable({ rows }: Pick<Results, 'rows'>): string {
  const observed = rows.filter(({ candidates }) => candidates.some(({ server }) => server === OBSERVED[1]))
  return [
    '| CPU, to that of redmint without both | with the audit trail | and traces of one request in ten | A/A |',
    '|---|--:|--:|--:|',
    ...observed.map((row) =>
      line([
        titleOf(row.name),
        ...OBSERVED.map((label) => showRatio(compare(row, label, 'redmint'))),
        showNumber(controlOf(row)?.value),
      ]),
    ),
  ].join('\n')
}
