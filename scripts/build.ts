// Checks the types, bundles what is run and what is imported to dist/, and copies what modules read beside themselves.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const TSC = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
/** The declarations of all modules, as long as those of the exports are made of them. */
const DECLARATIONS = 'dist/declarations'
const EXPORTS = readdirSync('exports').map((file) => file.replace(/\.ts$/, ''))

/** What modules read beside themselves. */
const READ = [
  'src/admin/connect/templates',
  'src/storage/redis/scripts',
  'src/texts',
  'src/users/common-passwords.txt',
  'src/users/hash-thread.js',
]

function run(script: string, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

/** Files that a module finds beside itself are found by the bundle, too: all parts of it are in dist/. */
const besideModules: Plugin = {
  name: 'beside-modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const url = `new URL(${JSON.stringify(`./${relative('.', path)}`)}, import.meta.url).href`
      return { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', url), loader: 'ts' }
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

rmSync('dist', { recursive: true, force: true })
run(TSC, '-p', 'tsconfig.build.json', '--outDir', DECLARATIONS)
run('scripts/roll-up-types.mjs', `${DECLARATIONS}/exports`, 'dist', ...EXPORTS)
rmSync(DECLARATIONS, { recursive: true })

// In one build, so that each class is there once. What an import() loads stays a file of its own.
await build({
  entryPoints: ['server.ts', 'cli.ts', ...EXPORTS.map((name) => `exports/${name}.ts`)],
  entryNames: '[name]',
  absWorkingDir: resolve('.'),
  outdir: 'dist',
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
for (const path of READ) {
  const isRead = (name: string) => !name.endsWith('.ts') || name.includes('/templates/')
  cpSync(path, `dist/${path}`, { recursive: true, filter: isRead })
}
chmodSync('dist/cli.js', 0o755)
