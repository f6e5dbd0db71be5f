// The arithmetic of docs/capacity.md: from the cost of one token request to machines.
import type { Results, Sample } from './results.ts'
import { cost } from './statistics.ts'

/** The part of a CPU that is planned with; the rest is for peaks and for a replica that is missing. */
export const HEADROOM = 0.6
/** Memory of one Redis master that tokens may fill. */
export const SHARD_GB = 16
/** Bits a second of a network card, and the part of them that is planned with. */
const GBIT = 10
/** Lifetime of an access token in seconds: the default of ACCESS_TOKEN_TTL. */
export const TTL = 900

/** What one token request (client credentials by Basic) costs: microseconds of CPU, and bytes. */
export interface TokenCosts {
  cpu: number
  jwt_cpu: number
  redis_cpu: number
  /** Of all masters of a Cluster together. */
  cluster_redis_cpu: number
  redis_bytes: number
  http_bytes: number
  /** Redis memory of one access token. */
  stored_bytes: number
}

/** Reads the costs from a run. @throws Error that names a figure which the run lacks */
export function costsOf({ rows }: Pick<Results, 'rows'>): TokenCosts {
  const candidate = (row: string, label: string) =>
    rows.find(({ name }) => name === row)?.candidates.find((candidate) => candidate.label === label)
  const read = (row: string, label: string, field: keyof Sample): number => {
    const value = cost(candidate(row, label), (sample) => sample[field] as number | undefined)
    if (value === undefined) throw new Error(`the results have no ${field} of ${label} in the row ${row}`)
    return value
  }
  const stored_bytes = candidate('cc-basic', 'redmint')?.stored_bytes
  if (stored_bytes === undefined) throw new Error('the results have no stored_bytes in the row cc-basic')
  return {
    cpu: read('cc-basic', 'redmint', 'cpu'),
    jwt_cpu: read('cc-es256', 'redmint', 'cpu'),
    redis_cpu: read('cc-basic', 'redmint', 'redis_cpu'),
    cluster_redis_cpu: read('cluster', 'redmint, Cluster', 'redis_cpu'),
    redis_bytes: read('cc-basic', 'redmint', 'redis_bytes'),
    http_bytes: read('cc-basic', 'redmint', 'http_bytes'),
    stored_bytes,
  }
}

/** What a rate of opaque token requests needs. */
export interface Needs {
  /** Processes of redmint, a CPU each. */
  replicas: number
  /** Redis masters, a CPU each: 1 is a single Redis, more are a Cluster. */
  masters: number
  memory_gb: number
  redis_gbit: number
  http_gbit: number
}

/** @param rate token requests a second */
export function needs(costs: TokenCosts, rate: number): Needs {
  const memory_gb = (rate * TTL * costs.stored_bytes) / 1e9
  const redis_gbit = gbit(rate, costs.redis_bytes)
  const single = saturation(costs).every((limit) => rate <= limit.rate)
  const masters = Math.max(
    // A Cluster has three masters at least.
    3,
    Math.ceil((rate * costs.cluster_redis_cpu) / 1e6 / HEADROOM),
    Math.ceil(memory_gb / SHARD_GB),
    Math.ceil(redis_gbit / (GBIT * HEADROOM)),
  )
  return {
    replicas: Math.ceil((rate * costs.cpu) / 1e6 / HEADROOM),
    masters: single ? 1 : masters,
    memory_gb,
    redis_gbit,
    http_gbit: gbit(rate, costs.http_bytes),
  }
}

/** The token requests a second at which each resource of a single Redis is full, the first one first. */
export function saturation({ redis_cpu, stored_bytes, redis_bytes }: TokenCosts) {
  return [
    { what: `its CPU, at ${HEADROOM * 100} %`, rate: (HEADROOM * 1e6) / redis_cpu },
    { what: `its memory of ${SHARD_GB} GB`, rate: (SHARD_GB * 1e9) / (TTL * stored_bytes) },
    {
      what: `its network of ${GBIT} Gbit/s, at ${HEADROOM * 100} %`,
      rate: (GBIT * HEADROOM * 1e9) / (redis_bytes * 8),
    },
  ].sort((a, b) => a.rate - b.rate)
}

const gbit = (rate: number, bytes: number) => (rate * bytes * 8) / 1e9
