// Measures the process as a whole: workers, its start and its idle memory: `npm --prefix bench run process`.
// Adds the figures to those of `npm --prefix bench run all`.
import { contest, DIST } from './contest.ts'
import { describeRun } from './describe.ts'
import { build, findNode, installPackages, pinLoad } from './machine.ts'
import { ALL } from './report.ts'
import { type ProcessResults, readResults, writeResults } from './results.ts'
import { type Row, row } from './row.ts'
import type { Candidate } from './servers.ts'
import { measureStarts } from './starts.ts'
import { detailTable } from './table.ts'

const COURSE = { rounds: 6, seconds: 2 }
const STARTS = 9

const WORKERS = ['redmint', 'redmint, 2 workers', 'redmint, 3 workers'] as const
const TOKENS = { operation: 'token', connections: 48, candidates: WORKERS } as const
const ROWS: readonly Row[] = [
  row({ ...TOKENS, name: 'workers', title: 'client credentials, opaque' }),
  row({ ...TOKENS, name: 'workers-es256', title: 'client credentials, JWT ES256', format: 'jwt' }),
]

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
installPackages()
build()
const node = findNode(process.execPath)
const { date, commit, load } = describeRun(pinLoad())
const results: ProcessResults = { date, commit, load, node: node.version, starts: [], workers: [] }
console.error('Starts')
results.starts = await measureStarts(node, STARTS)
for (const row of ROWS) {
  console.error(row.title)
  const candidates = row.candidates.map((server): Candidate => ({ label: server, server, node, dist: DIST }))
  const { result } = await contest(row, candidates, COURSE)
  results.workers.push({ ...result, title: row.title })
}
console.log(detailTable({ rows: results.workers }))
writeResults(ALL, { ...readResults(ALL), process: results })
console.log(
  'The results are added to bench/results/all.json. `npm --prefix bench run report` writes the page.',
)
