// Runs a suite of tests: `tsx scripts/test.ts [unit|test|proofs] [--coverage] [files, folders or options of tap]`.
// The last line is always `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { printCoverage } from './coverage.ts'
import { findPrograms } from './find-programs.ts'
import { filesOf, SUITES, type Suite } from './suites.ts'
import { reportTap } from './tap-report.ts'

// Test files wait for about a third of their time: for processes, for lifetimes in Redis.
const JOBS = Math.ceil(availableParallelism() * 1.5)
const TAP = fileURLToPath(new URL('run.mjs', import.meta.resolve('tap')))

/** Ends with exit code 1, and with the one line that says why before the last one. */
function refuse(message: string): never {
  console.error(message)
  console.log('\n0 passed, 1 failed')
  process.exit(1)
}

const [first = '', ...rest] = process.argv.slice(2)
const suite: Suite = SUITES.find((name) => name === first) ?? 'test'
const given = suite === first ? rest : process.argv.slice(2)
const paths = given.filter((argument) => !argument.startsWith('-'))
const options = given.filter((argument) => argument.startsWith('-') && argument !== '--coverage')
const coverage = given.includes('--coverage')

let files: string[] = []
try {
  files = filesOf(suite, paths)
  if (suite !== 'unit') findPrograms()
} catch (error) {
  refuse((error as Error).message)
}
if (files.length === 0) refuse(`No test file of the suite "${suite}" is in ${paths.join(', ')}.`)

console.log(`Node ${process.version}, ${files.length} files of the suite "${suite}"`)
// In a fresh clone, tap would load all its plugins, including its own compiler.
if (!existsSync('.tap/plugins')) {
  console.log("Builds the test runner's plugins in .tap/")
  spawnSync(process.execPath, [TAP, 'build'], { stdio: 'ignore' })
}
// Run tap, and so the test files, with this version of Node, not with that of the PATH.
const tap = spawn(
  process.execPath,
  [
    TAP,
    '--reporter=tap',
    `--jobs=${JOBS}`,
    ...(coverage ? ['--no-disable-coverage'] : []),
    ...options,
    ...files,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TEST_SUITE: suite } },
)
const ended = once(tap, 'exit')
let { passed, failed } = await reportTap(tap.stdout, (text) => process.stdout.write(text))
const [exitCode] = await ended
if (exitCode !== 0 && failed === 0) {
  console.error(`tap exited with ${exitCode}, but no assertion failed`)
  failed = 1
}
if (coverage) printCoverage(TAP)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
