// Measures the process as a whole: workers, its start and its idle memory: `npm --prefix bench run process`.
import { availableParallelism } from 'node:os'
import { contest, DIST } from './contest.ts'
import { build, endOnSignals, findNode, installPackages, type Node, pinLoad } from './machine.ts'
import { PARTIAL, type Plan } from './plan.ts'
import { processText } from './process-text.ts'
import type { ProcessResults } from './results.ts'
import { type Row, row, workersOf } from './row.ts'
import type { Candidate } from './servers.ts'
import { measureStarts } from './starts.ts'

/** As many as there are CPUs beside that of the load, and two to see what a second one takes. */
const MOST = Math.max(2, availableParallelism() - 1)
const WORKERS = (['redmint', 'redmint, 2 workers', 'redmint, 3 workers'] as const).filter(
  (server) => workersOf(server) <= MOST,
)
const TOKENS = { operation: 'token', connections: 48, candidates: WORKERS } as const
const ROWS: readonly Row[] = [
  row({ ...TOKENS, name: 'workers', title: 'client credentials, opaque' }),
  row({ ...TOKENS, name: 'workers-es256', title: 'client credentials, JWT ES256', format: 'jwt' }),
]

/** Measures starts, and one row for each format of tokens. */
export async function measureProcess(node: Node, { starts, workers }: Plan): Promise<ProcessResults> {
  const results: ProcessResults = { starts: await measureStarts(node, starts), workers: [] }
  for (const row of ROWS) {
    const candidates = row.candidates.map(
      (server): Candidate => ({ label: server, server, node, dist: DIST }),
    )
    const { result } = await contest(row, candidates, workers)
    results.workers.push({ ...result, title: row.title })
  }
  return results
}

if (import.meta.filename === process.argv[1]) {
  endOnSignals()
  installPackages()
  build()
  pinLoad()
  const results = await measureProcess(findNode(process.execPath), PARTIAL)
  console.log(processText({ rows: [], process: results, cpus: availableParallelism() }))
}
