// The contract on a Redis, and what only a Redis can show: keys with their times to live.
import type { Test } from 'tap'
import type { RedisLocation } from '../../../src/config/redis-location.ts'
import type { Log } from '../../../src/core/log.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import type { RedisServer } from '../../support/redis-server.ts'
import { until } from '../../support/until.ts'
import type { ContractSubject, Make, RedisSide } from './subject.ts'

export const SILENT: Log = { info() {}, warn() {}, error() {} }

/** Opens storages on one Redis, each under a prefix of its own. */
export function onRedis(location: RedisLocation, nodes: readonly RedisServer[]): Make {
  let opened = 0
  return async (t: Test): Promise<ContractSubject> => {
    opened += 1
    const prefix = `test-${opened}*:`
    const storage = openRedis(location, new RedisKeys(prefix), SILENT)
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

/** The keys under the prefix, without it. */
export async function keysOf({ prefix, all }: RedisSide): Promise<string[]> {
  const pattern = `${prefix.replace('*', '\\*')}*`
  const found = await all('--scan', '--pattern', pattern)
  return found
    .flatMap((lines) => lines.split('\n'))
    .filter((key) => key !== '')
    .map((key) => key.slice(prefix.length))
    .sort()
}

// The oldest Redis that we support has no PEXPIRETIME. TIME and PTTL may differ where the server had to wait between.
const EXPIRY = `
  local at = redis.pcall('PEXPIRETIME', KEYS[1])
  if type(at) == 'number' then return at end
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then return left end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + left`

/** When a key ends, in milliseconds since 1970; -1 where it never does, -2 where it is not there. */
export async function expiryOf({ prefix, cli }: RedisSide, key: string): Promise<number> {
  return Number(await cli('EVAL', EXPIRY, '1', `${prefix}${key}`))
}
