// Writes the tables and plots of docs/performance.md from the results: `npm --prefix bench run report`.
import { writeFileSync } from 'node:fs'
import { writeMarked } from './markers.ts'
import { nodeTable } from './nodes.ts'
import { pictures } from './pictures.ts'
import { processText } from './process-text.ts'
import { type Results, readResults } from './results.ts'
import { stormText } from './storm-text.ts'
import { hashText, machineText, noiseText, shortfallText } from './summary.ts'
import { detailTable, summaryTable } from './table.ts'

const file = (path: string) => new URL(`../${path}`, import.meta.url)
export const ALL = file('bench/results/all.json')
export const NODES = file('bench/results/nodes.json')

/** The text of every marked part of docs/performance.md. @param nodes a run on several versions of Node */
export function partsOf(results: Results, nodes: Results): Record<string, string> {
  return {
    machine: machineText(results),
    table: `${summaryTable(results)}\n\n${hashText(results)}\n\n${noiseText(results)}`,
    shortfalls: shortfallText(results),
    process: processText(results),
    storm: stormText(results.storm),
    details: detailTable(results),
    nodes: nodeTable(nodes),
  }
}

if (import.meta.filename === process.argv[1]) {
  const results = readResults(ALL)
  writeMarked(file('docs/performance.md'), partsOf(results, readResults(NODES)))
  for (const [name, svg] of Object.entries(pictures(results))) writeFileSync(file(`docs/images/${name}`), svg)
  console.log('docs/performance.md and its plots are up to date with bench/results/.')
}
