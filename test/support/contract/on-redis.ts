// Opens storages on Redis for the contract. The package contains the contract without this file.
import type { Test } from 'tap'
import type { TokensAtRest } from '../../../src/config/environment.ts'
import type { RedisLocation } from '../../../src/config/redis-location.ts'
import { SILENT } from '../../../src/core/log.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import type { RedisServer } from '../redis-server.ts'
import { until } from '../until.ts'
import type { ContractSubject, Make, RedisSide } from './subject.ts'

/** Opens storages on one Redis, each with its own prefix. */
export function onRedis(
  location: RedisLocation,
  nodes: readonly RedisServer[],
  tokens_at_rest: TokensAtRest = 'plain',
): Make {
  let opened = 0
  return async (t: Test): Promise<ContractSubject> => {
    opened += 1
    const prefix = `test-${opened}*:`
    const storage = openRedis(location, new RedisKeys(prefix, tokens_at_rest), SILENT)
    t.teardown(() => storage.close())
    await until('storage can be written to', () => storage.probe().then(...answers))
    const redis = redisSide(prefix, nodes)
    const index = (family: string) => new RedisKeys(prefix).familyIndex(family)
    return { storage, redis, sizeOf: async (family) => Number(await redis.cli('ZCARD', index(family))) }
  }
}

const answers = [() => true, () => false] as const

function redisSide(prefix: string, nodes: readonly RedisServer[]): RedisSide {
  const [first] = nodes
  if (first === undefined) throw new TypeError('a Redis has a node')
  const follow = nodes.length > 1 ? ['-c'] : []
  return {
    prefix,
    cli: (...command) => first.cli(...follow, ...command),
    all: (...command) => Promise.all(nodes.map((node) => node.cli(...command))),
  }
}
