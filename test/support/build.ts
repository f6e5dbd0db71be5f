import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { dockerContext } from './deploy/dockerfile.ts'
import { ROOT, run } from './process.ts'

/** What the package contains and the image does not. */
const TEXTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy']

/**
 * Builds a copy of the sources as `npm run build` does, in a directory that the test removes. The copy contains what
 * .dockerignore lets through, so the test shows that this is enough for the image, and the texts of the package.
 */
export async function buildCopy(t: Test): Promise<string> {
  const cwd = await temporaryFolder(t, 'build')
  const names = [...(await dockerContext()), ...TEXTS]
  await Promise.all(names.map((name) => cp(join(ROOT, name), join(cwd, name), { recursive: true })))
  await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
  const building = run(t, process.execPath, ['--import=tsx', 'scripts/build.ts'], {}, cwd)
  t.match(await building.ended, { code: 0 }, building.stdout + building.stderr)
  return cwd
}

/** Creates a directory outside the repository that the test removes. */
export async function temporaryFolder(t: Test, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `redmint-${name}-`))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}
