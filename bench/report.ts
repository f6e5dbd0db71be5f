// Writes the tables and plots of docs/performance.md from the results: `npm run bench:report`.
import { existsSync, writeFileSync } from 'node:fs'
import { writeMarked } from './markers.ts'
import { nodeTable } from './nodes.ts'
import { pictures } from './pictures.ts'
import { type Results, readResults } from './results.ts'
import { machineText, noiseText, shortfallText } from './summary.ts'
import { detailTables, summaryTable } from './table.ts'

const file = (path: string) => new URL(`../${path}`, import.meta.url)
const ALL = file('bench/results/all.json')
const NODES = file('bench/results/nodes.json')

/** The text of every marked part of the page. */
function partsOf(results: Results): Record<string, string> {
  return {
    machine: machineText(results),
    table: `${summaryTable(results)}\n\n${noiseText(results)}`,
    shortfalls: shortfallText(results),
    details: detailTables(results),
    ...(existsSync(NODES) && { nodes: nodeTable(readResults(NODES)) }),
  }
}

const results = readResults(ALL)
writeMarked(file('docs/performance.md'), partsOf(results))
for (const [name, svg] of Object.entries(pictures(results))) writeFileSync(file(`docs/images/${name}`), svg)
console.log('docs/performance.md and its plots are up to date with bench/results/.')
