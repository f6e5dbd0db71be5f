import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The suites: `npm run test:unit`, `npm test` (with the files of `unit`), `npm run test:proofs`, `npm run test:weekly`,
 * and `npm run test:node`: the unit tests and one flow of each kind, for another version of Node.
 */
export const SUITES = ['unit', 'test', 'proofs', 'weekly', 'node'] as const
export type Suite = (typeof SUITES)[number]

const FLOWS = [
  'test/cli/process.test.ts',
  'test/system/browser/sign-in.test.ts',
  'test/system/contract/redis.test.ts',
  'test/system/flows/device.test.ts',
  'test/system/flows/fapi.test.ts',
  'test/system/flows/openid-client.test.ts',
  'test/system/flows/resource-server.test.ts',
  'test/system/process/startup.test.ts',
  'test/system/process/workers.test.ts',
  'test/system/storages.test.ts',
]

const MARK = /^\/\/ Suite: (.*)$/
const TEST_FILE = /\.test\.ts$/
const PACKAGES = /(^|\/)node_modules\//

/**
 * Returns the suites that a test file belongs to: those that its first line names, as in `// Suite: unit` or
 * `// Suite: test, proofs`; `test` if the line is missing.
 * @throws an Error if the line names an unknown suite
 */
export function suitesOf(file: string): Suite[] {
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1)
  const mark = MARK.exec(first)?.[1]
  if (mark === undefined) return ['test']
  return mark.split(', ').map((name) => {
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
 * Returns the test files that a run of a suite includes, sorted. Runs of `test` and `node` include the files of `unit`.
 * @param paths files and folders to limit the run to; all files if empty
 */
export function filesOf(suite: Suite, paths: readonly string[]): string[] {
  const included: readonly Suite[] = suite === 'test' || suite === 'node' ? ['unit', suite] : [suite]
  const limits = paths.map((path) => join(path))
  return testFiles()
    .filter((file) => limits.length === 0 || limits.some((path) => isIn(file, path)))
    .filter(
      (file) =>
        suitesOf(file).some((name) => included.includes(name)) || (suite === 'node' && FLOWS.includes(file)),
    )
}

function isIn(file: string, path: string): boolean {
  return file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`)
}
