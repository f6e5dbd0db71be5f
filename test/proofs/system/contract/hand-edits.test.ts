// Edits with redis-cli take effect at once, and a malformed record never makes a token valid.

import t, { type Test } from 'tap'
import { newFamilyId } from '../../../../src/core/token-string.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { redeemCode } from '../../../../src/tokens/token-families.ts'
import {
  grantKeysOf,
  keyOf,
  liveOf,
  MISSING,
  refreshing,
  sameState,
  signIn,
  spentBy,
  stateOf,
  staying,
} from '../../../support/contract/family.ts'
import { onRedis as openRedis } from '../../../support/contract/on-redis.ts'
import {
  CODE,
  issueCode,
  type RedisSide,
  readToken,
  type Subject,
} from '../../../support/contract/subject.ts'
import { useRefreshToken } from '../../../support/contract/use-refresh-token.ts'
import { saveRevokedToken } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'

const PAST = '2001-09-09T01:46:40.000Z'
// An instant in the past, in a spelling that sorts after the present.
const offset = () => new Date(Date.now() + 4 * 3_600_000).toISOString().replace('Z', '+05:00')

/** Fields to set; undefined removes the field. */
type Edit = Readonly<Record<string, string | undefined>>

const ENDED: Edit[] = [{ revoked: 'true' }, { expires_at: PAST }]
const MALFORMED: Edit[] = [
  { type: 'access_token' },
  { type: undefined },
  { type: '' },
  { type: 'Refresh_Token' },
  { client_id: undefined },
  { client_id: '' },
  { subject: undefined },
  { subject: 'bob' },
  { revoked: undefined },
  { revoked: '' },
  { revoked: 'FALSE' },
  { revoked: 'no' },
  { expires_at: undefined },
  { expires_at: '' },
  { expires_at: 'never' },
  { expires_at: 'Sun, 09 Sep 2001 01:46:40 GMT' },
  { expires_at: 'zzzz' },
  { expires_at: offset() },
]
const MALFORMED_SPENT: Edit[] = [
  { spent_at: '' },
  { spent_at: 'today' },
  { spent_by: undefined },
  { spent_by: '' },
  { answered: undefined },
  { answered: '' },
]
const MALFORMED_GRANT: Edit[] = [
  { status: undefined },
  { status: '' },
  { status: 'Active' },
  { status: 'revoked' },
  { auth_time: undefined },
  { auth_time: '' },
  { auth_time: 'today' },
  { auth_time: '1.5' },
  { auth_time: '9'.repeat(16) },
  { subject: undefined },
  { subject: '' },
  { subject: 'bob' },
  { refresh_until: undefined },
  ...['', 'today', 'nan', 'inf', '1e300', '-5', '1.5', '9'.repeat(16), '0', '1000000000000'].map(
    (refresh_until) => ({ refresh_until }),
  ),
]

interface EditedSubject extends Subject {
  redis: RedisSide
}
type Family = Awaited<ReturnType<typeof signIn>>

const unread = async () => undefined
const UNREAD = { families: { findFamily: unread, findToken: unread } } as unknown as Storage
const REVOKED_JWT = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const

const CALLS: Record<string, (storage: Storage, family: Family) => Promise<unknown>> = {
  redeem: (storage, { code, attempt }) => redeemCode(storage, code, attempt('again')),
  replay: (storage, { code, attempt }) => redeemCode(storage, code, attempt('again')),
  refresh: (storage, { grant, refresh_token }) =>
    useRefreshToken(storage, refresh_token, refreshing(grant, 'one')),
  'refresh without rotation': (storage, { grant, refresh_token }) =>
    useRefreshToken(storage, refresh_token, staying(refreshing(grant, 'one'))),
  revoke: (storage, { refresh_token }) => storage.families.revokeToken(refresh_token, CODE.client_id),
  'revoke the grant': (storage, { grant }) => storage.families.revokeFamily(grant),
  'end the grant': (storage, { grant }) => storage.families.endFamily(grant, 7200),
  'find both': (storage, { refresh_token }) => storage.families.findTokenAndFamily(refresh_token),
  'save a revoked JWT': (storage, { refresh_token }) =>
    saveRevokedToken(storage, refresh_token, REVOKED_JWT, new Date(Date.now() + 60_000)),
  'save the token of a client': (storage, { refresh_token: token }) =>
    storage.families.saveClientToken({ token, client_id: 'app', scope: '' }, 60),
}

const redis = await startRedis(t)
const make = openRedis({ kind: 'single', url: redis.url }, [redis])

