// A Redis of each kind, and its faults.
import { setTimeout as pause } from 'node:timers/promises'
import { type RedisServer, startCluster, startRedis, startSentinel } from '../../../support/redis-server.ts'
import { eventually } from './eventually.ts'
import type { Random } from './random.ts'

/** Resources that end with a run. */
export interface Owner {
  teardown(end: () => Promise<void>): unknown
}

/** A fault: resolves when it is over, possibly before everything is repaired. */
export type Break = () => Promise<void>

export interface Place {
  /** The environment variables with the location of this Redis. */
  environment: Record<string, string>
  /** All servers that may hold keys. */
  nodes: readonly RedisServer[]
  /** Runs a command on the server of its key. */
  cli: RedisServer['cli']
  faults: Record<string, Break>
  /** Resolves when everything that a fault broke is repaired. */
  healed(): Promise<void>
}

// Every write is on disk before it is acknowledged, so what a restart loses was never acknowledged.
const DURABLE = { appendonly: 'yes', appendfsync: 'always' }
/** Milliseconds in which Redis does not answer: longer than the timeout of a request. */
const HANG = 1500

/** The servers themselves report whether they are masters. */
async function roleOf(node: RedisServer): Promise<string> {
  const [role = ''] = (await node.cli('ROLE')).split('\n')
  return role
}

async function standalone(t: Owner): Promise<Place> {
  const settings = Object.entries(DURABLE).flatMap(([name, value]) => [`--${name}`, value])
  const redis = await startRedis(t, { args: settings })
  return {
    environment: { REDIS_URL: redis.url },
    nodes: [redis],
    cli: redis.cli,
    faults: { 'Redis restarted': () => redis.restart(), ...hangs(async () => redis, [redis]) },
    healed: () => answers(redis),
  }
}

/** Faults of one master: it loses its scripts, or does not answer for a while. */
function hangs(
  master: () => Promise<RedisServer>,
  all: readonly RedisServer[],
  { stopped = HANG, paused = 'ALL' } = {},
) {
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

async function sentinel(t: Owner): Promise<Place> {
  const { name, sentinels, master: first, replicas, watchers } = await startSentinel(t, { replicas: 2 })
  const nodes = [first, ...replicas]
  // A master whose replicas follow another one accepts no writes.
  for (const node of nodes) await configure(node, { ...DURABLE, 'min-replicas-to-write': '1' })
  const nameFor = async (watcher: RedisServer | undefined) => {
    const [, port] = (await watcher?.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name))?.split('\n') ?? []
    return Number(port)
  }
  const master = async () => {
    const port = await nameFor(watchers[0])
    return nodes.find((node) => node.port === port) ?? first
  }
  const replaced = (old: RedisServer) =>
    eventually('all know another master', async () => {
      const ports = await Promise.all(watchers.map(nameFor))
      return new Set(ports).size === 1 && !ports.includes(old.port)
    })
  return {
    environment: { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name },
    nodes,
    cli: async (...command) => (await master()).cli(...command),
    faults: {
      'master killed': async () => {
        const old = await master()
        await old.stop()
        await replaced(old)
        await old.restart()
      },
      // The old master accepts no writes until no client is connected that would read outdated records.
      'SENTINEL FAILOVER': async () => {
        const old = await master()
        await old.cli('CLIENT', 'PAUSE', '60000', 'WRITE')
        await watchers[0]?.cli('SENTINEL', 'FAILOVER', name)
        await replaced(old)
        for (const type of ['normal', 'pubsub']) await old.cli('CLIENT', 'KILL', 'TYPE', type)
        await old.cli('CLIENT', 'UNPAUSE')
      },
      // Shorter than the Sentinels' timeout for a dead master: otherwise the old one would continue beside the new one.
      ...hangs(master, nodes, { stopped: 300, paused: 'WRITE' }),
    },
    async healed() {
      await eventually('all follow one master', async () => {
        const ports = new Set(await Promise.all(watchers.map(nameFor)))
        const current = await master()
        const others = nodes.filter((node) => node !== current)
        const follow = await Promise.all(others.map((node) => follows(node, current.port)))
        return ports.size === 1 && (await roleOf(current)) === 'master' && follow.every(Boolean)
      })
    },
  }
}

async function cluster(t: Owner, random: Random): Promise<Place> {
  const { nodes: addresses, masters, replicas } = await startCluster(t, { replicas: 1 })
  const nodes = [...masters, ...replicas]
  for (const node of nodes) await configure(node, DURABLE)
  const inRole = async (role: string) => {
    const roles = await Promise.all(nodes.map(roleOf))
    return nodes.filter((_, index) => roles[index] === role)
  }
  const master = async () => random.pick(await inRole('master'))
  const becomes = (node: RedisServer, role: string) =>
    eventually(`${node.port} is a ${role}`, async () => (await roleOf(node)) === role)
  const [first] = masters
  if (first === undefined) throw new TypeError('a cluster has masters')
  return {
    environment: { REDIS_CLUSTER_NODES: addresses },
    nodes,
    cli: (...command) => first.cli('-c', ...command),
    faults: {
      'CLUSTER FAILOVER': async () => {
        const replica = random.pick(await inRole('slave'))
        await replica.cli('CLUSTER', 'FAILOVER')
        await becomes(replica, 'master')
      },
      'master killed': async () => {
        const old = await master()
        const heir = await heirOf(old, nodes)
        await old.stop()
        await becomes(heir, 'master')
        await old.restart()
        await becomes(old, 'slave')
      },
      // Shorter than the nodes' timeout for a dead master.
      ...hangs(master, nodes, { stopped: 1000 }),
    },
    async healed() {
      await eventually('the cluster is whole', async () => {
        const infos = await Promise.all(nodes.map((node) => node.cli('CLUSTER', 'INFO')))
        const copies = await inRole('slave')
        const linked = await Promise.all(copies.map((node) => node.cli('INFO', 'replication')))
        return (
          infos.every((info) => info.includes('cluster_state:ok')) &&
          copies.length === replicas.length &&
          linked.every((info) => info.includes('master_link_status:up'))
        )
      })
    },
  }
}

async function answers(node: RedisServer): Promise<void> {
  await eventually(`${node.port} answers`, async () => (await node.cli('PING')) === 'PONG')
}

/** Whether a node is a replica of the one at this port, and is in sync. */
async function follows(node: RedisServer, port: number): Promise<boolean> {
  const info = await node.cli('INFO', 'replication')
  return info.includes(`master_port:${port}\r`) && info.includes('master_link_status:up')
}

async function heirOf(master: RedisServer, nodes: readonly RedisServer[]): Promise<RedisServer> {
  for (const node of nodes) if (node !== master && (await follows(node, master.port))) return node
  throw new Error(`nobody follows ${master.port}`)
}

/** Sets configuration that the server keeps over a restart. */
async function configure(node: RedisServer, settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await node.cli('CONFIG', 'SET', name, value)
  await node.cli('CONFIG', 'REWRITE')
  await eventually(`${node.port} keeps what it is told`, async () => {
    const info = await node.cli('INFO', 'persistence')
    return info.includes('aof_enabled:1') && info.includes('aof_rewrite_in_progress:0')
  })
}

/** Starts a Redis of each kind. Its faults use this random generator. */
export const PLACES = { standalone, sentinel, cluster } satisfies Record<
  string,
  (t: Owner, random: Random) => Promise<Place>
>
export type Kind = keyof typeof PLACES
