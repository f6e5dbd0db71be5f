// Checks the types, bundles what is run and what is imported to dist/, and copies what modules read beside themselves:
// `tsx scripts/build.ts [--without-dev]`. An image for production is built without the server for development.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundle, EXPORTS } from './bundle.ts'

const TSC = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
/** The declarations of all modules, as long as those of the exports are made of them. */
const DECLARATIONS = 'dist/declarations'

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

rmSync('dist', { recursive: true, force: true })
run(TSC, '-p', 'tsconfig.build.json', '--outDir', DECLARATIONS)
run('scripts/roll-up-types.mjs', `${DECLARATIONS}/exports`, 'dist', ...EXPORTS)
rmSync(DECLARATIONS, { recursive: true })

await bundle('dist', 'import.meta.url', !process.argv.includes('--without-dev'))
for (const path of READ) {
  const isRead = (name: string) => !name.endsWith('.ts') || name.includes('/templates/')
  cpSync(path, `dist/${path}`, { recursive: true, filter: isRead })
}
