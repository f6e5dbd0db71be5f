// What a run says in words: where it was made, how noisy it was, and where redmint loses.
import { compare, controlOf } from './compare.ts'
import { type Judgement, judge } from './judge.ts'
import type { Figures, Results } from './results.ts'
import { titleOf } from './row-tables.ts'
import { cost, quantile } from './statistics.ts'
import { show, showRatio } from './table.ts'

/** A sign-in may spend this on its hash, as a multiple of the hash by itself. */
const HASH_GOAL = 1.1

/** When, where and with what a whole run was made: the one date and the one commit of the pages. */
export function machineText(figures: Figures): string {
  const { cpu_model, cpus, memory_gb, kernel, redis, packages, rounds, seconds, load, commit, resumed } =
    figures
  const nodes = new Set(figures.rows.flatMap(({ candidates }) => candidates.map(({ node }) => node)))
  const versions = [
    `Node ${[...nodes].filter((node) => node !== undefined).join(', ')}`,
    `Redis ${redis ?? 'none'}`,
    ...Object.entries(packages).map(([name, version]) => `${name} ${version}`),
  ]
  const pinning = figures.pinned ? 'server on a CPU of its own' : 'processes not pinned'
  const loads = [load[0] ?? 0, ...resumed]
  return [
    `${figures.date.slice(0, 10)}, commit ${commit}; ${cpu_model}, ${cpus} CPUs, ${memory_gb} GB, ${kernel};`,
    `${versions.join(', ')}.`,
    `${rounds} rounds of ${seconds} s, ${pinning}; load average at the start ${load[0]}.`,
    ...(resumed.length > 0 ? [`Interrupted, and gone on at a load average of ${resumed.join(', ')}.`] : []),
    ...(Math.max(...loads) > 1
      ? ['Other work was running: the ratios are rough, and the times are too long.']
      : []),
  ].join('\n')
}

/** How far two processes of the same server were apart. */
export function noiseText({ rows }: Pick<Results, 'rows'>): string {
  const apart = rows.flatMap((row) => {
    const control = controlOf(row)
    return control === undefined ? [] : [Math.abs(control.value - 1)]
  })
  if (apart.length === 0) return 'This run has no control.'
  const percent = (value: number) => `${Math.round(value * 100)} %`
  return `Noise: two processes of the same redmint differ by ${percent(quantile(apart, 0.5))} in the median of the rows, by ${percent(Math.max(...apart))} at most.`
}

/** The rows in which redmint misses its goal or costs more than the peer. */
export function shortfallText(results: Pick<Results, 'rows'>): string {
  const lines = results.rows.flatMap((row) => {
    const judgement = judge(results, row.name)
    const peer = compare(row, 'redmint', 'peer')
    return [
      ...(judgement && !judgement.met ? [`- ${titleOf(row.name)}: ${missText(judgement)}`] : []),
      ...(peer !== undefined && peer.value > 1
        ? [`- ${titleOf(row.name)}: ${showRatio(peer)} × the peer.`]
        : []),
    ]
  })
  return lines.length === 0
    ? 'Every row reaches its goal, and none costs more than the peer.'
    : lines.join('\n')
}

function missText({ ratio, what, goal, guarded }: Judgement): string {
  const bound = guarded === undefined ? '' : ` The guarded floor takes ${showRatio(guarded)} ×.`
  return `${showRatio(ratio)} × ${what}; the goal is ${goal}.${bound}`
}

/** What a sign-in pays for its password hash, beside the hash by itself. */
export function hashText({ rows, hash_cpu }: Pick<Results, 'rows' | 'hash_cpu'>): string {
  const own = rows.find(({ name }) => name === 'sign-in')?.candidates.find(({ label }) => label === 'redmint')
  const inThreads = cost(own, ({ cpu_low }) => cpu_low)
  if (hash_cpu === undefined || inThreads === undefined) return 'The password hash was not measured.'
  const rounds = (own?.samples ?? []).flatMap(({ cpu_low }) => cpu_low ?? [])
  const noise = (quantile(rounds, 0.75) - quantile(rounds, 0.25)) / 2 / hash_cpu
  const ratio = { value: inThreads / hash_cpu, noise }
  return [
    `A verification of a password takes ${show(hash_cpu)} µs of CPU by itself. In a sign-in, the threads that hash`,
    `take ${show(inThreads)} µs: ${showRatio(ratio)} ×, and the goal of ${HASH_GOAL} is ${ratio.value <= HASH_GOAL ? 'met' : 'missed'}.`,
  ].join('\n')
}
