// Versions of Node beside each other.
import { candidateOf } from './compare.ts'
import type { CandidateResult, RowResult, Sample } from './results.ts'
import { titleOf } from './row-tables.ts'
import { cost } from './statistics.ts'
import { line, show, showNumber, showRatio } from './table.ts'

/** CPU of redmint on each version, its quotient to the first one, its memory, and which version to run. */
export function nodeTable(rows: readonly RowResult[]): string {
  const versions = [...new Set(rows.flatMap(({ candidates }) => candidates.map(({ node }) => node)))].filter(
    (version) => version !== undefined,
  )
  const [first = ''] = versions
  const on = (version: string) => (row: RowResult) =>
    row.candidates.find(({ server, node }) => server === 'redmint' && node === version)
  const again = (row: RowResult) => candidateOf(row, 'redmint again')
  const mean = (
    find: (row: RowResult) => CandidateResult | undefined,
    read: (sample: Sample) => number | undefined,
  ) =>
    geometricMean(
      rows.flatMap((row) => {
        const [base, value] = [cost(on(first)(row), read), cost(find(row), read)]
        return base === undefined || value === undefined ? [] : [value / base]
      }),
    )
  const cpu = ({ cpu }: Sample) => cpu
  const means = versions.map((version) => mean(on(version), cpu))
  const control = mean(again, cpu)
  const rss = ({ rss }: Sample) => rss
  const memory = versions.map((version) => mean(on(version), rss))
  const noiseOf = (control: number) => (Number.isNaN(control) ? 0 : Math.abs(control - 1))
  const noise = noiseOf(control)
  const noisy = (noise: number) => (value: number) => showRatio({ value, noise: noise * value })
  return [
    `| operation, CPU µs | ${versions.join(' | ')} |`,
    `|---|${versions.map(() => '--:|').join('')}`,
    ...rows.map((row) =>
      line([titleOf(row.name), ...versions.map((version) => show(cost(on(version)(row), cpu)))]),
    ),
    line([`CPU, geometric mean, as a part of ${first}`, '1', ...means.slice(1).map(noisy(noise))]),
    line(['resident memory, the same', '1', ...memory.slice(1).map(noisy(noiseOf(mean(again, rss))))]),
    '',
    `The control, ${first} a second time, has a mean of ${showNumber(Number.isNaN(control) ? undefined : control)}. ${advice(versions, means, noise)}`,
  ].join('\n')
}

function advice(versions: readonly string[], means: readonly number[], noise: number): string {
  const least = Math.min(...means)
  return least < 1 - noise
    ? `By these figures, run redmint on Node ${versions[means.indexOf(least)]}.`
    : `No version needs less CPU than ${versions[0]} beyond this noise.`
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
