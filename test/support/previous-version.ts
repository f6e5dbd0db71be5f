// The version that replicas have during an upgrade to this one, from the history of the repository.
import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { ROOT, type startServer } from './process.ts'

/** The tag of the last release. Until 0.1.0 there is none: the last commit. */
const PREVIOUS_VERSION = 'HEAD'

const run = promisify(execFile)

/**
 * Writes the sources of PREVIOUS_VERSION to a directory, which is removed with the test. It runs with the packages of
 * this version.
 * @returns the entry that starts its server
 * @throws if the commit is not in this clone: fetch the whole history
 */
export async function previousVersion(t: Test): Promise<NonNullable<Parameters<typeof startServer>[2]>> {
  const directory = t.testdir({ sources: {} })
  const [archive, sources] = [join(directory, 'sources.tar'), join(directory, 'sources')]
  await run('git', ['-C', ROOT, 'archive', '--output', archive, PREVIOUS_VERSION])
  await run('tar', ['-xf', archive, '-C', sources])
  await symlink(join(ROOT, 'node_modules'), join(sources, 'node_modules'))
  return { args: [`--import=${sources}/scripts/typescript.mjs`, 'server.ts'], cwd: sources }
}
