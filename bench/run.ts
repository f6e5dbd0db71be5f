// Measures some rows: `npm run bench`. The figures go to the terminal, and the samples to a file: pages are written by whole
// runs only (figures.ts).
import { resolve } from 'node:path'
import { buildIn, candidatesOf } from './candidates.ts'
import { contest } from './contest.ts'
import { describeRun } from './describe.ts'
import { build, endOnSignals, findNode, hashCpu, installPackages, pinLoad } from './machine.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { type Results, writeResults } from './results.ts'
import { detailTable } from './row-tables.ts'

/** @returns whether every row could be measured */
async function run(options: Options): Promise<boolean> {
  installPackages()
  build()
  const nodes = options.nodes.map(findNode)
  const { rounds, seconds, rows, out } = options
  const builds = options.dists.map((dist) => buildIn(resolve(dist)))
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
      const { result, redis } = await contest(row, candidatesOf(row, nodes, builds), options)
      results.rows.push(result)
      if (redis !== undefined) results.redis = redis
    } catch (error) {
      console.error(`FAILED ${(error as Error).message}`)
      failed.push(row.name)
      continue
    }
    writeResults(out, results)
    console.log(detailTable({ ...results, rows: results.rows.slice(-1) }))
  }
  if (failed.length > 0) console.error(`These rows failed: ${failed.join(', ')}. What was wrong is above.`)
  console.log(`The results are in ${out}.`)
  return failed.length === 0
}

endOnSignals()
let options: Options
try {
  options = readOptions(process.argv.slice(2))
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`)
  process.exit(2)
}
process.exitCode = (await run(options)) ? 0 : 1
