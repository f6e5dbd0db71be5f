// From samples to tables, plots and judgements.
import t from 'tap'
import { besideText } from '../../../bench/beside-text.ts'
import { compare } from '../../../bench/compare.ts'
import { judge } from '../../../bench/judge.ts'
import { replaceMarked } from '../../../bench/markers.ts'
import { nodeTable } from '../../../bench/nodes.ts'
import { observedTable } from '../../../bench/observed-text.ts'
import { barChart } from '../../../bench/plot.ts'
import { processText } from '../../../bench/process-text.ts'
import type { CandidateResult, Results } from '../../../bench/results.ts'
import { detailTable, summaryTable } from '../../../bench/row-tables.ts'
import { NAMED } from '../../../bench/rows.ts'
import { shapesTable } from '../../../bench/shapes-text.ts'
import { quantile, quotient } from '../../../bench/statistics.ts'
import { hashText, noiseText, shortfallText } from '../../../bench/summary.ts'
import { tableText } from '../../../bench/table.ts'

type Server = CandidateResult['server']

const candidate = (
  label: string,
  cpu: number[],
  server = label as Server,
  node = 'v20.0.0',
): CandidateResult => ({
  label,
  server,
  node,
  samples: cpu.map((cpu) => ({
    cpu,
    cpu_main: cpu / 2,
    cpu_low: cpu / 2,
    redis_cpu: 7,
    redis_calls: { evalsha: 1, hset: 2 },
    http_bytes: 500,
    rate: 1e6 / cpu,
    p50: 1,
    p99: 12.34,
  })),
})

/** Redmint at twice the floor in one round, and disturbed in the others. */
const cc = (floor = 50): Pick<Results, 'rows'> => ({
  rows: [
    {
      name: 'cc-basic',
      candidates: [
        candidate('floor+', [floor]),
        candidate('guarded', [80]),
        candidate('peer', [300]),
        candidate('redmint', [100, 100, 900, 800, 700]),
        candidate('redmint again', [110], 'redmint'),
      ],
    },
  ],
})

t.test('a quantile is interpolated and needs no order', async (t) => {
  t.equal(quantile([4, 1, 3, 2, 5], 0.5), 3)
  t.equal(quantile([10, 0], 0.25), 2.5)
  t.equal(quantile([7], 0.99), 7)
})

t.test('a quotient has the noise of its rounds, each beside the same round of the other', async (t) => {
  const read = ({ cpu }: { cpu?: number }) => cpu
  const floor = candidate('floor+', [50, 50, 100, 50])
  t.same(quotient(candidate('redmint', [100, 100, 200, 100]), floor, read), { value: 2, noise: 0 })
  const noisy = quotient(candidate('redmint', [50, 100, 200, 150]), floor, read)
  t.same(noisy, { value: 1.75, noise: 0.25 }, 'half of the range of the middle half')
  t.equal(quotient(candidate('redmint', [1]), undefined, read), undefined)
})

t.test('the noise of a row is at least what its control is away from 1', async (t) => {
  const [row] = cc().rows
  t.match(row && compare(row, 'redmint', 'floor+'), { value: 2, noise: 1.1 * 2 - 2 })
})

t.test('the table has the quiet figures, the quotients with their noise, and the verdict', async (t) => {
  const [, , line] = summaryTable(cc()).split('\n')
  t.equal(
    line,
    '| client credentials, opaque, Basic | 50 | 80 | 300 | 100 | 2.00 ± 0.20 | 1.25 ± 0.13 | 0.33 ± 0.03 | 1.2 × floor+: missed, 2.00 ± 0.20 | 1.10 |',
  )
  t.match(summaryTable(cc(100)), '1.2 × floor+: met, 1.00 ± 0.10')
  t.match(summaryTable(cc(90)), 'met within the noise, 1.11 ± 0.11')
  t.match(summaryTable(cc(80)), 'missed within the noise, 1.25 ± 0.13')
  t.match(detailTable(cc()), '| floor+ | 50 | 25 | 7 | 3 | 20,000 | 1 | 12 | – |')
})