function onRedis(name: string, run: (t: Test, subject: EditedSubject) => Promise<void>): void {
  t.test(name, async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) throw new TypeError('this is about Redis')
    await run(t, { storage, redis })
  })
}

onRedis('a refresh token that was revoked or expired with redis-cli is "missing"', async (t, subject) => {
  await refusesEach(t, subject, ENDED, async ({ refresh_token }) => keyOf(subject.redis, refresh_token))
})

onRedis('a refresh token with a malformed record is refused', async (t, subject) => {
  await refusesEach(t, subject, MALFORMED, async ({ refresh_token }) => keyOf(subject.redis, refresh_token))
})

onRedis('a refresh token whose grant record is malformed is refused', async (t, subject) => {
  const { redis } = subject
  await refusesEach(t, subject, MALFORMED_GRANT, async ({ grant }) => grantKeysOf(redis, grant).grant)
})

onRedis('a refresh token whose spending is noted malformed is refused', async (t, subject) => {
  await refusesEach(t, subject, MALFORMED_SPENT, async ({ grant, refresh_token }) => {
    await useRefreshToken(subject.storage, refresh_token, refreshing(grant, 'earlier'))
    return grantKeysOf(subject.redis, grant).grant
  })
})

onRedis('a missing scope counts as empty', async (t, subject) => {
  const { grant, refresh_token } = await signIn(subject.storage)
  await edit(subject.redis, keyOf(subject.redis, refresh_token), { scope: undefined })
  const attempt = refreshing(grant, 'one')
  t.match(await useRefreshToken(subject.storage, refresh_token, attempt), { outcome: 'ok', scope: '' })
  t.strictSame(await liveOf(subject.storage, [attempt.access_token, attempt.successor]), [
    attempt.access_token,
    attempt.successor,
  ])
})

onRedis(
  'a refresh succeeds completely or not at all if the grant record lost its expiry',
  async (t, subject) => {
    const { storage, redis } = subject
    const { grant, refresh_token } = await signIn(storage)
    await redis.cli('PERSIST', grantKeysOf(redis, grant).grant)
    const attempt = refreshing(grant, 'one')
    const { outcome } = await useRefreshToken(storage, refresh_token, attempt)
    const live = await liveOf(storage, [refresh_token, attempt.successor])
    t.strictSame(live, [outcome === 'ok' ? attempt.successor : refresh_token], outcome)
  },
)

onRedis(
  'a removed grant record ends the family; a removed index is created again',
  async (t, { storage, redis }) => {
    const gone = await signIn(storage)
    await redis.cli('DEL', grantKeysOf(redis, gone.grant).grant)
    const { token, family } = await storage.families.findTokenAndFamily(gone.access_token)
    t.match({ token, family }, { token: { revoked: 'true' }, family: undefined }, 'its access token, too')
    t.strictSame(await useRefreshToken(storage, gone.refresh_token, refreshing(gone.grant, 'one')), MISSING)
    t.equal(await storage.families.revokeToken(gone.refresh_token, CODE.client_id), 'ok')
    t.strictSame(await liveOf(storage, [gone.refresh_token, gone.access_token]), [])
    t.equal(await storage.families.findFamily(gone.grant), undefined, 'a revocation creates no grant record')

    const { grant, refresh_token } = await signIn(storage)
    await redis.cli('DEL', grantKeysOf(redis, grant).index)
    const first = refreshing(grant, 'one')
    t.strictSame(await useRefreshToken(storage, refresh_token, first), spentBy(first))
    t.equal(await redis.cli('PTTL', grantKeysOf(redis, grant).index).then((left) => Number(left) > 0), true)
    t.equal(await storage.families.revokeToken(first.successor), 'ok')
    t.strictSame(await liveOf(storage, [first.successor, first.access_token]), [])
  },
)

