// Workers, starts and memory in words and tables.
import type { CandidateResult, ProcessResults, Results, StartResult } from './results.ts'
import { workersOf } from './row.ts'
import { cost, quantile, quietRate } from './statistics.ts'
import { show } from './table.ts'

/** What the process as a whole needs: with several workers, at its start, when idle and under load. */
export function processText({ rows, process: run }: Pick<Results, 'rows' | 'process'>): string {
  if (run === undefined) return 'Not measured yet: `npm --prefix bench run process` adds these figures.'
  const { date, commit, load, node } = run
  return [
    `${date.slice(0, 10)}, commit ${commit}, Node ${node}; load average at the start ${load[0]}.`,
    '',
    workersTable(run),
    '',
    'The load and Redis have the CPUs that are left. With three workers on four CPUs that is one, which limits the rate.',
    '',
    startsTable(run.starts),
    '',
    loadedText(rows),
  ].join('\n')
}

function workersTable({ workers }: ProcessResults): string {
  const counts = workers[0]?.candidates.map(({ server }) => workersOf(server)) ?? []
  const line = (title: string, cells: readonly string[]) => `| ${[title, ...cells].join(' | ')} |`
  return [
    line('`WORKERS`', counts.map(String)),
    `|---|${counts.map(() => '--:|').join('')}`,
    ...workers.flatMap(({ title, candidates }) => [
      line(`${title}: requests a second`, candidates.map(rateOf)),
      line(
        `${title}: CPU µs of all processes`,
        candidates.map((one) => show(cost(one, ({ cpu }) => cpu))),
      ),
      line(
        `${title}: MB of all processes`,
        candidates.map((one) => show(cost(one, ({ rss }) => rss))),
      ),
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
      return `| ${cells.join(' | ')} |`
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
