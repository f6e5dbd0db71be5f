// Versions of Node beside each other.
import type { Results } from './results.ts'
import { cost } from './statistics.ts'
import { show, showRatio, titleOf } from './table.ts'

/** CPU of redmint on each version, its quotient to the first one, and which version needs the least. */
export function nodeTable({ rows }: Pick<Results, 'rows'>): string {
  const versions = [...new Set(rows.flatMap(({ candidates }) => candidates.map(({ node }) => node)))].filter(
    (version) => version !== undefined,
  )
  const [first = ''] = versions
  const figures = rows.map(({ name, candidates }) => ({
    name,
    costs: versions.map((version) => {
      const own = candidates.filter(({ server, node }) => server === 'redmint' && node === version)
      return cost(own[0], ({ cpu }) => cpu)
    }),
  }))
  const means = versions.map((_, index) =>
    geometricMean(
      figures.flatMap(({ costs }) => {
        const [base, value] = [costs[0], costs[index]]
        return base === undefined || value === undefined ? [] : [value / base]
      }),
    ),
  )
  const best = versions[means.indexOf(Math.min(...means))]
  return [
    `| operation, CPU µs | ${versions.join(' | ')} |`,
    `|---|${versions.map(() => '--:|').join('')}`,
    ...figures.map(({ name, costs }) => `| ${titleOf(name)} | ${costs.map(show).join(' | ')} |`),
    `| geometric mean, as a part of ${first} | ${means.map(showRatio).join(' | ')} |`,
    '',
    `By these figures, run redmint on Node ${best}.`,
  ].join('\n')
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
