// Where and with what a run was made.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import type { Results } from './results.ts'

const PACKAGES = ['fastify', 'ioredis', 'oidc-provider']

/** What is known before the first row. @param pinned whether the processes have CPUs of their own */
export function describeRun(pinned: boolean): Omit<Results, 'rounds' | 'seconds' | 'hash_cpu' | 'rows'> {
  return {
    date: new Date().toISOString(),
    commit: commit(),
    cpu_model: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    pinned,
    load: loadavg().map((value) => Math.round(value * 10) / 10),
    packages: Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
  }
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed =
      git('status', '--porcelain', '--untracked-files=no', '--', ':!bench/results') === '' ? '' : ', changed'
    return git('rev-parse', '--short', 'HEAD') + changed
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
