// A refresh whose reply was lost is either confirmed or withdrawn completely.

import t from 'tap'
import { newFamilyId, newToken } from '../../../../../../src/core/token-string.ts'
import { StorageUnavailable } from '../../../../../../src/storage/errors.ts'
import type { Storage } from '../../../../../../src/storage/storage.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import {
  keyOf,
  liveOf,
  REUSED,
  refreshing,
  sameState,
  signIn,
  spentBy,
  stateOf,
  staying,
} from '../../../../../support/contract/family.ts'
import { CODE } from '../../../../../support/contract/subject.ts'
import { type RefreshAttempt, useRefreshToken } from '../../../../../support/contract/use-refresh-token.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { HELD, secretsOf, twoReplicas } from '../../../../../support/storage/redis/parts/withdraw-support.ts'
import { openAt, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

const server = await startRedis(t)
type Replicas = Awaited<ReturnType<typeof twoReplicas>>

/** A refresh token, the first attempt to use it, and a reader of the complete state of its family. */
async function prepare({ other, redis }: Replicas, overrides: Partial<RefreshAttempt> = {}) {
  const family = await signIn(other)
  const { grant, code, refresh_token, access_token } = family
  const [first, second] = ['first', 'second'].map((name) => ({ ...refreshing(grant, name), ...overrides }))
  if (first === undefined || second === undefined) throw new TypeError()
  const tokens = [refresh_token, access_token, first.successor, first.access_token]
  tokens.push(second.successor, second.access_token)
  const state = () => stateOf({ storage: other, redis }, { grant, code }, ...tokens)
  const refresh = (attempt: RefreshAttempt) => (storage: Storage) =>
    useRefreshToken(storage, refresh_token, attempt)
  return {
    ...family,
    first,
    second,
    tokens,
    state,
    refresh,
    secrets: secretsOf(...tokens),
    operation: 'first',
  }
}
type Prepared = Awaited<ReturnType<typeof prepare>>

t.test('a refresh whose reply was lost once is sent again and confirmed', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, mark, operations } = subject
  for (const retry_window of [0, 30]) {
    const { grant, first, state, refresh, tokens, access_token } = await prepare(subject, { retry_window })
    const before = operations()
    proxy.treat(['lose'])
    t.strictSame(await refresh(first)(storage), spentBy(first), `window ${retry_window}`)
    t.equal(operations() - before, 2, 'sent twice')
    t.strictSame(await liveOf(storage, tokens), [access_token, first.successor, first.access_token])
    t.equal(await mark(grant, 'first'), -2, 'not withdrawn')
    const told = await state()
    t.strictSame(await refresh(first)(storage), spentBy(first))
    sameState(t, await state(), told, 'another repetition changes nothing')
  }
})

t.test('an unknown refresh token leaves no key, however often its reply was lost', async (t) => {
  const { proxy, storage, redis } = await twoReplicas(t, server)
  for (const lost of [['lose'], ['lose', 'lose']] as const) {
    const grant = newFamilyId()
    proxy.treat(lost)
    await useRefreshToken(storage, newToken(grant), refreshing(grant, 'first')).catch(() => {})
    await writable(storage)
    t.equal((await redis.cli('KEYS', `*${grant}*`)).trim(), '', `${lost.length} times`)
  }
})

t.test(
  'a refresh whose reply was lost twice is withdrawn: the refresh token can be used again',
  async (t) => {
    const subject = await twoReplicas(t, server)
    const { storage, other, mark, unheard } = subject
    const bound = { confirmation: { jkt: 'key', 'x5t#S256': 'certificate' }, binds_refresh_token: true }
    for (const overrides of [{ retry_window: 0 }, {}, { idle_ttl: 1800 }, bound]) {
      const prepared = await prepare(subject, overrides)
      const { grant, first, second, state, refresh, tokens, access_token } = prepared
      const before = await state()
      await unheard(prepared, refresh(first), async () => {
        t.strictSame(
          await liveOf(other, tokens),
          [access_token, first.successor, first.access_token],
          'Redis ran the refresh',
        )
      })
      sameState(t, await state(), before, 'in use, with its expiry and its entry in the index')
      const left = await mark(grant, 'first')
      t.ok(left > 0 && left <= 600_000, 'the withdrawal mark expires')
      await t.rejects(
        refresh(first)(other),
        StorageUnavailable,
        'a repetition of the withdrawn attempt fails',
      )
      sameState(t, await state(), before, 'the repetition changes nothing')
      t.strictSame(await refresh(second)(storage), spentBy(second), 'a new attempt succeeds')
      t.strictSame(await liveOf(other, tokens), [access_token, second.successor, second.access_token])
      const done = await state()
      await t.rejects(refresh(first)(other), StorageUnavailable)
      sameState(t, await state(), done, 'the withdrawn attempt does not count as reuse')
    }
  },
)

