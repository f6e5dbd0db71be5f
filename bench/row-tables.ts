// The figures of a run as tables in Markdown.
import { candidateOf, compare, controlOf, cpu } from './compare.ts'
import { type Judgement, judge, verdict } from './judge.ts'
import type { Results, RowResult, Sample } from './results.ts'
import { NAMED } from './rows.ts'
import { cost, quietRate } from './statistics.ts'
import { line, show, showNumber, showRatio } from './table.ts'

export const titleOf = (name: string) => NAMED.find((row) => row.name === name)?.title ?? name

/** A table of one line for each row: CPU of redmint beside both floors and the peer, with the goals. */
export function summaryTable(results: Pick<Results, 'rows'>): string {
  return [
    '| operation | floor+ | guarded | peer | redmint | / floor+ | / guarded | / peer | goal | A/A |',
    '|---|--:|--:|--:|--:|--:|--:|--:|---|--:|',
    ...results.rows.map((row) => summaryLine(results, row)),
  ].join('\n')
}

function summaryLine(results: Pick<Results, 'rows'>, row: RowResult): string {
  const judgement = judge(results, row.name)
  const own = judgement?.of ?? candidateOf(row, 'redmint, memory', 'redmint')?.label ?? 'redmint'
  const peer = candidateOf(row, 'peer, memory', 'peer')?.label ?? 'peer'
  const shown = (label: string) => show(cost(candidateOf(row, label), cpu))
  return line([
    titleOf(row.name),
    ...['floor+', 'guarded', peer, own].map(shown),
    ...['floor+', 'guarded', peer].map((other) => showRatio(compare(row, own, other))),
    goalText(judgement),
    showNumber(controlOf(row)?.value),
  ])
}

function goalText(judgement: Judgement | undefined): string {
  if (!judgement) return '–'
  const { goal, ratio, what } = judgement
  return `${goal} × ${what}: ${verdict(judgement)}, ${showRatio(ratio)}`
}

/** Every figure of every candidate: a line each, the first one of an operation with its title. */
export function detailTable({ rows }: Pick<Results, 'rows'>): string {
  return [
    '| operation | server | CPU µs | main thread µs | Redis µs | Redis commands | per second | p50 ms | p99 ms | RSS MB |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows.flatMap(detailLines),
  ].join('\n')
}

function detailLines({ name, candidates }: RowResult): string[] {
  return candidates.map((candidate, index) => {
    const cells = [
      index === 0 ? titleOf(name) : '',
      candidate.label,
      show(cost(candidate, ({ cpu }) => cpu)),
      show(cost(candidate, ({ cpu_main }) => cpu_main)),
      show(cost(candidate, ({ redis_cpu }) => redis_cpu)),
      show(cost(candidate, commands)),
      show(quietRate(candidate.samples.map(({ rate }) => rate))),
      show(cost(candidate, ({ p50 }) => p50)),
      show(cost(candidate, ({ p99 }) => p99)),
      show(cost(candidate, ({ rss }) => rss)),
    ]
    return line(cells)
  })
}

/** Redis commands of an operation, those within scripts included. */
function commands({ redis_calls }: Sample): number | undefined {
  return redis_calls && Object.values(redis_calls).reduce((sum, count) => sum + count, 0)
}
