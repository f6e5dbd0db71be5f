// The version that replicas have during an upgrade to this one, from the history of the repository.
import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { ROOT, type startServer } from './process.ts'

/** The id of the commit of the last release, 0.1.0. */
const PREVIOUS_VERSION = 'c65346c8bb2b0124bed2d44a9eec360cb520a384'

const run = promisify(execFile)

/** What starts a server, and a command, of another version. */
export interface OtherVersion {
  readonly server: NonNullable<Parameters<typeof startServer>[2]>
  readonly command: NonNullable<Parameters<typeof startServer>[2]>
}

/**
 * Writes the sources of a commit to a directory, which is removed with the test. They run with the packages of this version.
 * @throws Error with what to do if the commit is not in this clone
 */
export async function previousVersion(t: Test, commit = PREVIOUS_VERSION): Promise<OtherVersion> {
  const directory = t.testdir({ sources: {} })
  const [archive, sources] = [join(directory, 'sources.tar'), join(directory, 'sources')]
  const found = await run('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]).catch(() => undefined)
  if (found === undefined) {
    throw new Error(
      `The tests run the last release beside this version, and its commit ${commit} is not in this clone: git fetch --unshallow --tags`,
    )
  }
  await run('git', ['-C', ROOT, 'archive', '--output', archive, commit])
  await run('tar', ['-xf', archive, '-C', sources])
  await symlink(join(ROOT, 'node_modules'), join(sources, 'node_modules'))
  const entry = (program: string) => ({
    args: [`--import=${sources}/scripts/typescript.mjs`, program],
    cwd: sources,
  })
  return { server: entry('server.ts'), command: entry('cli.ts') }
}
