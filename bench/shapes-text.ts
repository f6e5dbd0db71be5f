// Operations with one connection and with many, in short and in long rounds, as a table.
import { candidateOf, compare, controlOf, cpu } from './compare.ts'
import type { ShapeResult } from './results.ts'
import { titleOf } from './row-tables.ts'
import { cost } from './statistics.ts'
import { line, show, showNumber, showRatio } from './table.ts'

/** @param beside the label of an earlier build, if the run measured one */
export function shapesTable(shapes: readonly ShapeResult[], beside?: string): string {
  const earlier = beside === undefined ? [] : [beside]
  return [
    line(['operation', 'connections', 'rounds', 'redmint', 'Redis', ...earlier.map(over), 'A/A']),
    `|---|--:|---|--:|--:|${earlier.map(() => '--:|').join('')}--:|`,
    ...shapes.map((row) => {
      const own = candidateOf(row, 'redmint')
      return line([
        titleOf(row.name),
        String(row.connections),
        row.rounds,
        show(cost(own, cpu)),
        show(cost(own, ({ redis_cpu }) => redis_cpu)),
        ...earlier.map((label) => showRatio(compare(row, 'redmint', label))),
        showNumber(controlOf(row)?.value),
      ])
    }),
  ].join('\n')
}

const over = (label: string) => `/ ${label}`
