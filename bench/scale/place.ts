// A Redis, servers and commands on it, and what work costs them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { hash } from '@node-rs/argon2'
import { Redis } from 'ioredis'
import { SILENT } from '../../src/core/log.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import { openRedis } from '../../src/storage/redis/storage.ts'
import { type CommandCounter, countCommands } from '../../test/support/command-counter.ts'
import { patient } from '../../test/support/patient.ts'
import { freePort, run, type ServerProcess } from '../../test/support/process.ts'
import { callsIn } from '../../test/support/redis-calls.ts'
import { startRedis } from '../../test/support/redis-server.ts'
import { cpuOf, residentOf } from '../accounts.ts'
import type { Owner } from '../growth-load.ts'

const PREFIX = 'redmint:'
/** Redis logs a command that takes longer, in microseconds. */
const SLOW = 5000
/** Of everybody who is written. */
const PASSWORD = 'correct horse battery staple'

/** What runs the server and the command: the arguments of node. */
export interface Programs {
  readonly server: readonly string[]
  readonly command: readonly string[]
}

/** What work cost: milliseconds of CPU of the servers and of Redis, and on the clock. */
export interface Cost {
  readonly cpu: number
  readonly redis_cpu: number
  readonly ms: number
  /** Commands that Redis ran, those inside its scripts included. */
  readonly commands: number
  /** Round trips; absent: nobody counted them. */
  readonly trips?: number
}

/** A server; with `counter` its commands pass through a proxy that counts round trips. */
export interface Server extends ServerProcess {
  /** Which is the address of another server, if there are two. */
  readonly issuer: string
  readonly counter?: CommandCounter
  /** Milliseconds until it is ready, and its CPU until then. */
  readonly start: { readonly ms: number; readonly cpu: number }
}

/** Where everything is measured. */
export type Place = Awaited<ReturnType<typeof openPlace>>

/**
 * Opens an empty Redis, with what is needed to run servers and commands on it.
 * @param given a Redis that runs already; absent: one is started
 * @throws Error if it has keys
 */
