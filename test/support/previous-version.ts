// The version that replicas have during an upgrade to this one, from the history of the repository.
import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { ROOT, type startServer } from './process.ts'

/** Until there is a release: a commit that has all that was measured on 22 November 2026. Then: the tag of the last one. */
const PREVIOUS_VERSION = 'd1ba2a1adec1bd56fb96388e3b9241fcea720de0'

const run = promisify(execFile)

/**
 * Writes the sources of PREVIOUS_VERSION to a directory, which is removed with the test. It runs with the packages of
 * this version: one that only it needs stays a development dependency, as @fastify/accepts.
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
