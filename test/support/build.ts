import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ROOT, run } from './process.ts'

const SOURCES = ['app.ts', 'instance.ts', 'server.ts', 'cli.ts', 'src', 'plugins', 'routes', 'cli', 'exports']
// The contract suite, which is part of the package.
const TESTS = ['test/system/contract', 'test/support']
const SETTINGS = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts']
const TEXTS = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs']

/** Copies the sources to a folder that the test removes, and builds them there as `npm run build` does. */
export async function buildCopy(t: Test): Promise<string> {
  const cwd = await temporaryFolder(t, 'build')
  const names = [...SOURCES, ...TESTS, ...SETTINGS, ...TEXTS]
  await Promise.all(names.map((name) => cp(join(ROOT, name), join(cwd, name), { recursive: true })))
  await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
  const building = run(t, process.execPath, ['--import=tsx', 'scripts/build.ts'], {}, cwd)
  t.match(await building.ended, { code: 0 }, building.stdout + building.stderr)
  return cwd
}

/** Makes a folder outside of the repository that the test removes. */
export async function temporaryFolder(t: Test, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `redmint-${name}-`))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}
