// Measures redmint beside the floor and a peer: `npm run bench`. The results are a file in bench/results/.
import { basename, dirname, resolve } from 'node:path'
import { contest, DIST } from './contest.ts'
import { describeRun } from './describe.ts'
import { build, findNode, hashCpu, installPackages, type Node, pinLoad } from './machine.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { type Results, readResults, renewed, writeResults } from './results.ts'
import type { Row } from './row.ts'
import type { Candidate } from './servers.ts'
import { detailTable } from './table.ts'

/**
 * The servers of a row: its candidates, redmint a second time as the control, and other builds; of several versions of
 * Node, redmint on each of them.
 */
function candidatesOf(row: Row, nodes: readonly Node[], dists: readonly string[]): Candidate[] {
  const [node, ...others] = nodes
  if (!node) throw new Error('--node names no Node')
  const all = row.candidates.map((server): Candidate => ({ label: server, server, node, dist: DIST }))
  const own = all.find(({ server }) => server === 'redmint')
  if (!own) return all
  const again = { ...own, label: 'redmint again' }
  if (others.length > 0) {
    return [own, again, ...others.map((node) => ({ ...own, label: `redmint, Node ${node.version}`, node }))]
  }
  return [
    ...all,
    again,
    ...dists.map((dist) => ({ ...own, label: `redmint, ${basename(dirname(dist))}`, dist })),
  ]
}

/** @returns whether every row could be measured */
async function run(options: Options): Promise<boolean> {
  installPackages()
  build()
  const nodes = options.nodes.map(findNode)
  const { rounds, seconds, rows, out } = options
  const before = options.renew ? readResults(out) : undefined
  const dists = options.dists.map((dist) => resolve(dist))
  const results: Results = {
    ...describeRun(pinLoad()),
    rounds,
    seconds,
    rows: [],
  }
  const [node] = nodes
  if (node && rows.some(({ operation }) => operation === 'sign-in')) results.hash_cpu = hashCpu(node)
  const failed: string[] = []
  for (const row of rows) {
    console.error(`${new Date().toTimeString().slice(0, 8)} ${row.title}`)
    try {
      const { result, redis } = await contest(row, candidatesOf(row, nodes, dists), options)
      results.rows.push(result)
      if (redis !== undefined) results.redis = redis
    } catch (error) {
      console.error(`FAILED ${(error as Error).message}`)
      failed.push(row.name)
      continue
    }
    writeResults(out, before === undefined ? results : renewed(before, results))
    console.log(detailTable({ ...results, rows: results.rows.slice(-1) }))
  }
  if (failed.length > 0) console.error(`These rows failed: ${failed.join(', ')}. What was wrong is above.`)
  console.log(`The results are in ${out}.`)
  return failed.length === 0
}

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
let options: Options
try {
  options = readOptions(process.argv.slice(2))
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`)
  process.exit(2)
}
process.exitCode = (await run(options)) ? 0 : 1
