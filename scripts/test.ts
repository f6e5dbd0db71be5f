// Runs the tests: `tsx scripts/test.ts [--fast] [--coverage] [tap arguments]`. The last line is always `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printCoverage } from './coverage.ts'
import { findPrograms } from './find-programs.ts'
import { reportTap } from './tap-report.ts'

// What mostly waits: for elections, for the key ring's own times, for a build, for a browser, for processes to come and
// go, for answers that never arrive; and what goes through the same rules once more, storage by storage, call by call or
// at random.
const SLOW = [
  'test/authorize/outage.test.ts',
  'test/browser/*.test.ts',
  'test/claims/*.test.ts',
  'test/cli/process.test.ts',
  'test/conformance/form-post.test.ts',
  'test/contract/*.test.ts',
  'test/deploy/rolling.test.ts',
  'test/docs/*.test.ts',
  'test/faults/*.test.ts',
  'test/flows/apache.test.ts',
  'test/flows/replicas.test.ts',
  'test/flows/rotation.test.ts',
  'test/flows/spa.test.ts',
  'test/hostile/bodies.test.ts',
  'test/hostile/parameters.test.ts',
  'test/keys/rotate.test.ts',
  'test/lifecycle/*.test.ts',
  'test/limits/*.test.ts',
  'test/model/*.test.ts',
  'test/pages/accessibility.test.ts',
  'test/pages/browser.test.ts',
  'test/process/build.test.ts',
  'test/process/redis-away.test.ts',
  'test/process/refusal.test.ts',
  'test/process/startup.test.ts',
  'test/proof/chaos.test.ts',
  'test/proof/faults.test.ts',
  'test/proof/keys.test.ts',
  'test/proof/retry-elsewhere.test.ts',
  'test/proof/storm.test.ts',
  'test/storage/redis/cluster*.test.ts',
  'test/storage/redis/sentinel.test.ts',
  'test/storage/redis/wait-replicas.test.ts',
  'test/storage/redis/withdraw-*.test.ts',
]

const TAP = fileURLToPath(new URL('run.mjs', import.meta.resolve('tap')))
try {
  findPrograms()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

const given = process.argv.slice(2)
const fast = given.includes('--fast')
const coverage = given.includes('--coverage')
const options = [
  ...(fast ? SLOW.map((pattern) => `--exclude=${pattern}`) : []),
  ...(coverage ? ['--no-disable-coverage'] : []),
]
const others = given.filter((argument) => argument !== '--fast' && argument !== '--coverage')
const args = [TAP, '--reporter=tap', ...options, ...others]
console.log(`Node ${process.version}`)
// In a fresh clone tap would load every plugin it has, its own compiler too.
if (!existsSync('.tap/plugins')) spawnSync(process.execPath, [TAP, 'build'], { stdio: 'ignore' })
// This very node runs tap, and tap runs the test files with it, whatever `node` the PATH has.
const tap = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
const ended = once(tap, 'exit')
let { passed, failed } = await reportTap(tap.stdout, (text) => process.stdout.write(text))
const [exitCode] = await ended
if (exitCode !== 0 && failed === 0) {
  console.error(`tap ended with exit code ${exitCode}, though no assertion failed`)
  failed = 1
}
if (coverage) printCoverage(TAP)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
