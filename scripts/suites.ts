import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The suites: `npm run test:unit`, `npm test` (`main`, with the files of `unit`), `npm run test:proofs`,
 * `npm run test:weekly`, and `npm run test:node`: the unit tests and one flow of each kind, for another version of Node.
 */
export const SUITES = ['unit', 'main', 'proofs', 'weekly', 'node'] as const
export type Suite = (typeof SUITES)[number]

const FLOWS = [
  'test/proofs/cli/process.test.ts',
  'test/proofs/system/browser/sign-in.test.ts',
  'test/main/system/contract/redis.test.ts',
  'test/main/system/flows/device.test.ts',
  'test/main/system/flows/fapi.test.ts',
  'test/main/system/flows/openid-client.test.ts',
  'test/proofs/system/flows/resource-server.test.ts',
  'test/proofs/system/process/startup.test.ts',
  'test/proofs/system/process/workers.test.ts',
  'test/main/system/storages.test.ts',
]

/** Those that take longest have a process of their own, and begin first, so that no core is idle at the end. */
export const FIRST = [
  'test/proofs/system/package/package.test.ts',
  'test/proofs/system/proof/faults.test.ts',
  'test/proofs/system/self-service/steps.test.ts',
  'test/proofs+weekly/src/pages/browser.test.ts',
  'test/proofs/system/proof/chaos.test.ts',
  'test/proofs/system/proof/storm.test.ts',
  'test/proofs/system/process/workers.test.ts',
]

const TEST_FILE = /\.test\.ts$/
const PACKAGES = /(^|\/)node_modules\//

/**
 * Returns the suites that a test file belongs to: those that its folder in `test/` names, as in `test/unit/` or
 * `test/main+weekly/`.
 * @throws an Error if the folder names an unknown suite
 */
export function suitesOf(file: string): Suite[] {
  const [, folder = ''] = file.split('/')
  return folder.split('+').map((name) => {
    const suite = SUITES.find((known) => known === name)
    if (!suite) throw new Error(`${file}: "${name}" is not a suite (${SUITES.join(', ')})`)
    return suite
  })
}

/** Returns all test files below a folder, sorted; not those of the packages that tests install there. */
export function testFiles(folder = 'test'): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => TEST_FILE.test(name) && !PACKAGES.test(name))
    .map((name) => join(folder, name))
    .sort()
}

/**
 * Returns the test files that a run of a suite includes, sorted. Runs of `main` and `node` include the files of `unit`.
 * @param paths files and folders to limit the run to, of `test/` or what they mirror (`src/tokens`); all files if empty
 */
export function filesOf(suite: Suite, paths: readonly string[]): string[] {
  const included: readonly Suite[] = suite === 'main' || suite === 'node' ? ['unit', suite] : [suite]
  const limits = paths.map((path) => join(path))
  return testFiles()
    .filter(
      (file) => limits.length === 0 || limits.some((path) => isIn(file, path) || isIn(mirrored(file), path)),
    )
    .filter(
      (file) =>
        suitesOf(file).some((name) => included.includes(name)) || (suite === 'node' && FLOWS.includes(file)),
    )
}

/** Returns the path behind the folder of the suite: of `test/unit/src/core/a.test.ts` it is `src/core/a.test.ts`. */
function mirrored(file: string): string {
  return file.split('/').slice(2).join('/')
}

function isIn(file: string, path: string): boolean {
  return file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`)
}
