// A server with several workers.
import type { Test } from 'tap'
import { type ServerProcess, startServer } from './process.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import { until } from './until.ts'

const LISTENS = /"pid":(\d+).*"msg":"(?:Server listening|Another worker listens) at/g

/** The processes that listen or have listened, in the order of their start. */
export function workersOf({ stdout }: Pick<ServerProcess, 'stdout'>): number[] {
  return [...stdout.matchAll(LISTENS)].map(([, pid]) => Number(pid))
}

/** Starts a server with workers, and waits until all of them listen. */
export async function startWorkers(t: Test, environment: Record<string, string> = {}, redis?: RedisServer) {
  const { url } = redis ?? (await startRedis(t))
  const given = { WORKERS: '2', REDIS_URL: url, ...environment }
  const server = await startServer(t, given)
  await untilWorkers(server, Number(given.WORKERS))
  return server
}

/** Waits until so many workers have listened, those that have ended included. */
export async function untilWorkers(server: ServerProcess, count: number): Promise<void> {
  await until(`${count} workers have listened`, () => workersOf(server).length >= count)
}
