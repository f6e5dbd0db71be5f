import type { Config } from '../config/config.ts'
import type { Log } from '../core/log.ts'
import { MemoryStorage } from '../storage/memory/storage.ts'
import { RedisKeys } from '../storage/redis/keys.ts'
import { openRedis } from '../storage/redis/storage.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * The storage that the configuration names: Redis, which need not be there yet, or else memory.
 * @throws TypeError where the URL of Redis is malformed
 */
export function openStorage(
  config: Pick<Config, 'redis' | 'redis_key_prefix' | 'redis_wait_replicas' | 'tokens_at_rest'>,
  log: Log,
): Storage {
  if (config.redis === undefined) return new MemoryStorage()
  const keys = new RedisKeys(config.redis_key_prefix, config.tokens_at_rest)
  return openRedis(config.redis, keys, log, config.redis_wait_replicas)
}
