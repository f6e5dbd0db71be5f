// Replicas of the version before bounded families run on the same Redis during an upgrade. The functions of this file
// write records as that version does.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { age, liveOf, MISSING, REUSED, refreshing, signIn, spentBy } from '../../../system/contract/family.ts'
import { CODE, newRefreshToken } from '../../../system/contract/subject.ts'
import { sealedBy, useRefreshToken } from '../../../system/contract/use-refresh-token.ts'
import { openAt, PREFIX, writable } from './support.ts'

const KEYS = new RedisKeys(PREFIX)
const HOUR = 3_600_000
const { client_id, subject, scope } = CODE

const server = await startRedis(t)
const redis = new Redis(server.url)
t.teardown(() => redis.disconnect())

async function prepare(t: Test) {
  const { storage } = openAt(t, server.url)
  await writable(storage)
  const side = {
    prefix: PREFIX,
    cli: server.cli,
    all: async (...all: string[]) => [await server.cli(...all)],
  }
  return { storage, redis: side }
}

/** A token that shares nothing with others, as the earlier version issued refresh tokens. */
async function oldToken(grant: string): Promise<string> {
  const token = newToken(grant)
  const expires = Date.now() + HOUR
  const expires_at = new Date(expires).toISOString()
  const owner = { type: 'refresh_token', subject, scope, client_id }
  await redis.hset(KEYS.token(token), { jti: token, ...owner, expires_at, revoked: 'false' })
  await redis.pexpireat(KEYS.token(token), expires)
  await redis.zadd(KEYS.familyIndex(grant), expires, KEYS.token(token))
  await redis.pexpireat(KEYS.familyIndex(grant), expires + 900_000)
  return token
}

/** A family as the earlier version made it when it redeemed the code. */
async function oldSignIn() {
  const grant = newFamilyId()
  const refresh_until = Date.now() + HOUR
  const facts = { client_id, subject, scope, auth_time: CODE.auth_time, status: 'active', refresh_until }
  await redis.hset(KEYS.family(grant), facts)
  await redis.pexpireat(KEYS.family(grant), refresh_until + 900_000)
  return { grant, refresh_token: await oldToken(grant) }
}

/** A rotation by the earlier version. Returns the successor. */
async function oldRotation(grant: string, token: string): Promise<string> {
  const key = KEYS.token(token)
  const { successor } = sealedBy('old')
  await redis.hset(key, { revoked: 'true', spent_at: Date.now(), spent_by: 'old', successor })
  await redis.pexpire(key, await redis.pttl(KEYS.family(grant)))
  return oldToken(grant)
}

/** The answer to the retry of a refresh by the earlier version, which sealed no access token. */
const oldAnswer = {
  outcome: 'ok',
  spent: { operation: 'old', sealed: { successor: sealedBy('old').successor } },
}

t.test('a refresh token of the earlier version is used; its successors are recognised later', async (t) => {
  const { storage } = await prepare(t)
  const { grant, refresh_token } = await oldSignIn()
  const successor = () => `${refresh_token.slice(0, 38)}${newToken(grant).slice(38)}`
  const [first, second, third] = ['one', 'two', 'three'].map((operation) => ({
    ...refreshing(grant, operation),
    successor: successor(),
  })) as [Attempt, Attempt, Attempt]
  t.match(await useRefreshToken(storage, refresh_token, first), spentBy(first))
  t.match(await useRefreshToken(storage, refresh_token, refreshing(grant, 'retry')), spentBy(first))
  t.match(await useRefreshToken(storage, first.successor, second), spentBy(second))
  t.match(await useRefreshToken(storage, second.successor, third), spentBy(third))
  t.equal(await storage.families.findToken(refresh_token), undefined)
  t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'thief')), REUSED)
  t.strictSame(await liveOf(storage, [third.successor, third.access_token]), [])
})

t.test(
  'a token that the earlier version spent gets its successor within the window, once unused',
  async (t) => {
    const { storage, redis } = await prepare(t)
    const retried = await oldSignIn()
    const live = await oldRotation(retried.grant, retried.refresh_token)
    const retry = refreshing(retried.grant, 'retry')
    t.match(await useRefreshToken(storage, retried.refresh_token, retry), oldAnswer)
    t.strictSame(await liveOf(storage, [live, retry.access_token]), [live, retry.access_token])
    const next = refreshing(retried.grant, 'next')
    t.match(await useRefreshToken(storage, live, next), spentBy(next))
    t.strictSame(
      await useRefreshToken(storage, retried.refresh_token, refreshing(retried.grant, 'thief')),
      REUSED,
      'its successor was presented',
    )
    t.strictSame(await liveOf(storage, [next.successor, next.access_token, retry.access_token]), [])

    const late = await oldSignIn()
    await oldRotation(late.grant, late.refresh_token)
    await age({ storage, redis }, late.refresh_token, 31)
    t.strictSame(await useRefreshToken(storage, late.refresh_token, refreshing(late.grant, 'late')), REUSED)
  },
)

