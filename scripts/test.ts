// Runs the tests: `tsx scripts/test.ts [--fast] [--coverage] [tap arguments]`. The last line is always `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printCoverage } from './coverage.ts'
import { findPrograms } from './find-programs.ts'
import { reportTap } from './tap-report.ts'

// Tests that mostly wait (for elections, key rotation, a build, a browser, processes, or timeouts), and tests that repeat
// the same rules for every storage, for every call, or at random.
const SLOW = [
  'test/src/authorize/outage.test.ts',
  'test/system/browser/*.test.ts',
  'test/src/claims/*.test.ts',
  'test/cli/process.test.ts',
  'test/system/conformance/form-post.test.ts',
  'test/system/contract/*.test.ts',
  'test/system/deploy/rolling.test.ts',
  'test/system/faults/*.test.ts',
  'test/system/flows/apache.test.ts',
  'test/system/flows/replicas.test.ts',
  'test/system/flows/rotation.test.ts',
  'test/system/flows/spa.test.ts',
  'test/system/hostile/bodies.test.ts',
  'test/system/hostile/parameters.test.ts',
  'test/src/keys/rotate.test.ts',
  'test/src/tokens/endings.test.ts',
  'test/routes/introspect.test.ts',
  'test/src/tokens/jwt-revocation.test.ts',
  'test/src/tokens/lifetime.test.ts',
  'test/src/tokens/logs.test.ts',
  'test/src/grants/refresh-token.test.ts',
  'test/src/grants/refresh-retry.test.ts',
  'test/routes/revoke.test.ts',
  'test/system/round-trips.test.ts',
  'test/src/tokens/sealed-successor.test.ts',
  'test/system/limits/*.test.ts',
  'test/system/model/*.test.ts',
  'test/src/pages/accessibility.test.ts',
  'test/src/pages/browser.test.ts',
  'test/system/process/build.test.ts',
  'test/system/process/redis-away.test.ts',
  'test/system/process/refusal.test.ts',
  'test/system/process/startup.test.ts',
  'test/system/proof/chaos.test.ts',
  'test/system/proof/faults.test.ts',
  'test/system/proof/keys.test.ts',
  'test/system/proof/retry-elsewhere.test.ts',
  'test/system/proof/storm.test.ts',
  'test/src/storage/redis/cluster*.test.ts',
  'test/src/storage/redis/sentinel.test.ts',
  'test/src/storage/redis/wait-replicas.test.ts',
  'test/src/storage/redis/withdraw-*.test.ts',
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
// In a fresh clone, tap would load all its plugins, including its own compiler.
if (!existsSync('.tap/plugins')) spawnSync(process.execPath, [TAP, 'build'], { stdio: 'ignore' })
// Run tap, and so the test files, with this version of Node, not with that of the PATH.
const tap = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
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
