import type { Redis } from 'ioredis'

/** How many commands a Redis has run, those inside its scripts included; without pings and this question. */
export async function callsIn(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats')
  const calls = [...stats.matchAll(/^cmdstat_(?!info|ping)[^:]+:calls=(\d+),/gm)]
  return calls.reduce((sum, [, count]) => sum + Number(count), 0)
}
