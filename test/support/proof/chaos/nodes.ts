// The Redis servers of a run, and what can be broken on each kind of Redis.
import { setTimeout as pause } from 'node:timers/promises'
import type { RedisServer } from '../../redis-server.ts'
import { eventually } from './eventually.ts'

/** Resources that end with a run. */
export interface Owner {
  teardown(end: () => Promise<void>): unknown
}

/** A fault: resolves when it is over, possibly before everything is repaired. */
export type Break = () => Promise<void>

/** A Redis, its faults, and its own view of its masters. */
export interface Place {
  /** The environment variables with the location of this Redis. */
  environment: Record<string, string>
  /** All servers that may hold keys. */
  nodes: readonly RedisServer[]
  /** Runs a command on the server of its key. */
  cli: RedisServer['cli']
  /** Faults that leave every master in place. */
  faults: Record<string, Break>
  /** Faults that end with another master. */
  failovers: Record<string, Break>
  /** Resolves when everything that a fault broke is repaired. */
  healed(): Promise<void>
  /** The configuration epoch, which grows with each failover. */
  epoch(): Promise<number>
}

// Every write is on disk before it is acknowledged, so what a restart loses was never acknowledged.
export const DURABLE = { appendonly: 'yes', appendfsync: 'always' }
/** Milliseconds in which Redis does not answer: longer than the timeout of a request. */
const HANG = 1500

/** Faults of one master: it loses its scripts, or does not answer for a while. */
export function hangs(
  master: () => Promise<RedisServer>,
  all: readonly RedisServer[],
  { stopped = HANG, paused = 'ALL' } = {},
): Record<string, Break> {
  return {
    'scripts flushed': async () => {
      for (const node of all) await node.cli('SCRIPT', 'FLUSH')
    },
    'clients paused': async () => {
      await (await master()).cli('CLIENT', 'PAUSE', String(HANG), paused)
    },
    'Redis stopped': async () => {
      const { pid } = await master()
      process.kill(pid, 'SIGSTOP')
      await pause(stopped)
      process.kill(pid, 'SIGCONT')
    },
  }
}

/** Whether a server is a `master` or a `slave`, as it reports itself. */
export async function roleOf(node: RedisServer): Promise<string> {
  const [role = ''] = (await node.cli('ROLE')).split('\n')
  return role
}

/** Whether a node is a replica of the one at this port, and is in sync. */
export async function follows(node: RedisServer, port: number): Promise<boolean> {
  const info = await node.cli('INFO', 'replication')
  return info.includes(`master_port:${port}\r`) && info.includes('master_link_status:up')
}

/** Sets configuration that the server keeps over a restart. */
export async function configure(node: RedisServer, settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await node.cli('CONFIG', 'SET', name, value)
  await node.cli('CONFIG', 'REWRITE')
  await eventually(`${node.port} keeps what it is told`, async () => {
    const info = await node.cli('INFO', 'persistence')
    return info.includes('aof_enabled:1') && info.includes('aof_rewrite_in_progress:0')
  })
}
