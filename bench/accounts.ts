// What the work cost: the accounts of a process in /proc (Linux), and those of Redis.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Redis } from 'ioredis'

/**
 * CPU in microseconds since the start of the process: of all threads, of the main one, and of those of low priority, in
 * which redmint hashes passwords. The others compile and collect garbage.
 */
export interface CpuAccount {
  all: number
  main: number
  low: number
}

/** A tick of the clock of /proc in microseconds. */
const TICK_US = process.platform === 'linux' ? 1e6 / Number(execFileSync('getconf', ['CLK_TCK'])) : Number.NaN

/** The CPU of a process and its workers. @returns undefined where there is no /proc */
export function cpuOf(pid: number): CpuAccount | undefined {
  if (process.platform !== 'linux') return undefined
  const processes = withWorkers(pid)
  const threads = processes.flatMap((one) =>
    readdirSync(`/proc/${one}/task`).map((thread) => ({
      is_main: thread === String(one),
      ...statOf(`/proc/${one}/task/${thread}`),
    })),
  )
  return {
    // Threads that ended meanwhile are in the account of the process, whose ticks are coarser.
    all: Math.max(
      total(threads.map(({ cpu }) => cpu)),
      total(processes.map((one) => ticksOf(`/proc/${one}/stat`).cpu)) - TICK_US * threads.length,
    ),
    main: total(threads.filter(({ is_main }) => is_main).map(({ cpu }) => cpu)),
    low: total(threads.filter(({ nice }) => nice > 0).map(({ cpu }) => cpu)),
  }
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** A process and the processes that it started. */
function withWorkers(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** The CPU of a thread, by the scheduler's nanoseconds where the kernel has them. */
function statOf(folder: string): { cpu: number; nice: number } {
  const { cpu, nice } = ticksOf(`${folder}/stat`)
  try {
    const nanoseconds = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0])
    return { cpu: nanoseconds > 0 ? nanoseconds / 1000 : cpu, nice }
  } catch {
    return { cpu, nice }
  }
}

function ticksOf(path: string): { cpu: number; nice: number } {
  // The name in parentheses may contain spaces; utime, stime and nice are the 14th, 15th and 19th field (proc(5)).
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const cpu = (Number(fields[11]) + Number(fields[12])) * TICK_US
  return { cpu, nice: Number(fields[16]) }
}

/** Resident memory of a process and its workers in MB; undefined where there is no /proc. */
export function residentOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  const status = withWorkers(pid).map((one) => readFileSync(`/proc/${one}/status`, 'utf8'))
  return total(status.map((text) => Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]) / 1024))
}

/** The sums of all Redis servers of a candidate since their start. */
export interface RedisAccount {
  /** CPU in microseconds. */
  cpu: number
  /** Calls of each command; those within scripts count too. */
  calls: Record<string, number>
  received: number
  sent: number
  /** Bytes in use. */
  memory: number
}

/** Reads the accounts of the Redis servers of one candidate. */
export class RedisAccounts {
  readonly #clients: Redis[]

  constructor(urls: readonly string[]) {
    this.#clients = urls.map((url) => new Redis(url))
  }

  async read(): Promise<RedisAccount | undefined> {
    if (this.#clients.length === 0) return undefined
    const texts = await Promise.all(this.#clients.map((client) => client.info('everything')))
    const sum = (name: string) => texts.reduce((total, text) => total + numberOf(text, name), 0)
    const calls: Record<string, number> = {}
    for (const [, name = '', count] of texts.join('\n').matchAll(/^cmdstat_([\w|-]+):calls=(\d+)/gm)) {
      if (name !== 'info') calls[name] = (calls[name] ?? 0) + Number(count)
    }
    return {
      cpu: (sum('used_cpu_user') + sum('used_cpu_sys')) * 1e6,
      calls,
      received: sum('total_net_input_bytes'),
      sent: sum('total_net_output_bytes'),
      memory: sum('used_memory'),
    }
  }

  /** The version of the servers; undefined without one. */
  async version(): Promise<string | undefined> {
    return /redis_version:(\S+)/.exec((await this.#clients[0]?.info('server')) ?? '')?.[1]
  }

  /**
   * Notes that servers made all lists fit just now, as docs/keyspace.md describes it. What they do once a day would
   * otherwise begin ten seconds after the start, among the first rounds.
   */
  async putOffRepair(): Promise<void> {
    const note = (client: Redis) => client.hset('redmint:indexes:fitted', 'fitted_at', Date.now())
    // In a Cluster only the server of the slot takes it.
    await Promise.allSettled(this.#clients.map(note))
  }

  close(): void {
    for (const client of this.#clients) client.disconnect()
  }
}

function numberOf(info: string, name: string): number {
  return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1])
}