onRedis('a key of a wrong Redis type fails the call without any change', async (t, subject) => {
  const { storage, redis } = subject
  for (const broken of ['code', 'token', 'grant', 'index'] as const) {
    for (const [name, call] of Object.entries(CALLS)) {
      const family = await signIn(storage)
      const { grant, code, refresh_token } = family
      const { grant: grantKey, index } = grantKeysOf(redis, grant)
      const codeKey = `${redis.prefix}code:{${grant}}.${code.slice(17)}`
      const key = { code: codeKey, token: keyOf(redis, refresh_token), grant: grantKey, index }[broken]
      if (name === 'redeem') await redis.cli('HSET', codeKey, 'status', 'active')
      await redis.cli('SET', key, 'not ours', 'PX', '60000')
      // The storage cannot read all of these records; their keys are compared instead.
      const state = () => stateOf({ redis, storage: UNREAD }, family, refresh_token, family.access_token)
      const before = await state()
      const failed = await call(storage, family).then(
        (answer) => answer,
        (error: unknown) => error,
      )
      if (!(failed instanceof Error)) continue
      t.notOk(failed instanceof StorageUnavailable, `${name}, ${broken}: not an outage`)
      t.match(failed.message, /WRONGTYPE/)
      t.notMatch(failed.message, refresh_token.slice(17), 'the message shows no token')
      sameState(t, await state(), before, `${name}, ${broken}: nothing changed`)
    }
  }
  const { grant, refresh_token } = await signIn(storage)
  const first = refreshing(grant, 'one')
  t.strictSame(
    await useRefreshToken(storage, refresh_token, first),
    spentBy(first),
    'other families are not affected',
  )
})

onRedis(
  'with an index of a wrong Redis type, ending the family changes nothing',
  async (t, { storage, redis }) => {
    const grant = newFamilyId()
    await redis.cli('SET', grantKeysOf(redis, grant).index, 'not ours', 'PX', '60000')
    await t.rejects(storage.families.endFamily(grant, 60), { message: /WRONGTYPE/ })
    t.equal(await storage.families.findFamily(grant), undefined)
  },
)

onRedis('a code with an empty code_challenge cannot be redeemed', async (t, { storage, redis }) => {
  const { grant, code, attempt } = await issueCode(storage)
  await edit(redis, `${redis.prefix}code:{${grant}}.${code.slice(17)}`, { code_challenge: '' })
  const { code_challenge: _, ...unproven } = attempt('one')
  for (const redemption of [unproven, attempt('two')]) {
    t.strictSame(await redeemCode(storage, code, redemption), {
      outcome: 'mismatch',
      field: 'code_challenge',
    })
  }
})

onRedis(
  'a token key of a wrong Redis type does not keep the rest of its family from being revoked',
  async (t, { storage, redis }) => {
    const { grant, refresh_token, access_token } = await signIn(storage)
    const first = refreshing(grant, 'one')
    await useRefreshToken(storage, refresh_token, first)
    await redis.cli('SET', keyOf(redis, access_token), 'not ours', 'PX', '60000')
    t.equal(await storage.families.revokeToken(first.successor), 'ok')
    t.strictSame(await liveOf(storage, [refresh_token, first.successor, first.access_token]), [])
    t.equal(await redis.cli('GET', keyOf(redis, access_token)), 'not ours')
  },
)

onRedis('revoking one token with redis-cli does not affect the others', async (t, { storage, redis }) => {
  const { grant, refresh_token, access_token } = await signIn(storage)
  await edit(redis, keyOf(redis, access_token), { revoked: 'true' })
  t.match(await readToken(storage, access_token), { revoked: true })
  const first = refreshing(grant, 'one')
  t.strictSame(await useRefreshToken(storage, refresh_token, first), spentBy(first))
  t.match(await readToken(storage, access_token), { revoked: true })
})

async function edit({ cli }: RedisSide, key: string, fields: Edit): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    await (value === undefined ? cli('HDEL', key, field) : cli('HSET', key, field, value))
  }
}

/** Asserts that no edit lets a refresh succeed, with rotation or without, and that nothing is partly done. */
async function refusesEach(
  t: Test,
  subject: EditedSubject,
  edits: readonly Edit[],
  prepare: (family: Family) => Promise<string>,
): Promise<void> {
  const { storage, redis } = subject
  for (const fields of edits) {
    const family = await signIn(storage)
    const { grant, refresh_token, access_token } = family
    await edit(redis, await prepare(family), fields)
    const attempt = refreshing(grant, 'one')
    const tokens = [refresh_token, access_token, attempt.access_token, attempt.successor]
    const before = await stateOf(subject, family, ...tokens)
    const name = Object.entries(fields)
      .map(([field, value]) => `${field} ${JSON.stringify(value) ?? 'removed'}`)
      .join(', ')
    const outcomes = []
    for (const refresh of [attempt, staying(attempt)]) {
      const { outcome } = await useRefreshToken(storage, refresh_token, refresh).catch(() => ({
        outcome: 'failed',
      }))
      outcomes.push(outcome)
    }
    t.notOk(outcomes.includes('ok'), `${name}: ${outcomes.join(', ')}`)
    sameState(t, await stateOf(subject, family, ...tokens), before, `${name}: nothing changed`)
  }
}
