// The figures of a run as tables in Markdown.
import { type Judgement, judge } from './judge.ts'
import type { CandidateResult, Results, RowResult, Sample } from './results.ts'
import { ROWS } from './rows.ts'
import { cost, quietRate } from './statistics.ts'

/** Two figures below 100; a dash where nothing was measured. */
export function show(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))
}

/** A quotient with two places; a dash if a part of it was not measured. */
export const showRatio = (ratio: number | undefined) => (ratio === undefined ? '–' : ratio.toFixed(2))

export const titleOf = (name: string) => ROWS.find((row) => row.name === name)?.title ?? name

/** A table of one line for each row: CPU of redmint beside both floors and the peer, with the goals. */
export function summaryTable(results: Pick<Results, 'rows'>): string {
  return [
    '| operation | floor+ | guarded | peer | redmint | / floor+ | / guarded | / peer | goal | A/A |',
    '|---|--:|--:|--:|--:|--:|--:|--:|---|--:|',
    ...results.rows.map((row) => summaryLine(results, row)),
  ].join('\n')
}

function summaryLine(results: Pick<Results, 'rows'>, row: RowResult): string {
  const find = (...servers: string[]) =>
    row.candidates.find(({ label }) => servers.some((server) => label === server))
  const of = (candidate: CandidateResult | undefined) => cost(candidate, ({ cpu }) => cpu)
  const judgement = judge(results, row.name)
  const own = of(judgement ? find(judgement.of) : find('redmint, memory', 'redmint'))
  const [floor, guarded, peer, again] = [
    of(find('floor+')),
    of(find('guarded')),
    of(find('peer', 'peer, memory')),
    of(find('redmint again')),
  ]
  const over = (value: number | undefined) =>
    own === undefined || value === undefined ? undefined : own / value
  const cells = [
    titleOf(row.name),
    show(floor),
    show(guarded),
    show(peer),
    show(own),
    showRatio(over(floor)),
    showRatio(over(guarded)),
    showRatio(over(peer)),
    goalText(judgement),
    showRatio(ratioOf(again, of(find('redmint')))),
  ]
  return `| ${cells.join(' | ')} |`
}

const ratioOf = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a / b

function goalText(judgement: Judgement | undefined): string {
  if (!judgement) return '–'
  const { goal, ratio, met, what } = judgement
  return `${goal} × ${what}: ${met ? 'met' : 'missed'}, ${ratio.toFixed(2)}`
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
    return `| ${cells.join(' | ')} |`
  })
}

/** Redis commands of an operation, those within scripts included. */
function commands({ redis_calls }: Sample): number | undefined {
  return redis_calls && Object.values(redis_calls).reduce((sum, count) => sum + count, 0)
}
