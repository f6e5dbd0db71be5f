// Compiles the service to dist/ and copies the Lua scripts of the Redis storage.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TSC = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [TSC, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status !== 0) process.exit(1)
cpSync('src/storage/redis/scripts', 'dist/src/storage/redis/scripts', {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
})
chmodSync('dist/cli.js', 0o755)
