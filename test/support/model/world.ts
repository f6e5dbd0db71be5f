// The storage under test with its clock, and everything visible in it.
import { Redis } from 'ioredis'
import type { Hash } from '../../../src/core/record-hash.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { SILENT } from '../contract/redis-subject.ts'
import { PREFIX } from '../storage/redis/support.ts'

const KEYS = new RedisKeys(PREFIX)

export interface World {
  storage: Storage
  /** Milliseconds since 1970 by the storage's clock. */
  now(): number
  /** Advances the clock by milliseconds. */
  pass(ms: number): Promise<void>
  /** The records of these tokens and grants; on Redis also every key of a family. */
  see(tokens: readonly string[], grants: readonly string[]): Promise<Seen>
  /** The tolerance of instants in milliseconds, because a real clock advances. */
  tolerance: number
}

interface Seen {
  tokens: (Hash | undefined)[]
  grants: (Hash | undefined)[]
  keys?: Map<string, Key>
}

export interface Key {
  /** Milliseconds; -1: no expiry. */
  left: number
  /** For an index: the expiry of its members, in milliseconds since 1970. */
  members?: Map<string, number>
  /** For any other key. */
  hash?: Hash
}

export async function inMemory(): Promise<World> {
  let now = Date.UTC(2026, 0, 1)
  const storage = new MemoryStorage({ now: () => now })
  return {
    storage,
    now: () => now,
    async pass(ms) {
      now += ms
    },
    see: async (tokens, grants) => ({
      tokens: await Promise.all(tokens.map((token) => storage.families.findToken(token))),
      grants: await Promise.all(grants.map((grant) => storage.families.findFamily(grant))),
    }),
    tolerance: 0,
  }
}

const LIST = `
  local found = {}
  for i, key in ipairs(redis.call('KEYS', ARGV[1])) do
    local is_index = redis.call('TYPE', key).ok == 'zset'
    local content = is_index and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') or redis.call('HGETALL', key)
    found[i] = { key, redis.call('PTTL', key), is_index and 1 or 0, content }
  end
  return found`

// Shifts every instant in a key and every TTL; expires_at is a string and comes as an argument.
const SHIFT = `
  local key, ms, expires_at = KEYS[1], tonumber(ARGV[1]), ARGV[2]
  local left = redis.call('PTTL', key)
  if redis.call('TYPE', key).ok == 'zset' then
    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      redis.call('ZINCRBY', key, -ms, member)
    end
  else
    for _, field in ipairs({ 'spent_at', 'spent_until', 'refresh_until', 'redeemable_until', 'acting_until', 'polled_at' }) do
      local instant = redis.call('HGET', key, field)
      if instant then
        redis.call('HSET', key, field, string.format('%.0f', tonumber(instant) - ms))
      end
    end
    if expires_at then
      redis.call('HSET', key, 'expires_at', expires_at)
    end
  end
  if left >= 0 then
    redis.call('PEXPIRE', key, left - ms)
  end`

/** A storage on a Redis of its own, in which every key and record can be made older. */
export async function onRedis(url: string) {
  const redis = new Redis(url)
  const storage = openRedis({ kind: 'single', url }, KEYS, SILENT)
  const keys = async () => {
    const found = (await redis.eval(LIST, 0, `${PREFIX}*{*`)) as [string, number, number, string[]][]
    return new Map(
      found.map(([key, left, isIndex, content]): [string, Key] => [
        key,
        isIndex ? { left, members: toScores(content) } : { left, hash: toHash(content) },
      ]),
    )
  }
  const world: World = {
    storage,
    now: Date.now,
    async pass(ms) {
      const commands = redis.pipeline()
      for (const [key, { hash }] of await keys()) {
        const { expires_at } = hash ?? {}
        const moved = expires_at === undefined ? [] : [new Date(Date.parse(expires_at) - ms).toISOString()]
        commands.eval(SHIFT, 1, key, ms, ...moved)
      }
      for (const [error] of (await commands.exec()) ?? []) if (error) throw error
    },
    async see(tokens, grants) {
      // A token of an ended family is marked as revoked when it is looked for.
      await Promise.all(tokens.map((token) => storage.families.findToken(token)))
      const found = await keys()
      return {
        tokens: tokens.map((token) => found.get(KEYS.token(token))?.hash),
        grants: grants.map((grant) => found.get(KEYS.family(grant))?.hash),
        keys: found,
      }
    },
    tolerance: 10_000,
  }
  return {
    /** An empty storage. */
    async make() {
      await redis.flushall()
      return world
    },
    async end() {
      await Promise.all([storage.close(), redis.quit()])
    },
  }
}

function toHash(content: readonly string[]): Hash {
  return Object.fromEntries(inPairs(content))
}

function toScores(content: readonly string[]): Map<string, number> {
  return new Map(inPairs(content).map(([member, score]) => [member, Number(score)]))
}

function inPairs(content: readonly string[]): [string, string][] {
  return content.flatMap((name, i) => (i % 2 === 0 ? [[name, content[i + 1] ?? '']] : []))
}
