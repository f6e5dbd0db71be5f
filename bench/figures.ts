// Measures all that docs/performance.md and docs/capacity.md say, and writes both: `npm --prefix bench run figures`. The pages have
// one date and one commit, because nothing else writes them.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Build } from './candidates.ts'
import { DIST } from './contest.ts'
import { changedFiles, commitOf, describeRun } from './describe.ts'
import { build, endOnSignals, findNode, installPackages, pinLoad } from './machine.ts'
import { TRIAL, WHOLE } from './plan.ts'
import { filesOf, RESULTS } from './report.ts'
import { readFigures, writeResults } from './results.ts'
import { assemble, type Step, stepsOf } from './steps.ts'
import { forget, keep, keyOf, takeUp, type Unfinished } from './unfinished.ts'

const USAGE = `npm --prefix bench run figures -- [options]
  --beside NAME=DIST   an earlier build of redmint, measured beside this one: its commit, and its folder dist
  --trial FOLDER       very short rounds of a working tree that may be changed, written below this folder`

interface FiguresOptions {
  beside?: Build
  trial?: string
}

/** @throws Error that says what is wrong with the arguments */
function readOptions(args: readonly string[]): FiguresOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { beside: { type: 'string' }, trial: { type: 'string' } },
  })
  const { beside, trial } = values
  const [label = '', dist = ''] = beside?.split(/=(.*)/s) ?? []
  if (beside !== undefined && (label === '' || !existsSync(`${dist}/server.js`)))
    throw new Error(`--beside: "${beside}" has no name, or no server.js in its folder`)
  return {
    ...(beside !== undefined && { beside: { label, dist: resolve(dist) } }),
    ...(trial !== undefined && { trial: resolve(trial) }),
  }
}

/** @throws Error if the working tree has changes, as the pages name a commit */
function refuseChanges(): void {
  const changed = changedFiles()
  if (changed.length > 0)
    throw new Error(`the working tree has changes, and the pages name a commit:\n${changed.join('\n')}`)
}

/** Measures the steps that are missing, and keeps each. @returns the run with what it has now */
async function measure(steps: readonly Step[], run: Unfinished, path: string): Promise<Unfinished> {
  const missing = steps.filter(({ name }) => !(name in run.done))
  const total = (some: readonly Step[]) => some.reduce((sum, { seconds }) => sum + seconds, 0)
  const began = performance.now()
  let now = run
  for (const [index, { name, title, measure }] of missing.entries()) {
    const spent = (performance.now() - began) / 1000
    const so_far = total(missing.slice(0, index))
    const pace = so_far > 60 ? spent / so_far : 1
    const minutes = Math.ceil((total(missing.slice(index)) * pace) / 60)
    const time = new Date().toTimeString().slice(0, 8)
    console.error(
      `${time} ${steps.length - missing.length + index + 1} of ${steps.length}, ${minutes} min left: ${title}`,
    )
    try {
      now = { ...now, done: { ...now.done, [name]: await measure() } }
      keep(path, now)
    } catch (error) {
      console.error(`FAILED ${(error as Error).message}`)
    }
  }
  return now
}

/** @returns whether the pages are written */
async function main({ beside, trial }: FiguresOptions): Promise<boolean> {
  if (trial === undefined) refuseChanges()
  const plan = trial === undefined ? WHOLE : TRIAL
  const root = trial ?? fileURLToPath(new URL('..', import.meta.url))
  const target = (path: string) => {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true })
    return `${root}/${path}`
  }
  installPackages()
  if (trial === undefined || !existsSync(`${DIST}/server.js`)) build()
  const node = findNode(process.execPath)
  const begun = {
    ...describeRun(pinLoad()),
    rounds: plan.rows.rounds,
    seconds: plan.rows.seconds,
    resumed: [],
    ...(beside !== undefined && { beside: beside.label }),
  }
  const path = target('bench/results/unfinished.json')
  const steps = stepsOf({ node, plan, ...(beside !== undefined && { beside }) })
  const key = keyOf(
    begun,
    plan,
    beside,
    steps.map(({ name }) => name),
  )
  const run = takeUp(path, begun, key)
  const { run: measured, done } = await measure(steps, run, path)
  const failed = steps.filter(({ name }) => !(name in done))
  if (failed.length > 0) {
    console.error(`These parts failed: ${failed.map(({ title }) => title).join('; ')}.`)
    console.error('The pages are as they were. The same command goes on with these parts.')
    return false
  }
  const figures = assemble(measured, done)
  if (commitOf() !== figures.commit)
    throw new Error(
      `the working tree is not that of ${figures.commit} any more: the run is not of one commit`,
    )
  writeResults(target(RESULTS), figures)
  // Of the file, whose numbers are rounded, so that it makes the same pages again.
  const files = filesOf(readFigures(pathToFileURL(target(RESULTS))))
  for (const [name, text] of Object.entries(files)) writeFileSync(target(name), text)
  forget(path)
  console.log(`The pages are those of commit ${figures.commit}. Their figures are in ${RESULTS}.`)
  return true
}

endOnSignals()
let options: FiguresOptions
try {
  options = readOptions(process.argv.slice(2))
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`)
  process.exit(2)
}
try {
  process.exitCode = (await main(options)) ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
