import { type Config, readConfig } from '../config/config.ts'
import { redisUrlProblem } from '../config/redis-location.ts'
import type { Log } from '../core/log.ts'
import { MemoryStorage } from '../storage/memory/storage.ts'
import { RedisKeys } from '../storage/redis/keys.ts'
import { openRedis } from '../storage/redis/storage.ts'
import type { Storage } from '../storage/storage.ts'

/** The location of storage and how it is used. Omitted options have the defaults of the environment variables. */
export type StorageOptions = Partial<
  Pick<Config, 'redis' | 'redis_key_prefix' | 'redis_wait_replicas' | 'tokens_at_rest'>
>

/**
 * Opens storage: in Redis, which need not answer yet, or in memory if `redis` is absent.
 * @throws TypeError if the URL of Redis is not one that REDIS_URL may have
 */
export function openStorage(options: StorageOptions, log: Log): Storage {
  const { redis, redis_key_prefix, redis_wait_replicas, tokens_at_rest } = { ...readConfig({}), ...options }
  if (redis === undefined) return new MemoryStorage()
  const problem = redis.kind === 'single' ? redisUrlProblem(redis.url) : undefined
  if (problem !== undefined) throw new TypeError(`the URL of Redis ${problem}`)
  return openRedis(redis, new RedisKeys(redis_key_prefix, tokens_at_rest), log, redis_wait_replicas)
}
