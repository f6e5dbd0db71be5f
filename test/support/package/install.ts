// The package as its users have it: packed, and installed into an empty project.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildCopy, temporaryFolder } from '../build.ts'
import { run } from '../process.ts'

// What npm takes from its surroundings: where its cache and the registry are.
const PASSED_ON = /^(HOME|npm_config_(registry|cache|userconfig)|(https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i

/** The environment of npm, and of what it starts. */
export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    PASSED_ON.test(name) && value !== undefined ? [[name, value]] : [],
  ),
)

/** Runs a command, which has to end well, and returns what it printed. */
export async function succeed(t: Test, cwd: string, command: string, ...args: string[]): Promise<string> {
  const program = run(t, command, args, ENVIRONMENT, cwd)
  const { code } = await program.ended
  const name = [command, ...args].join(' ')
  t.equal(code, 0, code === 0 ? name : `${name}\n${program.stdout}${program.stderr}`)
  return program.stdout
}

/** What `npm pack` makes. */
export interface Packed {
  /** The folder that it was made in. */
  readonly built: string
  /** The paths of its files there. */
  readonly files: readonly string[]
  readonly tarball: string
}

/** Builds the sources in a folder of their own, and packs them. */
export async function packPackage(t: Test): Promise<Packed> {
  const built = await buildCopy(t)
  // The folder is built already.
  const [packed] = JSON.parse(await succeed(t, built, 'npm', 'pack', '--ignore-scripts', '--json'))
  const files = packed.files.map(({ path }: { path: string }) => path)
  return { built, files, tarball: join(built, packed.filename) }
}

/** Installs a tarball into an empty project, and returns its folder. */
export async function installTarball(t: Test, tarball: string): Promise<string> {
  const cwd = await temporaryFolder(t, 'project')
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await succeed(t, cwd, 'npm', 'install', ...quiet, tarball)
  return cwd
}
