// Runs a suite of tests: `tsx scripts/test.ts [unit|main|proofs|weekly|node] [--coverage] [files and folders]`.
// The last line is always `N passed, N failed`.
import { availableParallelism } from 'node:os'
import { COMPILED, compileAll } from './compile.ts'
import { COVERAGE, forgetCoverage, printCoverage } from './coverage.ts'
import { cpuReport, TEST_BUDGET } from './cpu-report.ts'
import { findPrograms } from './find-programs.ts'
import { runFiles } from './run-files.ts'
import { filesOf, SUITES, type Suite } from './suites.ts'

// Test files wait for about a third of their time: for processes, for lifetimes in Redis.
const JOBS = Math.ceil(availableParallelism() * 1.5)
/** A file of the proofs takes ten times as long as one of `npm test`; a weekly one has its process for itself. */
const PER_PROCESS: Partial<Record<Suite, number>> = { proofs: 5, weekly: 1 }

/** Ends with exit code 1, and with the one line that says why before the last one. */
function refuse(message: string): never {
  console.error(message)
  console.log('\n0 passed, 1 failed')
  process.exit(1)
}

const [first = '', ...rest] = process.argv.slice(2)
const suite: Suite = SUITES.find((name) => name === first) ?? 'main'
const given = suite === first ? rest : process.argv.slice(2)
const paths = given.filter((argument) => !argument.startsWith('-'))
const coverage = given.includes('--coverage')

let files: string[] = []
try {
  files = filesOf(suite, paths)
  if (suite !== 'unit') await findPrograms(suite)
} catch (error) {
  refuse((error as Error).message)
}
if (files.length === 0) refuse(`No test file of the suite "${suite}" is in ${paths.join(', ')}.`)

console.log(`Node ${process.version}, ${files.length} files of the suite "${suite}"`)
await compileAll()
if (coverage) forgetCoverage()
const reports = await runFiles(files, {
  jobs: JOBS,
  per_process: PER_PROCESS[suite] ?? 20,
  // A weekly proof with a million records takes most of an hour on a busy machine.
  limit: suite === 'weekly' ? 3600 : 600,
  env: { TEST_SUITE: suite, COMPILED_TO: COMPILED, ...(coverage && { NODE_V8_COVERAGE: COVERAGE }) },
  print: (text) => process.stdout.write(text),
})
if (coverage) printCoverage()
console.log(cpuReport(reports, suite === 'main' && paths.length === 0 ? TEST_BUDGET : undefined))
const sum = (key: 'passed' | 'failed') => reports.reduce((total, report) => total + report[key], 0)
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') > 0 ? 1 : 0
