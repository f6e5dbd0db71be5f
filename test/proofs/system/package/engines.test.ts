// `npm ci` on each lowest version of Node that package.json names; npm takes the version from a variable of the process.
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../../support/build.ts'
import { ROOT, run } from '../../../support/process.ts'

/** What npm prints about the engines of the locked packages; nothing is downloaded or written. */
async function engineWarnings(t: Test, folder: string, version: string): Promise<string[]> {
  const pretend = `Object.defineProperty(process,'version',{value:'v${version}'})`
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${pretend}`, HOME: folder }
  const npm = run(t, 'npm', ['ci', '--dry-run', '--offline', '--ignore-scripts'], environment, folder)
  t.match(await npm.ended, { code: 0 }, npm.stderr)
  return npm.stderr.split('\n').filter((line) => /EBADENGINE +package:/.test(line))
}

t.test('every locked package runs on the lowest versions of Node that package.json names', async (t) => {
  const folder = await temporaryFolder(t, 'engines')
  for (const name of ['package.json', 'package-lock.json']) await cp(join(ROOT, name), join(folder, name))
  const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const lowest = [...String(engines.node).matchAll(/\d+\.\d+\.\d+/g)].map(([version]) => version)
  t.ok(lowest.length > 0)
  for (const version of lowest) t.same(await engineWarnings(t, folder, version), [], version)
  t.match(await engineWarnings(t, folder, '18.0.0'), [/redmint@/], 'npm warns of a version that is too low')
})
