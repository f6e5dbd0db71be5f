// The token endpoint during a storm of sign-ins, in words and a table.

import type { StormResults, StormRound } from './results.ts'
import { connectionsOf } from './row.ts'
import { quantile, quietCost, quietRate } from './statistics.ts'
import { STORM } from './storm-row.ts'
import { line, show, showRatio } from './table.ts'

/** The storm may multiply the 99th percentile by this. */
const GOAL = 1.2

/** How long a token takes alone, and during a storm of sign-ins. */
export function stormText({ per_second, rounds }: StormResults): string {
  const of = (read: (round: StormRound) => number) => quietCost(rounds.map(read))
  const ratios = rounds.map(({ alone, stormy }) => stormy.p99 / alone.p99)
  const value = quantile(ratios, 0.5)
  const noise = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2
  const figures = (percentile: 'p50' | 'p99') => {
    const phases = (['alone', 'stormy', 'again'] as const).map((phase) =>
      of((round) => round[phase][percentile]),
    )
    return line([`${percentile}, ms`, ...phases.map(show)])
  }
  return [
    `| ${per_second} tokens a second | alone | ${connectionsOf(STORM)} users sign in | alone again |`,
    '|---|--:|--:|--:|',
    figures('p50'),
    figures('p99'),
    '',
    `The users sign in ${show(quietRate(rounds.map(({ sign_ins }) => sign_ins)))} times a second, as often as one CPU can. In the median of`,
    `${rounds.length} rounds they multiply the p99 by ${showRatio({ value, noise })}; the goal of ${GOAL} is ${value <= GOAL ? 'met' : 'missed'}.`,
  ].join('\n')
}
