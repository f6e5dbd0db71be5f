// The token endpoint during a storm of sign-ins, in words and a table.
import type { StormResults, StormRound } from './results.ts'
import { connectionsOf } from './row.ts'
import { quantile, quietCost, quietRate } from './statistics.ts'
import { STORM } from './storm-row.ts'
import { show, showRatio } from './table.ts'

/** The storm may multiply the 99th percentile by this. */
const GOAL = 1.2

/** How long a token takes alone, and during a storm of sign-ins. */
export function stormText(storm: StormResults | undefined): string {
  if (storm === undefined) return 'Not measured yet: `npm --prefix bench run login` adds these figures.'
  const { date, commit, load, node, per_second, rounds } = storm
  const of = (read: (round: StormRound) => number) => quietCost(rounds.map(read))
  const ratio = quantile(
    rounds.map(({ alone, stormy }) => stormy.p99 / alone.p99),
    0.5,
  )
  const line = (percentile: 'p50' | 'p99') => {
    const [alone, stormy, again] = (['alone', 'stormy', 'again'] as const).map((phase) =>
      of((round) => round[phase][percentile]),
    )
    return `| ${percentile}, ms | ${[alone, stormy, again].map(show).join(' | ')} |`
  }
  return [
    `${date.slice(0, 10)}, commit ${commit}, Node ${node}; load average at the start ${load[0]}.`,
    '',
    `| ${per_second} tokens a second | alone | ${connectionsOf(STORM)} users sign in | alone again |`,
    '|---|--:|--:|--:|',
    line('p50'),
    line('p99'),
    '',
    `The users sign in ${show(quietRate(rounds.map(({ sign_ins }) => sign_ins)))} times a second, as often as one CPU can. In the median of`,
    `${rounds.length} rounds they multiply the p99 by ${showRatio(ratio)}; the goal of ${GOAL} is ${ratio <= GOAL ? 'met' : 'missed'}.`,
  ].join('\n')
}
