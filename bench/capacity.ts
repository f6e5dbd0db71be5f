// The tables of docs/capacity.md, computed from a whole run.
import { costsOf, HEADROOM, needs, SHARD_GB, saturation, type TokenCosts, TTL } from './capacity-plan.ts'
import type { Figures } from './results.ts'
import { machineText } from './summary.ts'
import { show } from './table.ts'

const RATES = [1_000, 10_000, 100_000, 1_000_000]
const LIVE_TOKENS = 100_000_000

export const CAPACITY_PARTS = ['machine', 'costs', 'rates', 'saturation'] as const
type CapacityPart = (typeof CAPACITY_PARTS)[number]

const number = (value: number) => value.toLocaleString('en')

/** A table of what each rate needs. @throws Error if the results lack a row that it needs */
export function rateTable(costs: TokenCosts): string {
  return [
    '| token requests a second | replicas, opaque | Redis masters | Redis memory GB | to and from Redis Gbit/s | replicas, JWT | to and from clients Gbit/s |',
    '|--:|--:|--:|--:|--:|--:|--:|',
    ...RATES.map((rate) => {
      const opaque = needs(costs, rate)
      const jwt = Math.ceil((rate * costs.jwt_cpu) / 1e6 / HEADROOM)
      const cells = [
        number(rate),
        number(opaque.replicas),
        number(opaque.masters),
        show(opaque.memory_gb),
        show(opaque.redis_gbit),
        number(jwt),
        show(opaque.http_gbit),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

/** The figures that everything is computed from. */
export function costText(costs: TokenCosts): string {
  const { cpu, jwt_cpu, redis_cpu, cluster_redis_cpu, redis_bytes, http_bytes, stored_bytes } = costs
  return [
    '| one token request | |',
    '|---|--:|',
    `| CPU of a replica, opaque | ${show(cpu)} µs |`,
    `| CPU of a replica, JWT (ES256) | ${show(jwt_cpu)} µs |`,
    `| CPU of one Redis | ${show(redis_cpu)} µs |`,
    `| CPU of the masters of a Cluster, together | ${show(cluster_redis_cpu)} µs |`,
    `| Redis memory | ${show(stored_bytes)} bytes |`,
    `| to and from Redis | ${show(redis_bytes)} bytes |`,
    `| to and from the client, without TLS | ${show(http_bytes)} bytes |`,
  ].join('\n')
}

/** At which rate each resource of a single Redis is full, and what that means. */
export function saturationText(costs: TokenCosts): string {
  const limits = saturation(costs)
  const [first] = limits
  const live = (LIVE_TOKENS * costs.stored_bytes) / 1e9
  const rate = LIVE_TOKENS / TTL
  return [
    ...limits.map(({ what, rate }) => `- ${what}: ${number(Math.floor(rate))} token requests a second`),
    '',
    `First is full: ${first?.what}. Above ${number(Math.floor(first?.rate ?? 0))} token requests a second a Cluster takes over.`,
    '',
    `${number(LIVE_TOKENS)} live tokens take ${show(live)} GB, twice that with a replica of each master. With a lifetime`,
    `of ${TTL} s they are ${number(Math.round(rate))} token requests a second: ${number(needs(costs, rate).masters)} masters and ${number(needs(costs, rate).replicas)} replicas of redmint.`,
    `With longer lifetimes memory decides: ${number(Math.ceil(live / SHARD_GB))} masters of ${SHARD_GB} GB.`,
  ].join('\n')
}

/** The text of every marked part of docs/capacity.md that a whole run writes. */
export function capacityParts(figures: Figures): Record<CapacityPart, string> {
  const costs = costsOf(figures)
  return {
    machine: machineText(figures),
    costs: costText(costs),
    rates: rateTable(costs),
    saturation: saturationText(costs),
  }
}
