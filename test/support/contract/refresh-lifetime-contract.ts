// The contract of lifetimes: a family expires, and until then spent tokens are remembered.

import type { Test } from 'tap'
import { redeemCode, useRefreshToken as use } from '../../../src/tokens/token-families.ts'
import { saveRevokedToken } from '../records.ts'
import {
  dumpOf,
  endOf,
  grantKeysOf,
  liveOf,
  MISSING,
  OTHER,
  REUSED,
  refreshing,
  signIn,
  staying,
} from './family.ts'
import { keysOf } from './redis-subject.ts'
import { type Make, pass, readToken, type Subject } from './subject.ts'
import { asRefresh, useRefreshToken } from './use-refresh-token.ts'

// The server reads its clock once per command.
const TOLERANCE_MS = 500

export async function refreshLifetimeContract(t: Test, make: Make): Promise<void> {
  // The tests mostly wait, so they run in parallel.
  t.jobs = 16
  t.test(
    'no successor outlives the family, however often and late it is refreshed',
    { buffered: true },
    async (t) => {
      const { storage } = await make(t)
      for (const [refresh_token_ttl, access_token_ttl] of [
        [3600, 900],
        [600, 900],
        [3600, 7200],
      ] as const) {
        const { grant, refresh_token } = await signIn(storage, { refresh_token_ttl, access_token_ttl })
        const end = await endOf(storage, refresh_token)
        let presented = refresh_token
        for (const operation of ['one', 'two', 'three']) {
          const attempt = { ...refreshing(grant, operation), access_token_ttl: 1.5 * refresh_token_ttl }
          const result = await use(storage, presented, asRefresh(attempt))
          t.ok(
            result.outcome === 'ok' && Math.abs(result.refresh_until - end) <= TOLERANCE_MS,
            'the expiry of the family',
          )
          presented = attempt.successor
          const later = (await endOf(storage, presented)) - end
          const lifetimes = `of ${refresh_token_ttl} s, with access tokens of ${access_token_ttl} s`
          t.ok(Math.abs(later) <= TOLERANCE_MS, `successor ${operation} ${lifetimes}: ${later} ms later`)
        }
      }
    },
  )

  t.test('the index of a family drops expired access tokens', { buffered: true }, async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage)
    const [rounds, refreshes] = [4, 50]
    for (let round = 0; round < rounds; round += 1) {
      let last = ''
      for (let i = 0; i < refreshes; i += 1) {
        const attempt = { ...staying(refreshing(grant, `${round} ${i}`)), access_token_ttl: 0.2 }
        t.match(await useRefreshToken(storage, refresh_token, attempt), { outcome: 'ok' })
        last = attempt.access_token
      }
      await pass(subject, 0.3, async () => (await storage.families.findToken(last)) === undefined)
    }
    const size = await subject.sizeOf(grant)
    t.ok(size <= 2 * refreshes + 10, `${size} of ${rounds * refreshes} are left`)
  })

  t.test('nothing can be refreshed after the family has expired', { buffered: true }, async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage, { refresh_token_ttl: 2 })
    const first = { ...refreshing(grant, 'one'), access_token_ttl: 60 }
    t.match(await useRefreshToken(storage, refresh_token, first), { outcome: 'ok' })
    const second = { ...staying(refreshing(grant, 'two')), access_token_ttl: 60 }
    t.match(await useRefreshToken(storage, first.successor, second), { outcome: 'ok' })
    const other = await signIn(storage, { refresh_token_ttl: 2 })
    const unanswered = { ...refreshing(other.grant, 'five'), access_token_ttl: 60 }
    t.match(await useRefreshToken(storage, other.refresh_token, unanswered), { outcome: 'ok' })
    const isGone = async (token: string) => (await storage.families.findToken(token)) === undefined
    await pass(
      subject,
      3,
      async () => (await isGone(first.successor)) && (await isGone(unanswered.successor)),
    )
    const retry = { ...refreshing(other.grant, 'six'), retry_window: 60 }
    t.strictSame(
      await useRefreshToken(storage, other.refresh_token, retry),
      MISSING,
      'also in the retry window',
    )
    for (const attempt of [refreshing(grant, 'three'), staying(refreshing(grant, 'four'))]) {
      t.strictSame(await useRefreshToken(storage, first.successor, attempt), MISSING)
      t.equal(await storage.families.findToken(attempt.access_token), undefined)
    }
    t.match(
      await readToken(storage, second.access_token),
      { revoked: false },
      'issued tokens are valid until they expire',
    )
  })

  t.test(
    'spent codes and refresh tokens are remembered until the last token of the family expires',
    { buffered: true },
    async (t) => {
      const lasting = { refresh_token_ttl: 2, access_token_ttl: 3 }
      for (const spent of ['code', 'refresh token'] as const) {
        const subject = await make(t)
        const { storage } = subject
        const { grant, code, refresh_token, access_token, attempt } = await signIn(storage, lasting)
        await pass(subject, 1, await aSecondBefore(subject, refresh_token))
        const first = { ...refreshing(grant, 'one'), access_token_ttl: lasting.access_token_ttl }
        t.match(await useRefreshToken(storage, refresh_token, first), { outcome: 'ok' })
        await pass(subject, 2.1, async () => (await storage.families.findToken(access_token)) === undefined)
        t.match(await readToken(storage, first.access_token), { revoked: false })
        if (spent === 'code')
          t.match(await redeemCode(storage, code, attempt('late')), { outcome: 'replayed' })
        else {
          const late = { ...refreshing(grant, 'late'), retry_window: 0 }
          t.strictSame(await useRefreshToken(storage, refresh_token, late), REUSED)
        }
        t.strictSame(await liveOf(storage, [first.access_token]), [], `the ${spent} was presented again`)
      }
    },
  )

  t.test('a successor has its own idle lifetime; the family continues', { buffered: true }, async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token, access_token } = await signIn(storage)
    const first = { ...refreshing(grant, 'one'), idle_ttl: 600 }
    const since = Date.now()
    await useRefreshToken(storage, refresh_token, first)
    const idle = (await endOf(storage, first.successor)) - since
    t.ok(idle >= 600_000 - TOLERANCE_MS && idle < 605_000, 'ten minutes')
    const second = { ...refreshing(grant, 'two'), idle_ttl: 1 }
    t.match(await useRefreshToken(storage, first.successor, second), { outcome: 'ok' })
    await pass(subject, 2, async () => (await storage.families.findToken(second.successor)) === undefined)
    const late = { ...refreshing(grant, 'late'), retry_window: 0 }
    t.strictSame(await useRefreshToken(storage, second.successor, late), MISSING, 'idle for too long')
    t.match(await storage.families.findFamily(grant), { status: 'active' })
    t.strictSame(await liveOf(storage, [access_token, second.access_token]), [
      access_token,
      second.access_token,
    ])
    t.strictSame(
      await useRefreshToken(storage, first.successor, late),
      REUSED,
      'the spent token is remembered',
    )
    t.strictSame(await liveOf(storage, [access_token, second.access_token]), [])
  })

  t.test(
    'the idle lifetime never exceeds the remaining lifetime of the family',
    { buffered: true },
    async (t) => {
      const { storage } = await make(t)
      const { grant, refresh_token } = await signIn(storage, { refresh_token_ttl: 100, access_token_ttl: 10 })
      const end = await endOf(storage, refresh_token)
      const first = { ...refreshing(grant, 'one'), access_token_ttl: 10, idle_ttl: 200 }
      await useRefreshToken(storage, refresh_token, first)
      t.ok(Math.abs((await endOf(storage, first.successor)) - end) <= TOLERANCE_MS)
    },
  )

  t.test(
    'a spent token is recognised until the family expires, whatever its idle lifetime',
    { buffered: true },
    async (t) => {
      const subject = await make(t)
      const { storage } = subject
      const { grant, refresh_token } = await signIn(storage, { refresh_token_ttl: 3, access_token_ttl: 1 })
      const brief = { access_token_ttl: 1, idle_ttl: 1 }
      const first = { ...refreshing(grant, 'one'), ...brief }
      const second = { ...refreshing(grant, 'two'), ...brief }
      await useRefreshToken(storage, refresh_token, first)
      await useRefreshToken(storage, first.successor, second)
      await pass(subject, 2, async () => (await storage.families.findToken(second.successor)) === undefined)
      t.match(await storage.families.findFamily(grant), { spent_by: 'two' })
      t.match(await useRefreshToken(storage, first.successor, { ...second, client_id: 'other' }), OTHER)
      await pass(subject, 2, async () => (await storage.families.findFamily(grant)) === undefined)
      for (const token of [refresh_token, first.successor]) {
        t.strictSame(await useRefreshToken(storage, token, refreshing(grant, 'late')), MISSING)
        t.equal(await storage.families.findToken(token), undefined)
      }
    },
  )

  t.test(
    'the grant record lives as long as any access token, JWTs included',
    { buffered: true },
    async (t) => {
      const lasting = { refresh_token_ttl: 2, access_token_ttl: 2 }
      for (const format of ['opaque', 'jwt']) {
        const subject = await make(t)
        const { storage } = subject
        const { grant, refresh_token } = await signIn(storage, lasting)
        await pass(subject, 1, await aSecondBefore(subject, refresh_token))
        const { access_token, ...jwt } = { ...refreshing(grant, 'one'), access_token_ttl: 2 }
        t.match(
          await useRefreshToken(storage, refresh_token, format === 'jwt' ? jwt : { ...jwt, access_token }),
          {
            outcome: 'ok',
          },
        )
        await pass(subject, 1.1, async () => (await storage.families.findToken(jwt.successor)) === undefined)
        t.match(
          await storage.families.findFamily(grant),
          { status: 'active' },
          `${format}: the grant record still exists`,
        )
        t.equal(await storage.families.revokeFamily(grant), 'ok')
        if (format === 'opaque') t.match(await readToken(storage, access_token), { revoked: true })
      }
    },
  )

  t.test(
    'the family lives as long as an access token whose lifetime was increased',
    { buffered: true },
    async (t) => {
      for (const format of ['opaque', 'jwt']) {
        const subject = await make(t)
        const { storage } = subject
        const { grant, refresh_token } = await signIn(storage, { refresh_token_ttl: 2, access_token_ttl: 1 })
        const { access_token, ...jwt } = { ...refreshing(grant, 'one'), access_token_ttl: 60 }
        const attempt = format === 'jwt' ? jwt : { ...jwt, access_token }
        t.match(await useRefreshToken(storage, refresh_token, attempt), { outcome: 'ok' })
        // With the lifetimes of the redemption, code and family would have expired now.
        await pass(subject, 3.1, async () => (await storage.families.findToken(refresh_token)) === undefined)
        t.match(await storage.families.findFamily(grant), { status: 'active' }, format)
        t.equal(await storage.families.revokeFamily(grant), 'ok')
        if (format === 'opaque') t.match(await readToken(storage, access_token), { revoked: true })
      }
    },
  )

  t.test('every key expires, none before the tokens it is needed for', { buffered: true }, async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return void t.pass('this storage has no keys')
    const { grant, code, refresh_token, access_token } = await signIn(storage)
    const first = { ...refreshing(grant, 'one'), idle_ttl: 600 }
    const second = refreshing(grant, 'two')
    const { access_token: jwt, ...third } = refreshing(grant, 'three')
    await useRefreshToken(storage, refresh_token, first)
    await useRefreshToken(storage, first.successor, second)
    await useRefreshToken(storage, second.successor, third)
    await useRefreshToken(storage, second.successor, refreshing(grant, 'retry'))
    await saveRevokedToken(storage, jwt, ACCESS_TOKEN, new Date(Date.now() + 60_000))

    const names = (await keysOf(redis)).filter((name) => name.includes(grant))
    const dump = await dumpOf(
      redis,
      names.map((name) => redis.prefix + name),
    )
    const family = dump.get(`grant:{${grant}}`)?.expires ?? 0
    const tagged = (token: string) => token.replace(/^(.{16})\./, '{$1}.')
    for (const [name, { expires }] of dump) {
      t.ok(expires > Date.now(), `${name.replace(/:.*/, '')} ends`)
      t.ok(expires <= family + TOLERANCE_MS, 'no later than its grant')
    }
    const index = dump.get(`grant-tokens:{${grant}}`)?.expires ?? 0
    t.ok(Math.abs(index - family) <= TOLERANCE_MS, 'the index expires with the grant')
    const { expires: code_ends = 0 } = dump.get(`code:${tagged(code)}`) ?? {}
    t.ok(Math.abs(code_ends - Date.now() - 600_000) < 5000, 'a spent code is kept for ten minutes')
    for (const token of [refresh_token, first.successor, second.successor]) {
      t.notOk(dump.has(`token:${tagged(token)}`), 'a spent refresh token has no record')
    }
    for (const token of [access_token, first.access_token, second.access_token, third.successor, jwt]) {
      const { expires = 0 } = dump.get(`token:${tagged(token)}`) ?? {}
      t.ok(
        Math.abs(expires - (await endOf(storage, token))) <= TOLERANCE_MS,
        'expires_at agrees with the TTL',
      )
    }
  })

  t.test('the index contains every live token and drops expired ones', { buffered: true }, async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    if (redis === undefined) return void t.pass('this storage has no index')
    const { grant, refresh_token, access_token } = await signIn(storage, { access_token_ttl: 1 })
    const first = { ...refreshing(grant, 'one'), access_token_ttl: 1 }
    await useRefreshToken(storage, refresh_token, first)
    const members = ['ZRANGE', grantKeysOf(redis, grant).index, '0', '-1']
    const names = async () => (await redis.cli(...members)).split('\n').map((key) => key.split('.')[1])
    const secrets = (...tokens: string[]) => tokens.map((token) => token.split('.')[1])
    const all = [access_token, first.successor, first.access_token]
    t.strictSame(new Set(await names()), new Set(secrets(...all)))
    await pass(subject, 2, async () => (await storage.families.findToken(first.access_token)) === undefined)
    const last = staying(refreshing(grant, 'two'))
    await useRefreshToken(storage, first.successor, last)
    t.strictSame(new Set(await names()), new Set(secrets(first.successor, last.access_token)))
  })
}

/** Without a clock to move: waits until a second before a token expires, which leaves a busy machine as much time. */
async function aSecondBefore({ storage, advance }: Subject, token: string) {
  const instant = (await endOf(storage, token)) - 1000
  return async () => advance !== undefined || Date.now() >= instant
}

const ACCESS_TOKEN = { type: 'access_token', client_id: 'app', subject: 'alice', scope: 'openid' } as const
