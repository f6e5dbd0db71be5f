// The pages of a whole run: docs/performance.md, docs/capacity.md and the plots. `npm --prefix bench run report` writes them again
// from its file, where a text or a table has changed.
import { readFileSync, writeFileSync } from 'node:fs'
import { besideText } from './beside-text.ts'
import { CAPACITY_PARTS, capacityParts } from './capacity.ts'
import { replaceMarked } from './markers.ts'
import { nodeTable } from './nodes.ts'
import { observedTable } from './observed-text.ts'
import { pictures } from './pictures.ts'
import { processText } from './process-text.ts'
import { type Figures, readFigures } from './results.ts'
import { detailTable, summaryTable } from './row-tables.ts'
import { shapesTable } from './shapes-text.ts'
import { stormText } from './storm-text.ts'
import { hashText, machineText, noiseText, shortfallText } from './summary.ts'
import { type Table, tableText } from './table.ts'

const ROOT = new URL('../', import.meta.url)
export const RESULTS = 'bench/results/figures.json'
const PERFORMANCE = 'docs/performance.md'
const CAPACITY = 'docs/capacity.md'
export const PAGES = [PERFORMANCE, CAPACITY] as const

const PERFORMANCE_PARTS = [
  'machine',
  'table',
  'shortfalls',
  'shapes',
  'beside',
  'process',
  'storm',
  'nodes',
  'traces',
  'growth',
  'console',
  'strangers',
  'details',
] as const

const NOT_YET = 'Not measured yet: `npm --prefix bench run figures` writes this part.'

const tables = (all: readonly Table[]) => all.map(tableText).join('\n\n')

/** The text of every marked part of docs/performance.md. */
function performanceParts(figures: Figures): Record<(typeof PERFORMANCE_PARTS)[number], string> {
  return {
    machine: machineText(figures),
    table: `${summaryTable(figures)}\n\n${hashText(figures)}\n\n${noiseText(figures)}`,
    shortfalls: shortfallText(figures),
    shapes: shapesTable(figures.shapes, figures.beside),
    beside: besideText(figures),
    process: processText(figures),
    storm: stormText(figures.storm),
    nodes: nodeTable(figures.nodes),
    traces: observedTable(figures),
    growth: tables(figures.growth),
    console: tables(figures.console),
    strangers: tables(figures.strangers),
    details: detailTable(figures),
  }
}

const notYet = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, NOT_YET]))

/** The text of every marked part of both pages. @param figures a whole run; without one, all parts say that they are missing */
export function partsOf(
  figures: Figures | undefined,
): Record<(typeof PAGES)[number], Record<string, string>> {
  return {
    [PERFORMANCE]: figures ? performanceParts(figures) : notYet(PERFORMANCE_PARTS),
    [CAPACITY]: figures ? capacityParts(figures) : notYet(CAPACITY_PARTS),
  }
}

/** Every file that a run writes below the root, with its text, but for its results. @param read reads a page as it is */
export function filesOf(
  figures: Figures | undefined,
  read: (path: string) => string = (path) => readFileSync(new URL(path, ROOT), 'utf8'),
): Record<string, string> {
  const pages = Object.entries(partsOf(figures)).map(([path, parts]) => {
    const text = Object.entries(parts).reduce(
      (page, [name, part]) => replaceMarked(page, name, part),
      read(path),
    )
    return [path, text]
  })
  const plots = Object.entries(pictures(figures ?? { rows: [] })).map(([name, svg]) => [
    `docs/images/${name}`,
    svg,
  ])
  return Object.fromEntries([...pages, ...plots])
}

/** The whole run that the pages are of. */
export const lastFigures = () => readFigures(new URL(RESULTS, ROOT))

if (import.meta.filename === process.argv[1]) {
  for (const [path, text] of Object.entries(filesOf(lastFigures()))) writeFileSync(new URL(path, ROOT), text)
  console.log(`The pages and their plots are those of ${RESULTS}.`)
}
