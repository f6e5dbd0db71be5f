import type { Test } from 'tap'
import { newToken } from '../../../src/core/token-string.ts'
import { CODE_KIND } from '../../../src/storage/families.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { CodeRedemption, TokenRefresh } from '../../../src/tokens/token-families.ts'
// The tokens that come of one sign-in, attempts to refresh them, and their whole state to compare.
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { CODE, issueCode, type RedisSide, readFamily, type Subject } from './subject.ts'

export const OTHER = { outcome: 'mismatch' } as const
export const MISSING = { outcome: 'missing' } as const
export const REUSED = { outcome: 'reused' } as const
/** Operations enough for a storm. */
export const FIFTY = Array.from({ length: 50 }, (_, i) => `operation ${i}`)

/** Redeems a code: a family with its first tokens. */
export async function signIn(storage: Storage, overrides: Partial<CodeRedemption> = {}) {
  const { grant, code, attempt } = await issueCode(storage)
  const first = { ...attempt('redeem'), ...overrides }
  const { outcome } = await redeemCode(storage, code, first)
  if (outcome !== 'ok') throw new Error(`the code is ${outcome}`)
  const { access_token, refresh_token } = first
  return { grant, code, access_token, refresh_token, attempt }
}

/** A right attempt to refresh, with rotation and new tokens of its own. */
export function refreshing(grant: string, operation: string) {
  return {
    client_id: CODE.client_id,
    allowed_scopes: CODE.scope,
    operation,
    access_token: newToken(grant),
    access_token_ttl: 900,
    successor: newToken(grant),
    sealed_successor: `sealed by ${operation}`,
    retry_window: 30,
  } satisfies TokenRefresh
}

/** The same attempt without rotation: the refresh token stays in use. */
export function staying<R extends TokenRefresh>({ successor: _, sealed_successor: __, ...refresh }: R) {
  return refresh
}

/** What an attempt is answered that spent the token, and whoever comes after it in the retry window. */
export function spentBy({ operation, sealed_successor }: { operation: string; sealed_successor: string }) {
  return {
    outcome: 'ok',
    sign_in: { subject: CODE.subject, auth_time: CODE.auth_time },
    scope: CODE.scope,
    spent_by: operation,
    sealed_successor,
  } as const
}

/** Lets the moment at which a token was spent lie further back. */
export async function age({ storage, redis, advance }: Subject, token: string, seconds: number) {
  advance?.(seconds)
  if (redis === undefined) return
  const spent_at = Number((await storage.families.findToken(token))?.spent_at)
  if (Number.isNaN(spent_at)) throw new TypeError('the token is not spent')
  await redis.cli('HSET', keyOf(redis, token), 'spent_at', String(spent_at - seconds * 1000))
}

/** The key of a token's record, with the prefix. */
export const keyOf = ({ prefix }: RedisSide, token: string) => new RedisKeys(prefix).token(token)
/** The keys of a grant's record and its index, with the prefix. */
export const grantKeysOf = ({ prefix }: RedisSide, grant: string) => {
  const keys = new RedisKeys(prefix)
  return { grant: keys.family(grant), index: keys.familyIndex(grant) }
}

const DUMP = `
  local time, dump = redis.call('TIME'), {}
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local read = {
    hash = function(key) return redis.call('HGETALL', key) end,
    zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
    string = function(key) return redis.call('GET', key) end,
  }
  for i, key in ipairs(KEYS) do
    local left = redis.call('PTTL', key)
    dump[i] = left ~= -2 and { read[redis.call('TYPE', key).ok](key), left < 0 and left or now + left }
  end
  return cjson.encode(dump)`

/** These keys of one slot, as far as they are there: what each holds, and when it ends (-1: never). */
export async function dumpOf({ prefix, cli }: RedisSide, keys: readonly string[]) {
  const dump = await cli('--raw', 'EVAL', DUMP, String(keys.length), ...keys)
  const found = JSON.parse(dump) as ([value: unknown, expires: number] | false)[]
  return new Map(
    keys.flatMap((key, i) => {
      const [value, expires] = found[i] || []
      return expires === undefined ? [] : [[key.slice(prefix.length), { value, expires }] as const]
    }),
  )
}

/** All that can be seen of a family; with Redis behind it, every key with its content and its end. */
export async function stateOf({ storage, redis }: Subject, { grant, code }: Family, ...tokens: string[]) {
  const keys = redis && new RedisKeys(redis.prefix)
  const names = keys && [keys.record(CODE_KIND, code), keys.family(grant), keys.familyIndex(grant)]
  return {
    records: await readFamily(storage, grant, ...tokens),
    keys:
      keys && names
        ? await dumpOf(redis, [...names, ...tokens.map((token) => keys.token(token))])
        : new Map(),
  }
}

type Family = Pick<Awaited<ReturnType<typeof signIn>>, 'grant' | 'code'>
type State = Awaited<ReturnType<typeof stateOf>>

// Redis looks at its clock once per command, and rounds what is left.
const TOLERANCE_MS = 500

/** Asserts that nothing changed: no record, no key, no time to live. */
export function sameState(t: Test, after: State, before: State, message: string): void {
  const keys = [...after.keys].map(([name, { value, expires }]) => {
    const was = before.keys.get(name)?.expires ?? Number.NaN
    return [name, { value, expires: Math.abs(expires - was) <= TOLERANCE_MS ? was : expires }]
  })
  t.strictSame({ ...after, keys }, { ...before, keys: [...before.keys] }, message)
}

/** Which of these tokens are live: there, and not revoked. */
export async function liveOf(storage: Storage, tokens: readonly string[]): Promise<string[]> {
  const found = await Promise.all(tokens.map((token) => storage.families.findToken(token)))
  return tokens.filter((_, index) => found[index]?.revoked === 'false')
}

/** When a token ends by its own record, in milliseconds since 1970. */
export async function endOf(storage: Storage, token: string): Promise<number> {
  return Date.parse((await storage.families.findToken(token))?.expires_at ?? '')
}
