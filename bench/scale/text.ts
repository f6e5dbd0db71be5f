// What a run says in docs/capacity.md.
import { show } from '../table.ts'
import type { ScaleResults } from './measure.ts'
import type { Row } from './requests.ts'

const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 })

/** The text between the marks `scale`. */
export function scaleText(results: ScaleResults): string {
  const { sizes, keys, memory_gb, filled, rows, tokens } = results
  return [
    `${results.date.slice(0, 10)}, commit ${results.commit}; ${results.cpu_model}, ${results.cpus} CPUs; Node ${results.node}, Redis ${results.redis};`,
    `load average at the start ${results.load[0]}; ${results.minutes.toFixed(0)} minutes. ${count(sizes.people)} people, ${count(sizes.clients)} clients and ${count(sizes.grants)} grants are`,
    `${count(keys)} keys and ${show(memory_gb)} GB of Redis:`,
    '',
    '| bytes of Redis, with its entries in lists and indexes | |',
    '|---|--:|',
    ...filled.map(({ what, bytes }) => `| a ${what} | ${count(bytes)} |`),
    '',
    '| what | CPU ms | CPU of Redis ms | commands | round trips | MB | |',
    '|---|--:|--:|--:|--:|--:|---|',
    ...rows.map(rowText),
    '',
    '| up to 200 tokens a second beside | p50 ms | p99 ms | not answered 200 | commands of 5 ms or more | the longest |',
    '|---|--:|--:|--:|--:|---|',
    ...tokens.map(({ beside, tokens, failed, p50, p99, slowest: { count, longest, name } }) => {
      const most = count === 0 ? '–' : `${name} ${show(longest)} ms`
      return `| ${beside} | ${show(p50)} | ${show(p99)} | ${failed} of ${tokens} | ${count} | ${most} |`
    }),
  ].join('\n')
}

function rowText({ what, cost, mb, note = '' }: Row): string {
  const { cpu, redis_cpu, commands, trips } = cost
  const optional = (value: number | undefined) => (value === undefined ? '–' : count(value))
  const cells = [what, show(cpu), show(redis_cpu), count(commands), optional(trips), optional(mb), note]
  return `| ${cells.join(' | ')} |`.replace(/ {2}\|$/, ' |')
}
