// What a run says in words: where it was made, how noisy it was, and where redmint loses.
import { type Judgement, judge } from './judge.ts'
import type { Results } from './results.ts'
import { cost } from './statistics.ts'
import { show, showRatio, titleOf } from './table.ts'

/** A sign-in may spend this on its hash, as a multiple of the hash by itself. */
const HASH_GOAL = 1.1

/** The machine and the versions of a run. */
export function machineText(results: Results): string {
  const { cpu_model, cpus, memory_gb, kernel, redis, packages, rounds, seconds, load, commit } = results
  const nodes = new Set(results.rows.flatMap(({ candidates }) => candidates.map(({ node }) => node)))
  const versions = [
    `Node ${[...nodes].filter((node) => node !== undefined).join(', ')}`,
    `Redis ${redis ?? 'none'}`,
    ...Object.entries(packages).map(([name, version]) => `${name} ${version}`),
  ]
  const pinning = results.pinned ? 'server on a CPU of its own' : 'processes not pinned'
  return [
    `${results.date.slice(0, 10)}, commit ${commit}; ${cpu_model}, ${cpus} CPUs, ${memory_gb} GB, ${kernel};`,
    `${versions.join(', ')}.`,
    `${rounds} rounds of ${seconds} s, ${pinning}; load average at the start ${load[0]}.`,
    ...(Number(load[0]) > 1
      ? ['Other work was running: the ratios are rough, and the times are too long.']
      : []),
    ...renewals(results),
  ].join('\n')
}

/** A line for each later run, with the rows that it measured. */
function renewals({ rows }: Results): string[] {
  const titles = new Map<string, string[]>()
  for (const { name, renewed } of rows) {
    if (renewed === undefined) continue
    const { date, commit, load } = renewed
    const run = `Renewed ${date.slice(0, 10)}, commit ${commit}, load average ${load[0]}`
    titles.set(run, [...(titles.get(run) ?? []), titleOf(name)])
  }
  return [...titles].map(([run, of]) => `${run}: ${of.join('; ')}.`)
}

/** How far two runs of the same server were apart. */
export function noiseText({ rows }: Pick<Results, 'rows'>): string {
  const apart = rows.flatMap(({ candidates }) => {
    const [one, two] = ['redmint', 'redmint again'].map((label) =>
      cost(
        candidates.find((candidate) => candidate.label === label),
        ({ cpu }) => cpu,
      ),
    )
    return one === undefined || two === undefined ? [] : [Math.abs(two / one - 1)]
  })
  if (apart.length === 0) return 'This run has no control.'
  const percent = (value: number) => `${Math.round(value * 100)} %`
  const middle = apart.toSorted((a, b) => a - b)[Math.floor(apart.length / 2)] ?? 0
  return `Noise: two processes of the same redmint differ by ${percent(middle)} in the median of the rows, by ${percent(Math.max(...apart))} at most.`
}

/** The rows in which redmint misses its goal or costs more than the peer. */
export function shortfallText(results: Pick<Results, 'rows'>): string {
  const lines = results.rows.flatMap(({ name, candidates }) => {
    const judgement = judge(results, name)
    const of = (label: string) =>
      cost(
        candidates.find((candidate) => candidate.label === label),
        ({ cpu }) => cpu,
      )
    const [own, peer] = [of('redmint'), of('peer')]
    return [
      ...(judgement && !judgement.met ? [`- ${titleOf(name)}: ${missText(judgement)}`] : []),
      ...(own !== undefined && peer !== undefined && own > peer
        ? [`- ${titleOf(name)}: ${showRatio(own / peer)} × the peer.`]
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
  const ratio = inThreads / hash_cpu
  return [
    `A verification of a password takes ${show(hash_cpu)} µs of CPU by itself. In a sign-in, the threads that hash`,
    `take ${show(inThreads)} µs: ${showRatio(ratio)} ×, and the goal of ${HASH_GOAL} is ${ratio <= HASH_GOAL ? 'met' : 'missed'}.`,
  ].join('\n')
}
