// Where and with what a run was made.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Results } from './results.ts'

const PACKAGES = ['fastify', 'ioredis', 'oidc-provider']

/** The load average of one minute, five and fifteen, before a run builds: what the run does is no other work. */
const LOAD = loadavg().map((value) => Math.round(value * 10) / 10)

/** What is known before the first row. @param pinned whether the processes have CPUs of their own */
export function describeRun(pinned: boolean): Omit<Results, 'rounds' | 'seconds' | 'hash_cpu' | 'rows'> {
  return {
    date: new Date().toISOString(),
    commit: commitOf(),
    cpu_model: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    pinned,
    load: LOAD,
    packages: Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
  }
}

/** What a run writes: no change of what it measures. */
const OUTPUTS = ['bench/results', 'docs/performance.md', 'docs/capacity.md', 'docs/images']

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The files of a clone that differ from its commit, as `git status` names them. @throws Error outside of a clone */
export function changedFiles(clone = ROOT): string[] {
  const status = git(clone, 'status', '--porcelain', '--', ':/', ...OUTPUTS.map((path) => `:/!${path}`))
  return status.split('\n').filter(Boolean)
}

/** The commit that is measured, and whether files differ from it. */
export function commitOf(clone = ROOT): string {
  try {
    return (
      git(clone, 'rev-parse', '--short=9', 'HEAD') + (changedFiles(clone).length === 0 ? '' : ', changed')
    )
  } catch {
    return 'unknown'
  }
}

function versionOf(name: string): string {
  for (const folder of ['node_modules', '../node_modules']) {
    const file = new URL(`${folder}/${name}/package.json`, import.meta.url)
    try {
      return JSON.parse(readFileSync(file, 'utf8')).version
    } catch {}
  }
  return 'not installed'
}
