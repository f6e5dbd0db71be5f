// The machine and its programs: CPUs of their own for the server and for the load, packages, Node binaries.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const CPUS = availableParallelism()
const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** The words in front of a command that keep it on the CPU of the server; none without taskset. */
export const ON_SERVER_CPU = canPin() ? ['taskset', '-c', String(CPUS - 1)] : []

function canPin(): boolean {
  return CPUS > 1 && spawnSync('taskset', ['-V']).status === 0
}

/** Keeps this process, and the Redis servers that it starts, off the CPU of the server. @returns whether it could */
export function pinLoad(): boolean {
  if (ON_SERVER_CPU.length === 0) return false
  execFileSync('taskset', ['-acp', `0-${CPUS - 2}`, String(process.pid)], { stdio: 'ignore' })
  return true
}

/** Installs the packages of bench/package.json if they are missing. */
export function installPackages(): void {
  if (existsSync(`${FOLDER}node_modules/oidc-provider`)) return
  console.error('Installs the packages of bench/package.json')
  execFileSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], { stdio: 'inherit' })
}

/** Compiles redmint to dist/. */
export function build(): void {
  console.error('Builds dist/')
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: `${FOLDER}..`, stdio: 'inherit' })
}

export interface Node {
  path: string
  version: string
}

/** Finds a Node binary. @param name its path, or a version such as 24, which the npm package `node` brings */
export function findNode(name: string): Node {
  const path = /^\d+(\.\d+)*$/.test(name)
    ? run('npm', 'exec', '--yes', `--package=node@${name}`, '--', 'node', '-p', 'process.execPath')
    : name
  return { path, version: run(path, '--version') }
}

/** CPU of one verification of a password by itself, in microseconds. */
export function hashCpu(node: Node): number {
  const [command = '', ...args] = [...ON_SERVER_CPU, node.path, `${FOLDER}servers/hash.js`]
  return Number(run(command, ...args))
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}