t.test('an earlier build has a line for each row in which it was measured', async (t) => {
  const [row] = cc().rows
  if (!row) throw new Error('there is no row')
  const other = { ...row, name: 'discovery' }
  const with_earlier = { ...row, candidates: [...row.candidates, candidate('abc', [80], 'redmint')] }
  const text = besideText({ rows: [with_earlier, other], beside: 'abc' })
  const figures = '80 | 100 | 1.25 ± 0.13 | 1.25 ± 0.13 | 7 | 7 | 1.00 ± 0.00'
  t.match(text, `| client credentials, opaque, Basic | ${figures} |`)
  t.notMatch(text, 'discovery')
  t.match(besideText({ rows: [row] }), 'no earlier build')
})

t.test('one and many, short and long have a line each', async (t) => {
  const [row] = cc().rows
  if (!row) throw new Error('there is no row')
  const shapes = [{ ...row, connections: 64, rounds: 'long' as const }]
  t.match(shapesTable(shapes), '| 64 | long | 100 | 7 | 1.10 |')
  t.match(shapesTable(shapes, 'peer'), '| 100 | 7 | 0.33 ± 0.03 | 1.10 |')
})

t.test('the audit trail and traces are compared with a redmint without them', async (t) => {
  const candidates = [
    candidate('redmint', [50]),
    candidate('redmint, audit', [55]),
    candidate('redmint, audit and traces', [100]),
    candidate('redmint again', [49], 'redmint'),
  ]
  const rows = [{ name: 'cc-observed', candidates }, ...cc().rows]
  t.match(observedTable({ rows }), '| 1.10 ± 0.02 | 2.00 ± 0.04 | 0.98 |')
  t.notMatch(observedTable({ rows }), '| client credentials, opaque, Basic |')
})

t.test('what was measured in a process of its own is a table with a title', async (t) => {
  const rows = [
    { page: 'Home', ms: 1234.5, large: 0.123 },
    { page: 'People', ms: 2, large: '' },
  ]
  t.equal(
    tableText({ title: 'Pages', rows }),
    '**Pages**\n\n| page | ms | large |\n|---|--:|--:|\n| Home | 1,235 | 0.12 |\n| People | 2 |  |',
  )
})

t.test('a row that was not measured has a dash and no verdict', async (t) => {
  const rows = [{ name: 'cc-basic', candidates: [candidate('redmint', [100])] }]
  t.equal(judge({ rows }, 'cc-basic'), undefined)
  t.match(summaryTable({ rows }), '| – | – | – | 100 | – | – | – | – | – |')
})

t.test('a goal can be about another row, another candidate or the main thread', async (t) => {
  const rows = [
    { name: 'resource', candidates: [candidate('redmint', [80])] },
    { name: 'resource-es256', candidates: [candidate('redmint', [240])] },
    { name: 'memory', candidates: [candidate('redmint, memory', [60]), candidate('redmint', [80])] },
    { name: 'sign-in', candidates: [candidate('floor+', [500]), candidate('redmint', [3000])] },
  ]
  t.match(judge({ rows }, 'resource-es256'), {
    ratio: { value: 3 },
    goal: 1.5,
    what: 'row resource',
    met: false,
  })
  t.match(judge({ rows }, 'memory'), {
    of: 'redmint, memory',
    ratio: { value: 0.75 },
    what: 'redmint',
    met: true,
  })
  t.match(judge({ rows }, 'sign-in'), { ratio: { value: 6 }, what: 'floor+, main thread', met: false })
})

t.test('missed goals and the noise are reported in sentences', async (t) => {
  t.equal(
    shortfallText(cc()),
    '- client credentials, opaque, Basic: 2.00 ± 0.20 × floor+; the goal is 1.2. The guarded floor takes 1.60 ± 0.00 ×.',
  )
  const rows = [{ name: 'cc-post', candidates: [candidate('floor+', [50]), candidate('redmint', [100])] }]
  t.match(shortfallText({ rows }), /the goal is 1\.2\.$/, 'no guarded floor was measured')
  t.match(shortfallText(cc(100)), 'Every row reaches its goal')
  t.match(noiseText(cc()), 'differ by 10 % in the median of the rows, by 10 % at most')
})

