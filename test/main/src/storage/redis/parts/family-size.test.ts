// A family has the same size after any number of refreshes, and ending it costs Redis the same however large it is.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { RedisKeys } from '../../../../../../src/storage/redis/keys.ts'
import { scriptsOn } from '../../../../../../src/storage/redis/parts/scripts.ts'
import type { Storage } from '../../../../../../src/storage/storage.ts'
import {
  addAccessToken,
  type refreshing as attempt,
  refreshing,
  signIn,
} from '../../../../../support/contract/family.ts'
import { CODE } from '../../../../../support/contract/subject.ts'
import { useRefreshToken } from '../../../../../support/contract/use-refresh-token.ts'
import { callsIn } from '../../../../../support/redis-calls.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { openAt, PREFIX, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

/** More calls than this inside one script would take Redis about a millisecond. */
const MAX_CALLS = 250
const KEYS = new RedisKeys(PREFIX)

const server = await startRedis(t)
const redis = new Redis(server.url)
t.teardown(() => redis.disconnect())

async function prepare(t: Test): Promise<Storage> {
  const { storage } = openAt(t, server.url)
  await writable(storage)
  return storage
}

/** The keys of a family, the members of its index, and the bytes of all of it. */
async function sizeOf(grant: string) {
  const keys = await redis.keys(`${PREFIX}*{${grant}}*`)
  const bytes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)))
  return {
    keys: keys.length,
    members: await redis.zcard(KEYS.familyIndex(grant)),
    bytes: bytes.reduce<number>((sum, each) => sum + Number(each), 0),
  }
}

type Change = (refresh: ReturnType<typeof attempt>) => Parameters<typeof useRefreshToken>[2]

/** Rotates a refresh token, one after the other. Returns the last one. */
async function rotate(storage: Storage, grant: string, token: string, times: number, change: Change) {
  let presented = token
  for (let i = 0; i < times; i++) {
    const next = refreshing(grant, `operation ${i % 10}`)
    const { outcome } = await useRefreshToken(storage, presented, change(next))
    if (outcome !== 'ok') throw new Error(`the refresh is ${outcome}`)
    presented = next.successor
  }
  return presented
}

const asJwt: Change = ({ access_token: _, ...jwt }) => jwt

/** The number of commands that Redis runs for a call, those inside its script included. */
async function callsOf(run: () => Promise<unknown>): Promise<number> {
  const before = await callsIn(redis)
  await run()
  return (await callsIn(redis)) - before
}

type Size = Awaited<ReturnType<typeof sizeOf>>

// The allocator of Redis rounds the size of each key, so some bytes differ; a record would be at least 300 more.
function sameSize(t: Test, after: Size, before: Size, what: string): void {
  const { bytes, ...counts } = before
  t.match(after, counts, `the same keys and members after ${what}`)
  t.ok(after.bytes - bytes <= 200, `${after.bytes - bytes} bytes more after ${what}`)
}

t.test('a rotation leaves nothing behind', async (t) => {
  const storage = await prepare(t)
  const { grant, refresh_token } = await signIn(storage)
  const first = await rotate(storage, grant, refresh_token, 2, asJwt)
  const before = await sizeOf(grant)
  const last = await rotate(storage, grant, first, 300, asJwt)
  sameSize(t, await sizeOf(grant), before, '300 rotations')

  const brief: Change = (refresh) => ({ ...refresh, access_token_ttl: 0.001 })
  const latest = await rotate(storage, grant, last, 300, brief)
  const tokens = () => redis.keys(`${PREFIX}token:{${grant}}*`)
  await until('the access tokens have expired', async () => (await tokens()).length === before.keys - 3)
  await rotate(storage, grant, latest, 1, asJwt)
  sameSize(t, await sizeOf(grant), before, '300 access tokens that have expired')
})

t.test('ending a family costs the same after any number of refreshes and tokens', async (t) => {
  const storage = await prepare(t)
  const run = scriptsOn(redis)
  const counts: Record<string, number[]> = {}
  for (const [rotations, tokens] of [
    [10, 0],
    [300, 0],
    [0, 60],
    [0, 400],
    [300, 990],
  ] as const) {
    const { grant, refresh_token } = await signIn(storage)
    const latest = await rotate(storage, grant, refresh_token, rotations, asJwt)
    const more = await Promise.all(Array.from({ length: tokens }, () => addAccessToken(storage, latest)))
    const keys = [KEYS.family(grant), KEYS.familyIndex(grant)]
    const kind = tokens === 0 ? 'small' : 'large'
    // Not by the storage, which goes on marking at the same time.
    const calls = await callsOf(() => run('revoke-family', keys, { entries: [] }))
    counts[kind] = [...(counts[kind] ?? []), calls]
    t.ok(calls <= MAX_CALLS, `${calls} commands after ${rotations} rotations, with ${tokens} tokens`)

    const last = more.at(-1) ?? latest
    t.match(
      await storage.families.findToken(last),
      { revoked: 'true' },
      'each token reads as revoked at once',
    )
    t.equal(await redis.hget(KEYS.token(last), 'revoked'), 'true', 'and is marked when it is met')
    const refresh = refreshing(grant, 'late')
    t.match(await useRefreshToken(storage, latest, refresh), { outcome: 'missing' })
    let left = '1'
    while (left === '1') {
      const calls = await callsOf(async () => {
        left = await run('mark-revoked', keys, {})
      })
      t.ok(calls <= MAX_CALLS, `${calls} commands for a step of marking`)
    }
    const records = await Promise.all(more.map((token) => redis.hget(KEYS.token(token), 'revoked')))
    t.strictSame(new Set(records), new Set(tokens === 0 ? [] : ['true']), 'redis-cli shows what is true')
    t.equal(await redis.exists(KEYS.familyIndex(grant)), 0)
    const again = await callsOf(() => run('revoke-family', keys, { entries: [] }))
    t.ok(again <= 10, `${again} commands to revoke it again`)
  }
  for (const [kind, same] of Object.entries(counts)) {
    t.equal(new Set(same).size, 1, `${kind}: ${same.join(', ')} commands`)
  }
})

t.test('each way to end a family marks all of its tokens, in the background', async (t) => {
  const storage = await prepare(t)
  type Signed = Awaited<ReturnType<typeof signIn>>
  const ways: Record<string, (family: Signed, earlier: string) => Promise<unknown>> = {
    revokeFamily: ({ grant }) => storage.families.revokeFamily(grant),
    endFamily: ({ grant }) => storage.families.endFamily(grant, 60),
    'revoke a refresh token': (_, earlier) => storage.families.revokeToken(earlier),
    'reuse of a refresh token': ({ grant, refresh_token }) =>
      useRefreshToken(storage, refresh_token, refreshing(grant, 'thief')),
    revokeGrantedBefore: () => storage.families.revokeGrantedBefore(CODE.auth_time + 1),
  }
  for (const [way, end] of Object.entries(ways)) {
    const family = await signIn(storage)
    const { grant, refresh_token } = family
    const latest = await rotate(storage, grant, refresh_token, 2, asJwt)
    const tokens = await Promise.all(Array.from({ length: 200 }, () => addAccessToken(storage, latest)))
    await end(family, latest)
    await until(`${way}: all are marked`, async () => {
      const marks = await Promise.all(tokens.map((token) => redis.hget(KEYS.token(token), 'revoked')))
      return marks.every((mark) => mark === 'true')
    })
    t.match(await storage.families.findFamily(grant), { status: 'revoked' }, way)
  }
})