export async function openPlace(owner: Owner, programs: Programs, given?: string) {
  const url = given ?? (await startRedis(owner)).url
  const { hostname, port } = new URL(url)
  if (!['127.0.0.1', 'localhost'].includes(hostname))
    throw new Error('--redis-url must name a Redis of this machine, whose memory and CPU are measured')
  const admin = new Redis(url)
  owner.teardown(() => admin.disconnect())
  if ((await admin.dbsize()) > 0) throw new Error('the Redis has keys: it must be empty')
  const keys = new RedisKeys(PREFIX)
  const opened = openRedis({ kind: 'single', url }, keys, SILENT)
  owner.teardown(() => opened.close())
  // Redis may be busy with what is measured.
  const storage = patient(opened)
  while (
    !(await storage.probe().then(
      () => true,
      () => false,
    ))
  );
  await admin.config('SET', 'slowlog-log-slower-than', SLOW)
  await admin.config('SET', 'slowlog-max-len', 100_000)
  const own_port = await freePort()
  const environment = {
    NODE_ENV: 'production',
    ISSUER: `http://127.0.0.1:${own_port}`,
    DEMO: 'false',
    ADMIN_API: 'on',
    CONSOLE: 'on',
    AUDIT: 'on',
    LOG_LEVEL: 'info',
  }
  const servers = new Set<Server>()
  let trips = 0
  const password_hash = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  return {
    ...{ url, admin, storage, keys, password_hash },

    /** Starts a server, at the address of the issuer if none is there. */
    async start({ counts = false }: { readonly counts?: boolean } = {}): Promise<Server> {
      const counter = counts ? await countCommands(owner, Number(port)) : undefined
      const began = performance.now()
      const own = servers.size === 0 ? own_port : await freePort()
      const address = `http://127.0.0.1:${own}`
      const given = { ...environment, REDIS_URL: counter?.url ?? url, PORT: String(own) }
      const server = run(owner, process.execPath, programs.server, given)
      let has_ended = false
      server.ended.then(() => {
        has_ended = true
      })
      while (!(await isReady(address))) {
        if (has_ended) throw new Error(`the server ended: ${server.stdout}${server.stderr}`)
        await pause(5)
      }
      const start = { ms: performance.now() - began, cpu: cpuMs(server.pid) }
      const started = Object.assign(server, {
        ...{ start, address, port: own, issuer: environment.ISSUER },
        ...(counter && { counter }),
      })
      servers.add(started)
      server.ended.then(() => servers.delete(started))
      return started
    },

    /** Measures work of some rounds, of which the cheapest counts: other programs only add to it. @param times in a round */
    async costOf(work: () => Promise<unknown>, rounds = 1, times = 1): Promise<Cost> {
      const found: Cost[] = []
      for (let round = 0; round < rounds; round++) {
        const before = await accounts()
        const began = performance.now()
        for (let i = 0; i < times; i++) await work()
        const ms = performance.now() - began
        const after = await accounts()
        const each = (name: 'cpu' | 'redis_cpu' | 'commands' | 'trips') =>
          (after[name] - before[name]) / times
        found.push({
          cpu: each('cpu'),
          redis_cpu: each('redis_cpu'),
          ms: ms / times,
          commands: each('commands'),
          ...([...servers].some(({ counter }) => counter) && { trips: each('trips') }),
        })
      }
      const least = (name: keyof Cost) => Math.min(...found.map((one) => one[name] ?? Number.NaN))
      const trips = least('trips')
      return {
        ...{ cpu: least('cpu'), redis_cpu: least('redis_cpu'), ms: least('ms'), commands: least('commands') },
        ...(!Number.isNaN(trips) && { trips }),
      }
    },

    /** Runs a command on the host, and returns what it took; `mb` is the most memory that it had. */
    async run(
      ...args: readonly string[]
    ): Promise<Cost & { readonly mb: number; readonly exit: number | null }> {
      const began = performance.now()
      const before = await accounts()
      const child = spawn(process.execPath, ['--import', REPORT, ...programs.command, ...args], {
        env: { PATH: process.env.PATH, ...environment, REDIS_URL: url },
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      })
      let said = ''
      child.stdio[3]?.on('data', (chunk: Buffer) => {
        said += chunk
      })
      const [exit] = (await once(child, 'close')) as [number | null]
      const after = await accounts()
      const { cpu, mb } = JSON.parse(said) as { cpu: number; mb: number }
      return {
        ...{ cpu, mb, exit },
        redis_cpu: after.redis_cpu - before.redis_cpu,
        commands: after.commands - before.commands,
        ms: performance.now() - began,
      }
    },

    /** The longest command since the last call, and how many took 5 ms or more, in milliseconds. */
    async slowest(): Promise<{ readonly longest: number; readonly name: string; readonly count: number }> {
      const slow = (await admin.slowlog('GET', -1)) as [number, number, number, string[]][]
      await admin.slowlog('RESET')
      const own = slow.filter(([, , , [name = '']]) => !/^(slowlog|info|config)$/i.test(name))
      const [first] = own.sort(([, , a], [, , b]) => b - a)
      const name = first?.[3][0] ?? ''
      return { longest: (first?.[2] ?? 0) / 1000, name: name.toUpperCase(), count: own.length }
    },
  }

  // Each counter tells how many there were since it was asked last.
  function countTrips(): number {
    for (const { counter } of servers) trips += counter?.takeTrips() ?? 0
    return trips
  }

  async function accounts() {
    const info = await admin.info('cpu')
    const used = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]) * 1000
    const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
    return {
      cpu: sum([...servers].map(({ pid }) => cpuMs(pid))),
      redis_cpu: used('used_cpu_user') + used('used_cpu_sys'),
      commands: await callsIn(admin),
      trips: countTrips(),
    }
  }
}

const cpuMs = (pid: number) => (cpuOf(pid)?.all ?? Number.NaN) / 1000

const isReady = (address: string) =>
  fetch(`${address}/actuator/health/readiness`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** The resident memory of a server in MB. */
export const memoryOfServer = ({ pid }: Server) => residentOf(pid) ?? Number.NaN

/** Lets a command say at its end what it took: milliseconds of CPU of all threads, and the most MB. */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    writeSync(3, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, mb: maxRSS / 1024 }))
  })`)}`
