// Compiles the service to dist/, copies what modules read beside themselves, and bundles what is run.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const TSC = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [TSC, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status !== 0) process.exit(1)
cpSync('src/storage/redis/scripts', 'dist/src/storage/redis/scripts', {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
})
cpSync('src/users/common-passwords.txt', 'dist/src/users/common-passwords.txt')
cpSync('src/texts', 'dist/src/texts', { recursive: true, filter: (path) => !path.endsWith('.ts') })

/** Files that a module finds beside itself are found by the bundle, too: all parts of it are in dist/. */
const besideModules: Plugin = {
  name: 'beside-modules',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].+\.js$/ }, async ({ path }) => {
      const url = `new URL(${JSON.stringify(`./${relative('dist', path)}`)}, import.meta.url).href`
      return { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', url) }
    })
  },
}

/** Of many files, which would be a fourth of the time of a start; none of them handles what comes from outside. */
const BUNDLED = new Set(['@sinclair/typebox', 'prom-client', '@opentelemetry/api', 'tdigest', 'bintrees'])

/** All other packages stay outside. */
const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || BUNDLED.has(path) ? undefined : { path, external: true },
    )
  },
}

// The entries load a few files instead of 270. What an import() loads stays a file of its own.
await build({
  entryPoints: ['dist/server.js', 'dist/cli.js'],
  absWorkingDir: resolve('.'),
  outdir: 'dist',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Bundled packages require modules of Node.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)`,
  },
  plugins: [besideModules, packages],
})
// Only the entries use them.
for (const folder of ['cli', 'workers']) rmSync(`dist/${folder}`, { recursive: true })
cpSync('src/admin/connect/templates', 'dist/src/admin/connect/templates', { recursive: true })
chmodSync('dist/cli.js', 0o755)
