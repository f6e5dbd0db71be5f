// A server as in production on a Redis of its own, and what a request costs both of them.
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { RedisKeys } from '../src/storage/redis/keys.ts'
import { openRedis } from '../src/storage/redis/storage.ts'
import { CallbackClient, type ClientRequest, type Exchange } from '../test/support/callback-client.ts'
import { freePort, run, TYPESCRIPT } from '../test/support/process.ts'
import { callsIn } from '../test/support/redis-calls.ts'
import { type RedisServer, startRedis } from '../test/support/redis-server.ts'
import { cpuOf as accountOf } from './accounts.ts'
import { onServerCpus } from './machine.ts'

const CONNECTIONS = 16
const ROUNDS = 3
const SILENT = { info() {}, warn() {}, error() {} }

/** What ends with the measurement. */
export class Owner {
  readonly #ends: (() => unknown)[] = []

  teardown(end: () => unknown): void {
    this.#ends.push(end)
  }

  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await end()
  }
}

/** Opens a storage on a new Redis, and a connection that looks at it. */
export async function openStorage(owner: Owner) {
  const redis = await startRedis(owner)
  const admin = new Redis(redis.url)
  owner.teardown(() => admin.disconnect())
  const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
  owner.teardown(() => storage.close())
  for (let up = false; !up; )
    up = await storage.probe().then(
      () => true,
      () => false,
    )
  return { redis, admin, storage }
}

/** Starts a server on this Redis, and resolves when it is ready. */
export async function startServer(
  owner: Owner,
  redis: Pick<RedisServer, 'url'>,
  more: Readonly<Record<string, string>> = {},
) {
  const port = await freePort()
  const environment = {
    PORT: String(port),
    NODE_ENV: 'production',
    ISSUER: `http://127.0.0.1:${port}`,
    REDIS_URL: redis.url,
    DEMO: 'false',
    ...more,
  }
  const [command = '', ...args] = [...onServerCpus(), process.execPath, TYPESCRIPT, 'server.ts']
  const server = run(owner, command, args, environment)
  const address = `http://127.0.0.1:${port}`
  const isReady = async () => (await fetch(`${address}/actuator/health/readiness`)).status === 200
  while (!(await isReady().catch(() => false))) await pause(50)
  return { port, pid: server.pid }
}

/** What one request costs: CPU time in microseconds, and commands that Redis runs. */
export interface Load {
  server_us: number
  redis_us: number
  calls: number
}

/**
 * Sends requests on some connections, one after the other on each, and returns what one costs: the least CPU time of
 * some rounds, because other programs on the machine only add to it.
 * @throws if an answer has another status than 200
 */
export async function load(
  { port, pid }: { port: number; pid: number },
  { redis, admin }: { redis: RedisServer; admin: Redis },
  requests: number,
  requestOf: (index: number) => ClientRequest,
): Promise<Load> {
  const clients = Array.from({ length: CONNECTIONS }, () => new CallbackClient(port))
  let next = 0
  function* share(): Exchange {
    for (let left = Math.ceil(requests / CONNECTIONS); left > 0; left--) {
      const { status, body } = yield requestOf(next++)
      if (status !== 200) throw new Error(`an answer has the status ${status}: ${body}`)
    }
  }
  const round = () =>
    Promise.all(
      clients.map(
        (client) =>
          new Promise<void>((resolve, reject) =>
            client.play(share(), (error) => (error ? reject(error) : resolve())),
          ),
      ),
    )
  await round()
  const found: Load[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const sent = next
    const before = { server: cpuOf(pid), redis: cpuOf(redis.pid), calls: await callsIn(admin) }
    await round()
    const each = (more: number) => more / (next - sent)
    found.push({
      server_us: each(cpuOf(pid) - before.server),
      redis_us: each(cpuOf(redis.pid) - before.redis),
      calls: each((await callsIn(admin)) - before.calls),
    })
  }
  for (const client of clients) client.close()
  const least = (name: keyof Load) => Math.min(...found.map((one) => one[name]))
  return { server_us: least('server_us'), redis_us: least('redis_us'), calls: least('calls') }
}

/** The CPU time of a process in microseconds, of all its threads. */
export const cpuOf = (pid: number): number => accountOf(pid)?.all ?? Number.NaN

/** The memory that Redis uses, in bytes. */
export async function memoryOf(admin: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1])
}

/** The sizes below the greatest one, and that one. */
export const upTo = (most: number, sizes: readonly number[]) => [...sizes.filter((size) => size < most), most]
