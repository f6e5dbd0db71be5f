// A Redis of each kind.
import { startRedis } from '../../redis-server.ts'
import { cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { DURABLE, hangs, type Owner, type Place } from './nodes.ts'
import type { Random } from './random.ts'
import { sentinel } from './sentinel.ts'

async function standalone(t: Owner): Promise<Place> {
  const settings = Object.entries(DURABLE).flatMap(([name, value]) => [`--${name}`, value])
  const redis = await startRedis(t, { args: settings })
  return {
    environment: { REDIS_URL: redis.url },
    nodes: [redis],
    cli: redis.cli,
    faults: { 'Redis restarted': () => redis.restart(), ...hangs(async () => redis, [redis]) },
    failovers: {},
    healed: () => eventually(`${redis.port} answers`, async () => (await redis.cli('PING')) === 'PONG'),
    epoch: async () => 0,
  }
}

/** What a kind of Redis needs to start. */
interface Start {
  /** Chooses what its faults break. */
  random: Random
  /** Milliseconds after which Sentinels replace a master that does not answer. */
  down_after: number
}

/** Starts a Redis of each kind. */
export const PLACES = {
  standalone,
  sentinel: (t, { down_after }) => sentinel(t, down_after),
  cluster: (t, { random }) => cluster(t, random),
} satisfies Record<string, (t: Owner, start: Start) => Promise<Place>>
export type Kind = keyof typeof PLACES
