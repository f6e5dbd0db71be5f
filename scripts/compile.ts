import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { bundle } from './bundle.ts'
import { BUNDLES, compiled } from './compiled.ts'

const ALL_RUNS = '.compiled'
/** Where the compiled sources of this run are: `test/a.test.ts` is `test/a.test.js` there. */
export const COMPILED = join(ALL_RUNS, String(process.pid))

const FOLDERS = [
  'src',
  'plugins',
  'rooms',
  'routes',
  'cli',
  'workers',
  'dev',
  'exports',
  'test',
  'bench',
  'scripts',
]
const SOURCE = /\.ts$/
const NOT_OURS = /(^|\/)(node_modules|hosts|project|templates)\//

const TESTS = resolve('test') + sep
const TAP_OF_FILE = resolve('scripts/tap-of-file.js')

/**
 * Modules import each other's compiled form, and what they look for beside themselves they find at their source. Tests
 * get the `tap` of their file.
 */
const besideSources: Plugin = {
  name: 'beside-sources',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^tap$/ }, ({ importer, resolveDir }) =>
      importer.startsWith(TESTS) ? { path: relative(resolveDir, TAP_OF_FILE), external: true } : undefined,
    )
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.startsWith('.') ? compiled(path) : path, external: true },
    )
    onLoad({ filter: SOURCE }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const url = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
}

/**
 * Compiles all sources to COMPILED, so that no process of a test run compiles anything. The folder goes with this process.
 * @throws if a source has a syntax error
 */
export async function compileAll(): Promise<void> {
  process.once('exit', () => rmSync(COMPILED, { recursive: true, force: true }))
  await removeLeftovers()
  const compiling = build({
    entryPoints: sources(),
    outbase: '.',
    outdir: COMPILED,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    plugins: [besideSources],
  })
  // What is started as a process of its own starts faster as a bundle.
  await Promise.all([compiling, bundle(join(COMPILED, BUNDLES), JSON.stringify(pathToFileURL('./').href))])
  await writeFile(join(COMPILED, 'package.json'), '{ "type": "module" }\n')
}

/** Removes what runs that were killed left behind. */
async function removeLeftovers(): Promise<void> {
  const runs = await readdir(ALL_RUNS).catch(() => [])
  for (const pid of runs) {
    if (!existsSync(`/proc/${pid}`)) await rm(join(ALL_RUNS, pid), { recursive: true, force: true })
  }
}

function sources(): string[] {
  const atRoot = readdirSync('.').filter((name) => SOURCE.test(name))
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...atRoot, ...below.filter((path) => SOURCE.test(path) && !NOT_OURS.test(path))]
}