t.test('an operation that reaches Redis after its withdrawal changes nothing', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other, withdrawn } = subject
  for (const when of [
    'before the next attempt',
    'after the next attempt',
    'after an attempt by another replica',
  ]) {
    const prepared = await prepare(subject, { retry_window: 0 })
    const { grant, first, second, state, refresh, tokens, access_token, secrets } = prepared
    const before = await state()
    proxy.treat(HELD)
    await unavailable(t, { refresh: () => refresh(first)(storage) }, secrets)
    await withdrawn(grant, 'first')
    sameState(t, await state(), before, 'the operation did not run')
    const late = async () => {
      const before = await state()
      await proxy.deliver()
      sameState(t, await state(), before, `no effect ${when}`)
    }
    if (when === 'before the next attempt') await late()
    t.strictSame(await refresh(second)(when.includes('replica') ? other : storage), spentBy(second))
    if (when !== 'before the next attempt') await late()
    t.strictSame(await liveOf(other, tokens), [access_token, second.successor, second.access_token])
  }
})

t.test('a first copy that arrives after its repetition and the next refresh ends no family', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other } = subject
  for (const is_retry of [false, true]) {
    const { grant, first, second, state, refresh } = await prepare(subject)
    if (is_retry) t.strictSame(await refresh(second)(other), spentBy(second))
    const winner = is_retry ? second : first
    proxy.treat(['hold'])
    t.strictSame(await refresh(first)(storage), spentBy(winner), 'the repetition got the answer')
    const next = refreshing(grant, 'next')
    t.strictSame(await useRefreshToken(other, winner.successor, next), spentBy(next))
    const before = await state()
    await proxy.deliver()
    sameState(t, await state(), before, 'the late copy did nothing')
    t.match(await other.families.findFamily(grant), { status: 'active' })
  }
})

t.test('a repetition that finds a superseded token concludes nothing; a new attempt is reuse', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other } = subject
  const { grant, first, second, refresh, secrets } = await prepare(subject)
  t.strictSame(await refresh(second)(other), spentBy(second))
  await useRefreshToken(other, second.successor, refreshing(grant, 'next'))
  proxy.treat(['drop'])
  await unavailable(t, { refresh: () => refresh(first)(storage) }, secrets)
  t.match(await other.families.findFamily(grant), { status: 'active' })
  t.strictSame(await refresh(refreshing(grant, 'thief'))(storage), REUSED)
})

/** What another replica does before the first attempt is withdrawn. The withdrawal undoes none of it. */
const CONCURRENT_ACTS: Record<
  string,
  {
    retry_window?: number
    act(t: Tap, other: Storage, prepared: Prepared, subject: Replicas): Promise<unknown>
  }
> = {
  'a retry that got the successor': {
    act: async (t, other, { first, second, refresh }) =>
      t.strictSame(await refresh(second)(other), spentBy(first)),
  },
  'a use of the successor': {
    act: async (t, other, { first, second, grant, refresh }) => {
      t.strictSame(await refresh(second)(other), spentBy(first))
      t.match(await useRefreshToken(other, first.successor, refreshing(grant, 'third')), { outcome: 'ok' })
    },
  },
  'a reuse without a retry window': {
    retry_window: 0,
    act: async (t, other, { second, refresh }) => t.strictSame(await refresh(second)(other), REUSED),
  },
  'a revocation of the family': {
    act: async (t, other, { grant }) => t.equal(await other.families.revokeFamily(grant), 'ok'),
  },
  'a revocation of the spent token': {
    act: async (t, other, { refresh_token }) =>
      t.equal(await other.families.revokeToken(refresh_token), 'ok'),
  },
  'a replay of the code': {
    act: async (t, other, { code, attempt }) =>
      t.strictSame(await redeemCode(other, code, attempt('replay')), { outcome: 'replayed' }),
  },
  'a revocation of the successor with redis-cli': {
    act: async (t, _, { first }, { redis }) =>
      t.equal(await redis.cli('HSET', keyOf(redis, first.successor), 'revoked', 'true'), '0'),
  },
  'a revocation of the grant with redis-cli': {
    act: async (t, _, { grant }, { redis }) =>
      t.equal(await redis.cli('HSET', `${redis.prefix}grant:{${grant}}`, 'status', 'revoked'), '0'),
  },
}
type Tap = typeof t

