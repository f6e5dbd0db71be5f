// The machine and its programs: CPUs of their own for the server and for the load, packages, Node binaries.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const CPUS = availableParallelism()
const FOLDER = fileURLToPath(new URL('.', import.meta.url))

const CAN_PIN = CPUS > 1 && spawnSync('taskset', ['-V']).status === 0

/** The first of the CPUs of the servers, which are the last of the machine. One is left for the load. */
const firstCpu = (processes: number) => Math.max(1, CPUS - processes)

/** The words in front of a command that keep it on the CPUs of the servers; none without taskset. */
export function onServerCpus(processes = 1): string[] {
  return CAN_PIN ? ['taskset', '-c', `${firstCpu(processes)}-${CPUS - 1}`] : []
}

/** Keeps this process, and the Redis servers that it starts, off the CPUs of the servers. @returns whether it could */
export function pinLoad(processes = 1): boolean {
  if (!CAN_PIN) return false
  const cpus = `0-${firstCpu(processes) - 1}`
  execFileSync('taskset', ['-acp', cpus, String(process.pid)], { stdio: 'ignore' })
  return true
}

/** Lets a signal end this process as it ends by itself, so that what it started ends as well. */
export function endOnSignals(): void {
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
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
  const [command = '', ...args] = [...onServerCpus(), node.path, `${FOLDER}servers/hash.js`]
  return Number(run(command, ...args))
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}
