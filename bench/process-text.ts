// Workers, starts and memory in words and tables.

import type { CandidateResult, Figures, ProcessResults, Results, StartResult } from './results.ts'
import { workersOf } from './row.ts'
import { cost, quantile, quietRate } from './statistics.ts'
import { line, show } from './table.ts'

/** What the process as a whole needs: with several workers, at its start, when idle and under load. */
export function processText({ rows, process, cpus }: Pick<Figures, 'rows' | 'process' | 'cpus'>): string {
  return [
    workersTable(process),
    '',
    `The load and Redis have the CPUs that are left, of ${cpus}, and one at least: where the workers are as many or more, they share`,
    'what remains, and the rate cannot rise.',
    '',
    startsTable(process.starts),
    '',
    loadedText(rows),
  ].join('\n')
}

function workersTable({ workers }: ProcessResults): string {
  const counts = workers[0]?.candidates.map(({ server }) => workersOf(server)) ?? []
  return [
    line(['`WORKERS`', ...counts.map(String)]),
    `|---|${counts.map(() => '--:|').join('')}`,
    ...workers.flatMap(({ title, candidates }) => [
      line([`${title}: requests a second`, ...candidates.map(rateOf)]),
      line([
        `${title}: CPU µs of all processes`,
        ...candidates.map((one) => show(cost(one, ({ cpu }) => cpu))),
      ]),
      line([`${title}: MB of all processes`, ...candidates.map((one) => show(cost(one, ({ rss }) => rss)))]),
    ]),
  ].join('\n')
}

const rateOf = ({ samples }: CandidateResult) => show(quietRate(samples.map(({ rate }) => rate)))

function startsTable(starts: readonly StartResult[]): string {
  const median = (values: readonly (number | undefined)[]) =>
    show(
      quantile(
        values.filter((value) => value !== undefined),
        0.5,
      ),
    )
  return [
    '| a start, medians | until discovery answers, ms | CPU ms | idle, MB |',
    '|---|--:|--:|--:|',
    ...starts.map(({ keys, samples }) => {
      const cells = [
        keys === 'existing' ? 'with existing keys' : 'on an empty Redis',
        median(samples.map(({ ms }) => ms)),
        median(samples.map(({ cpu_ms }) => cpu_ms)),
        median(samples.map(({ rss }) => rss)),
      ]
      return line(cells)
    }),
  ].join('\n')
}

/** The resident memory of redmint in the rows of operations. */
function loadedText(rows: Results['rows']): string {
  const loaded = rows.flatMap(({ candidates }) => {
    const own = candidates.find(({ server }) => server === 'redmint')
    return cost(own, ({ rss }) => rss) ?? []
  })
  if (loaded.length === 0) return 'The memory under load was not measured.'
  return `Under load it has ${show(Math.min(...loaded))} to ${show(Math.max(...loaded))} MB, by the operation.`
}