t.test('a rotation by the earlier version between two of this one keeps every rule', async (t) => {
  const { storage } = await prepare(t)
  for (const thief of ['first', 'old', 'none', 'honest'] as const) {
    const { grant, refresh_token } = await signIn(storage)
    const first = refreshing(grant, 'one')
    t.match(await useRefreshToken(storage, refresh_token, first), spentBy(first))
    const live = await oldRotation(grant, first.successor)
    // The client whose answer was lost asks a replica of this version.
    const retried = await useRefreshToken(storage, first.successor, refreshing(grant, 'retry'))
    t.match(retried, oldAnswer, 'no false alarm')
    if (thief === 'none') {
      const used = await useRefreshToken(storage, refresh_token, refreshing(grant, 'thief'))
      t.strictSame(used, REUSED, 'its successor was presented to the earlier version')
      t.strictSame(await liveOf(storage, [live]), [])
      continue
    }
    const next = { ...refreshing(grant, 'next'), successor: newRefreshTokenLike(live) }
    t.match(await useRefreshToken(storage, live, next), spentBy(next))
    const living = await liveOf(storage, [refresh_token, first.successor, live, next.successor])
    t.strictSame(living, [next.successor], 'one refresh token is in use')
    const stolen = { first: refresh_token, old: first.successor, honest: next.successor }[thief]
    const used = await useRefreshToken(storage, stolen, refreshing(grant, 'thief'))
    if (thief === 'honest') t.match(used, { outcome: 'ok' })
    else t.strictSame(used, REUSED, `the ${thief} one`)
  }
})

t.test('a token that the earlier version spent before this one took part is reuse', async (t) => {
  const { storage } = await prepare(t)
  const { grant, refresh_token } = await oldSignIn()
  const second = await oldRotation(grant, refresh_token)
  await redis.hset(KEYS.token(refresh_token), { spent_at: Date.now() - 1000 })
  const next = { ...refreshing(grant, 'next'), successor: newRefreshTokenLike(second) }
  t.match(await useRefreshToken(storage, second, next), spentBy(next))
  const live = await oldRotation(grant, next.successor)
  t.match(await useRefreshToken(storage, next.successor, refreshing(grant, 'retry')), oldAnswer)
  t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'thief')), REUSED)
  t.strictSame(await liveOf(storage, [live, next.access_token]), [])
})

t.test('an unused refresh token of the earlier version that has expired ends nothing', async (t) => {
  const { storage } = await prepare(t)
  const { grant, refresh_token } = await signIn(storage)
  const live = await oldRotation(grant, refresh_token)
  await redis.del(KEYS.token(live))
  t.strictSame(await useRefreshToken(storage, live, refreshing(grant, 'late')), MISSING)
  t.match(await storage.families.findFamily(grant), { status: 'active' })
})

t.test('what this version writes has what the earlier version reads', async (t) => {
  const { storage } = await prepare(t)
  const { grant, refresh_token } = await signIn(storage)
  const first = refreshing(grant, 'one')
  await useRefreshToken(storage, refresh_token, first)
  const { successor } = sealedBy('one')
  const spent = await redis.hgetall(KEYS.token(refresh_token))
  t.match(spent, {
    type: 'refresh_token',
    revoked: 'true',
    spent_by: 'one',
    successor,
    client_id,
    subject,
    scope,
  })
  t.ok(Math.abs(Number(spent.spent_at) - Date.now()) < 60_000)
  t.match(await redis.hgetall(KEYS.family(grant)), {
    status: 'active',
    client_id,
    subject,
    refresh_until: /^\d+$/,
  })
  const members = await redis.zrange(KEYS.familyIndex(grant), '0', '-1')
  for (const token of [first.successor, first.access_token]) t.ok(members.includes(KEYS.token(token)))
})

type Attempt = ReturnType<typeof refreshing>

function newRefreshTokenLike(token: string): string {
  return token.slice(0, 38) + newRefreshToken(token.slice(0, 16)).slice(38)
}
