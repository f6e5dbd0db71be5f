import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { type BundleFile, joinFiles } from './join-files.ts'

/** What the package exports. */
export const EXPORTS = readdirSync('exports').map((file) => file.replace(/\.ts$/, ''))

/** Of many files, which would be a fourth of the time of a start; none of them handles what comes from outside. */
const BUNDLED = new Set(['@sinclair/typebox', 'prom-client', '@opentelemetry/api', 'tdigest', 'bintrees'])

/** All other packages stay outside. Those in CommonJS are required: Node would parse each that is imported for its names. */
const packages: Plugin = {
  name: 'packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || BUNDLED.has(path)) return undefined
      const is_required = kind === 'import-statement' && !isBuiltin(path) && isCommonJs(path)
      return is_required ? { path, namespace: 'required' } : { path, external: true }
    })
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Whether what an import of a package finds is CommonJS. */
function isCommonJs(name: string): boolean {
  const file = fileURLToPath(import.meta.resolve(name))
  if (!file.endsWith('.js')) return file.endsWith('.cjs')
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type !== 'module'
}

/** What modules find beside themselves, their bundle finds at their path below `root`. */
const besideModules = (root: string): Plugin => ({
  name: 'beside-modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const url = `new URL(${JSON.stringify(`./${relative('.', path)}`)}, ${root}).href`
      return { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
})

/** What a server has in place of the server for development: a command that says where that is. */
const withoutDev: Plugin = {
  name: 'without-dev',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/dev\// }, ({ path, importer }) =>
      importer === resolve('cli.ts') ? { path, namespace: 'without-dev' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'without-dev' }, () => ({
      contents: `import { UsageError } from './cli/errors.ts'\nthrow new UsageError(${JSON.stringify(ABSENT)})`,
      loader: 'ts',
      resolveDir: resolve('.'),
    }))
  },
}
const ABSENT =
  'This installation is for production and has no server for development: use npx redmint dev, or the image redmint-dev.'

/**
 * Bundles what is run and what is imported in one build, so that each class is there once. What an import() loads stays a file
 * of its own.
 * @param root JavaScript for the address of the folder with what modules read beside themselves
 * @param has_dev whether the server for development is part of it
 * @returns which sources are in which file
 */
export async function bundle(
  outdir: string,
  root: string,
  has_dev = true,
): Promise<ReadonlyMap<string, BundleFile>> {
  const exported = EXPORTS.filter((name) => has_dev || name !== 'testing')
  const { metafile, outputFiles } = await build({
    entryPoints: ['server.ts', 'cli.ts', ...exported.map((name) => `exports/${name}.ts`)],
    metafile: true,
    write: false,
    entryNames: '[name]',
    absWorkingDir: resolve('.'),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [...(has_dev ? [] : [withoutDev]), besideModules(root), packages],
  })
  return joinFiles(outdir, outputFiles, metafile)
}
