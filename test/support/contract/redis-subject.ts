// Access to the keys in Redis and their times to live.
import type { Log } from '../../../src/core/log.ts'
import type { RedisSide } from './subject.ts'

export const SILENT: Log = { info() {}, warn() {}, error() {} }

/** The keys below the prefix, without the prefix. */
export async function keysOf({ prefix, all }: RedisSide): Promise<string[]> {
  const pattern = `${prefix.replace('*', '\\*')}*`
  const found = await all('--scan', '--pattern', pattern)
  return found
    .flatMap((lines) => lines.split('\n'))
    .filter((key) => key !== '')
    .map((key) => key.slice(prefix.length))
    .sort()
}

// The oldest supported Redis has no PEXPIRETIME. TIME and PTTL may differ if the server had to wait between them.
const EXPIRY = `
  local at = redis.pcall('PEXPIRETIME', KEYS[1])
  if type(at) == 'number' then return at end
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then return left end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + left`

/** When a key expires, in milliseconds since 1970; -1: no expiry, -2: no such key. */
export async function expiryOf({ prefix, cli }: RedisSide, key: string): Promise<number> {
  return Number(await cli('EVAL', EXPIRY, '1', `${prefix}${key}`))
}
