import type { Test } from 'tap'
import { newToken } from '../../../src/core/token-string.ts'
import { CODE_KIND } from '../../../src/storage/families.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { CodeRedemption } from '../../../src/tokens/token-families.ts'
// The tokens of one sign-in, attempts to refresh them, and their complete state to compare.
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { CODE, issueCode, newRefreshToken, type RedisSide, readFamily, type Subject } from './subject.ts'
import { answeredBy, type RefreshAttempt, useRefreshToken } from './use-refresh-token.ts'

export const OTHER = { outcome: 'mismatch' } as const
export const MISSING = { outcome: 'missing' } as const
export const REUSED = { outcome: 'reused' } as const
/** Operations enough for many concurrent attempts. */
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

/** A valid refresh, with rotation and new tokens. */
export function refreshing(grant: string, operation: string) {
  return {
    client_id: CODE.client_id,
    allowed_scopes: CODE.scope,
    operation,
    access_token: newToken(grant),
    access_token_ttl: 900,
    successor: newRefreshToken(grant),
    retry_window: 30,
  } satisfies RefreshAttempt
}

/** The same attempt without rotation: the refresh token stays in use. */
export function staying<R extends RefreshAttempt>({ successor: _, ...refresh }: R) {
  return refresh
}

/** Adds an access token to a family, by a refresh that keeps the refresh token. Returns the access token. */
export async function addAccessToken(storage: Storage, refresh_token: string, access_token_ttl = 900) {
  const attempt = staying(refreshing(refresh_token.slice(0, 16), 'add an access token'))
  const { outcome } = await useRefreshToken(storage, refresh_token, { ...attempt, access_token_ttl })
  if (outcome !== 'ok') throw new Error(`the refresh token is ${outcome}`)
  return attempt.access_token
}

/** The answer to the attempt that spent the token, and to every retry within the retry window. */
export function spentBy({ operation }: { operation: string }) {
  return {
    outcome: 'ok',
    sign_in: { subject: CODE.subject, auth_time: CODE.auth_time },
    scope: CODE.scope,
    spent: { operation, answered: answeredBy(operation) },
  } as const
}

/** Moves the time at which a token was spent into the past. */
export async function age({ storage, redis, advance }: Subject, token: string, seconds: number) {
  advance?.(seconds)
  if (redis === undefined) return
  const grant = token.slice(0, 16)
  const spent_at = Number((await storage.families.findFamily(grant))?.spent_at)
  if (Number.isNaN(spent_at)) throw new TypeError('the token is not spent')
  await redis.cli('HSET', grantKeysOf(redis, grant).grant, 'spent_at', String(spent_at - seconds * 1000))
}

/** The key of a token record, with the prefix. */
export const keyOf = ({ prefix }: RedisSide, token: string) => new RedisKeys(prefix).token(token)
/** The keys of a grant record and its index, with the prefix. */
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

/** The content and expiry (-1: none) of these keys of one slot; missing keys are left out. */
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

/** All that can be seen of a family; on Redis, the content and expiry of every key. */
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

// Redis reads its clock once per command, and rounds the remaining time.
const TOLERANCE_MS = 500

/** Asserts that nothing changed: no record, no key, no expiry. */
export function sameState(t: Test, after: State, before: State, message: string): void {
  const keys = [...after.keys].map(([name, { value, expires }]) => {
    const was = before.keys.get(name)?.expires ?? Number.NaN
    return [name, { value, expires: Math.abs(expires - was) <= TOLERANCE_MS ? was : expires }]
  })
  t.strictSame({ ...after, keys }, { ...before, keys: [...before.keys] }, message)
}

/** Which of these tokens exist and are not revoked. */
export async function liveOf(storage: Storage, tokens: readonly string[]): Promise<string[]> {
  const found = await Promise.all(tokens.map((token) => storage.families.findToken(token)))
  return tokens.filter((_, index) => found[index]?.revoked === 'false')
}

/** A grant record without the fields that recognise spent codes and refresh tokens. */
export async function factsOf(storage: Storage, grant: string) {
  const record = Object.entries((await storage.families.findFamily(grant)) ?? {})
  const noted = /^(code_digest|refresh_digest|refresh_token|answered|spent_.*)$/
  return Object.fromEntries(record.filter(([field]) => !noted.test(field)))
}

/** The expiry in the record of a token, in milliseconds since 1970. */
export async function endOf(storage: Storage, token: string): Promise<number> {
  return Date.parse((await storage.families.findToken(token))?.expires_at ?? '')
}