for (const [what, { retry_window = 30, act }] of Object.entries(CONCURRENT_ACTS)) {
  t.test(`a withdrawal does not undo ${what}`, async (t) => {
    const subject = await twoReplicas(t, server)
    const prepared = await prepare(subject, { retry_window })
    let changed: Awaited<ReturnType<Prepared['state']>> | undefined
    await subject.unheard(prepared, prepared.refresh(prepared.first), async (other) => {
      await act(t as Tap, other, prepared, subject)
      changed = await prepared.state()
    })
    if (changed) sameState(t, await prepared.state(), changed, 'the withdrawal changes nothing')
  })
}

t.test('a withdrawal does not undo the refresh by another replica', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other, withdrawn } = subject
  const { grant, first, second, state, refresh, secrets } = await prepare(subject, { retry_window: 0 })
  proxy.treat([], 'drop')
  await unavailable(t, { refresh: () => refresh(first)(storage) }, secrets)
  t.strictSame(await refresh(second)(other), spentBy(second))
  const before = await state()
  proxy.treat([])
  await withdrawn(grant, 'first')
  sameState(t, await state(), before, 'only the first attempt is withdrawn')
})

t.test('a withdrawal does not affect a refresh token that is not rotated', async (t) => {
  const subject = await twoReplicas(t, server)
  const { storage, other, unheard } = subject
  const prepared = await prepare(subject)
  const { first, second, refresh, refresh_token } = prepared
  const before = await other.families.findToken(refresh_token)
  await unheard(prepared, refresh(staying(first)))
  t.strictSame(await other.families.findToken(refresh_token), before)
  const { subject: sub, scope, auth_time } = CODE
  t.strictSame(await refresh(staying(second))(storage), {
    outcome: 'ok',
    sign_in: { subject: sub, auth_time },
    scope,
  })
})

t.test('a withdrawal does not restore a token that expired before it', async (t) => {
  const subject = await twoReplicas(t, server)
  const { storage, other, unheard } = subject
  const prepared = await prepare(subject)
  const { grant, first, refresh_token, tokens } = prepared
  const brief = { ...refreshing(grant, 'brief'), idle_ttl: 1 }
  await useRefreshToken(other, refresh_token, brief)
  const use = (attempt: RefreshAttempt) => (storage: Storage) =>
    useRefreshToken(storage, brief.successor, attempt)
  const instant = Date.parse((await other.families.findToken(brief.successor))?.expires_at ?? '')
  await unheard(prepared, use(first), () => until('the token has expired', () => Date.now() > instant + 50))
  t.match(await use(refreshing(grant, 'late'))(storage), { outcome: 'missing' })
  t.strictSame(await liveOf(other, [brief.successor, first.successor, first.access_token]), [])
  t.ok((await liveOf(other, tokens)).length > 0, 'the family is active')
})

t.test('operations sent after a failed one wait until it is withdrawn', async (t) => {
  const subject = await twoReplicas(t, server)
  const { storage, operations, unheard } = subject
  const prepared = await prepare(subject, { retry_window: 0 })
  const { first, second, refresh, secrets } = prepared
  await unheard(prepared, refresh(first), async () => {
    const before = operations()
    await unavailable(t, { refresh: () => refresh(second)(storage) }, secrets)
    t.equal(operations(), before, 'the next attempt was not sent')
  })
  t.strictSame(await refresh(second)(storage), spentBy(second), 'not a reuse')
})

t.test('a Redis server that was suspended and resumed', async (t) => {
  const hanging = await startRedis(t)
  const { storage } = openAt(t, hanging.url)
  await writable(storage)
  for (const retry_window of [0, 0, 30]) {
    const { grant, refresh_token, access_token } = await signIn(storage)
    const attempts = ['first', 'second'].map((name) => ({ ...refreshing(grant, name), retry_window }))
    const [first = refreshing(grant, 'a'), second = refreshing(grant, 'b')] = attempts
    process.kill(hanging.pid, 'SIGSTOP')
    const secrets = secretsOf(refresh_token, first.successor, first.access_token)
    await unavailable(t, { refresh: () => useRefreshToken(storage, refresh_token, first) }, secrets)
    process.kill(hanging.pid, 'SIGCONT')
    await writable(storage)
    t.strictSame(await useRefreshToken(storage, refresh_token, second), spentBy(second))
    const tokens = [refresh_token, access_token, first.successor, first.access_token]
    tokens.push(second.successor, second.access_token)
    t.strictSame(await liveOf(storage, tokens), [access_token, second.successor, second.access_token])
  }
})