t.test('the hash of a sign-in is compared with a hash by itself', async (t) => {
  const rows = [{ name: 'sign-in', candidates: [candidate('redmint', [24_000])] }]
  t.match(hashText({ rows, hash_cpu: 10_000 }), '1.20 ± 0.00 ×, and the goal of 1.1 is missed')
  t.match(hashText({ rows, hash_cpu: 11_000 }), '1.09 ± 0.00 ×, and the goal of 1.1 is met')
  t.match(hashText({ rows }), 'was not measured')
})

t.test('workers, starts and memory have a table each', async (t) => {
  const busy = (label: string, cpu: number[]) => {
    const { samples, ...rest } = candidate(label, cpu)
    return { ...rest, samples: samples.map((sample, i) => ({ ...sample, rss: 100 + i })) }
  }
  const starts = [{ keys: 'existing', samples: [700, 400, 500].map((ms) => ({ ms, rss: ms / 5 })) }] as const
  const workers = [
    { name: 'w', title: 'opaque', candidates: [busy('redmint', [50]), busy('redmint, 3 workers', [80, 40])] },
  ]
  const rows = [
    { name: 'cc-basic', candidates: [busy('redmint', [50])] },
    { name: 'discovery', candidates: [busy('redmint', [50, 50, 50, 50, 50])] },
  ]
  const text = processText({ rows, process: { starts: [...starts], workers }, cpus: 4 })
  t.match(text, '| `WORKERS` | 1 | 3 |')
  t.match(text, '| opaque: requests a second | 20,000 | 21,875 |')
  t.match(text, '| opaque: CPU µs of all processes | 50 | 50 |')
  t.match(text, '| with existing keys | 500 | – | 100 |', 'medians; without /proc no CPU')
  t.match(text, 'Under load it has 100 to 101 MB')
})

t.test('versions of Node are compared by their geometric mean', async (t) => {
  const on = (node: string, cpu: number) => candidate(`redmint, ${node}`, [cpu], 'redmint', node)
  const rows = [
    { name: 'cc-basic', candidates: [on('v20.0.0', 100), on('v24.0.0', 50)] },
    { name: 'introspection', candidates: [on('v20.0.0', 100), on('v24.0.0', 200)] },
    { name: 'refresh-es256', candidates: [on('v20.0.0', 100), on('v24.0.0', 51.2)] },
  ]
  t.match(nodeTable(rows), '| CPU, geometric mean, as a part of v20.0.0 | 1 | 0.80 ± 0.00 |')
  t.match(nodeTable(rows), 'run redmint on Node v24.0.0.')
  for (const { candidates } of rows) candidates.push(candidate('redmint again', [70], 'redmint', 'v20.0.0'))
  t.match(nodeTable(rows), '| 1 | 0.80 ± 0.24 |')
  t.match(nodeTable(rows), 'No version needs less CPU than v20.0.0 beyond this noise.')
})

t.test('a plot has a bar for each value that was measured', async (t) => {
  const svg = barChart([{ title: 'a < b', values: [1, undefined, 4] }], {
    title: 'CPU',
    series: ['one', 'two', 'three'],
    unit: ' ×',
  })
  t.equal(svg.match(/<rect x="330" y="62"|<rect x="330" y="75"/g)?.length, 2)
  t.equal(svg.match(/<rect/g)?.length, 2 + 3, 'and one for each name')
  t.match(svg, 'a &lt; b')
  t.match(svg, '>4 ×</text>')
})

t.test('a marked part of a page is replaced, again and again', async (t) => {
  const page = 'above\n\n<!-- table -->\nold\n<!-- /table -->\n\nbelow\n'
  const once = replaceMarked(page, 'table', 'new')
  t.equal(once, 'above\n\n<!-- table -->\n\nnew\n\n<!-- /table -->\n\nbelow\n')
  t.equal(replaceMarked(once, 'table', 'new'), once)
  t.throws(() => replaceMarked(page, 'plot', 'new'), /needs <!-- plot -->/)
})

t.test('every row has a name and a title of its own', async (t) => {
  t.equal(new Set(NAMED.map(({ name }) => name)).size, NAMED.length)
  t.equal(new Set(NAMED.map(({ title }) => title)).size, NAMED.length)
})
