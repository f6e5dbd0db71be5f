// The contract of refresh tokens: what they are bound to, and at most one successor.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { issueClientToken } from '../records.ts'
import {
  age,
  FIFTY,
  factsOf,
  liveOf,
  MISSING,
  OTHER,
  REUSED,
  refreshing,
  sameState,
  signIn,
  spentBy,
  stateOf,
  staying,
} from './family.ts'
import { CODE, type Make, readToken } from './subject.ts'
import { answeredBy, useRefreshToken } from './use-refresh-token.ts'

const { client_id, subject, scope, auth_time } = CODE

export async function refreshContract(t: Test, make: Make): Promise<void> {
  await t.test('a valid refresh spends the token for a successor and an access token', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token, access_token } = await signIn(storage)
    const before = await factsOf(storage, grant)
    const first = refreshing(grant, 'one')
    const since = Date.now()
    t.strictSame(await useRefreshToken(storage, refresh_token, first), spentBy(first))

    t.equal(await storage.families.findToken(refresh_token), undefined, 'its record moved')
    const family = await storage.families.findFamily(grant)
    t.match(family, { spent_by: 'one', answered: answeredBy('one') })
    t.ok(Math.abs(Number(family?.spent_at) - since) < 5000, 'spent_at is the present in milliseconds')
    for (const [token, type] of [
      [first.successor, 'refresh_token'],
      [first.access_token, 'access_token'],
    ] as const) {
      const hash = await storage.families.findToken(token)
      const expires_at = hash?.expires_at ?? ''
      t.strictSame(hash, { jti: token, type, subject, scope, expires_at, revoked: 'false', client_id })
      t.match(expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    const { expires_at } = (await readToken(storage, first.access_token)) ?? {}
    const lifetime = Number(expires_at) - since
    t.ok(lifetime >= 899_999 && lifetime < 905_000, 'the access token lives for 900 seconds')
    t.strictSame(await factsOf(storage, grant), before)
    t.match(await readToken(storage, access_token), { revoked: false }, 'older access tokens stay valid')

    const second = refreshing(grant, 'two')
    t.strictSame(
      await useRefreshToken(storage, first.successor, second),
      spentBy(second),
      'the successor can be refreshed',
    )
    t.strictSame(await liveOf(storage, [refresh_token, first.successor, second.successor]), [
      second.successor,
    ])
  })

  await t.test('a JWT access token has no record', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage)
    const { access_token, ...first } = refreshing(grant, 'one')
    t.strictSame(await useRefreshToken(storage, refresh_token, first), spentBy(first))
    const repeated = await useRefreshToken(storage, refresh_token, { ...first, retry_window: 0 })
    t.strictSame(repeated, spentBy(first), 'it is no reuse')
    t.equal(await storage.families.findToken(access_token), undefined)
    const again = await useRefreshToken(storage, first.successor, staying({ ...first, operation: 'two' }))
    t.strictSame(again, { outcome: 'ok', sign_in: { subject: CODE.subject, auth_time }, scope })
    t.match(await readToken(storage, first.successor), { revoked: false })
  })

  await t.test('without rotation the refresh token stays in use', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage)
    const before = await storage.families.findToken(refresh_token)
    const attempts = FIFTY.map((operation) => staying(refreshing(grant, operation)))
    const results = await Promise.all(
      attempts.map((refresh) => useRefreshToken(storage, refresh_token, refresh)),
    )
    const answer = { outcome: 'ok', sign_in: { subject: CODE.subject, auth_time }, scope }
    t.strictSame(
      results,
      results.map(() => answer),
      'no answer has a successor',
    )
    t.strictSame(await storage.families.findToken(refresh_token), before, 'the token is unchanged')
    const tokens = attempts.map(({ access_token }) => access_token)
    t.strictSame(await liveOf(storage, tokens), tokens, 'every attempt got an access token')

    const last = refreshing(grant, 'last')
    t.strictSame(await useRefreshToken(storage, refresh_token, last), spentBy(last), 'until it is rotated')
    t.strictSame(
      await useRefreshToken(storage, refresh_token, staying(refreshing(grant, 'later'))),
      spentBy(last),
      'a later refresh without rotation gets the existing successor',
    )
  })

  await t.test('an invalid attempt is refused and changes nothing', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, refresh_token, access_token } = family
    const first = refreshing(grant, 'one')
    const wrong = refreshing(grant, 'wrong')
    const written = [wrong.access_token, wrong.successor, first.access_token, first.successor]
    const state = () => stateOf(subject, family, refresh_token, access_token, ...written)
    const refused = [
      [OTHER, { client_id: 'other' }],
      [OTHER, { client_id: '' }],
      [OTHER, { client_id: 'other', scope: 'more' }],
      [{ outcome: 'scope' }, { scope: 'api.write' }],
      [{ outcome: 'scope' }, { scope: `${scope} api.write`, allowed_scopes: `${scope} api.write` }],
      [{ outcome: 'scope' }, { scope: 'API.READ' }],
      [{ outcome: 'scope' }, { scope: 'api' }],
      [{ outcome: 'scope' }, { scope: '__proto__' }],
    ] as const
    const all = async (when: string) => {
      const before = await state()
      for (const [answer, overrides] of refused) {
        const message = `${answer.outcome} (${Object.values(overrides).join(', ')}) ${when}`
        t.strictSame(
          await useRefreshToken(storage, refresh_token, { ...wrong, ...overrides }),
          answer,
          message,
        )
        t.strictSame(
          await useRefreshToken(storage, refresh_token, staying({ ...wrong, ...overrides })),
          answer,
          message,
        )
      }
      sameState(t, await state(), before, `nothing changed ${when}`)
    }
    await all('before the token is spent')
    t.strictSame(
      await useRefreshToken(storage, refresh_token, first),
      spentBy(first),
      'the attempts did not spend it',
    )
    await all('in the retry window')
    await age(subject, refresh_token, 31)
    await all('after the retry window')
    t.strictSame(await useRefreshToken(storage, refresh_token, wrong), REUSED)
    await storage.families.revokeFamily(grant)
    for (const [, overrides] of refused) {
      t.strictSame(
        await useRefreshToken(storage, refresh_token, { ...wrong, ...overrides }),
        MISSING,
        'the family is revoked',
      )
    }
  })

  await t.test('unknown tokens and tokens of other types are "missing"', async (t) => {
    const { storage } = await make(t)
    const { grant, code, access_token, refresh_token } = await signIn(storage)
    const attempt = refreshing(grant, 'one')
    for (const presented of [newToken(grant), access_token, code, '', 'token', `${refresh_token}x`]) {
      t.strictSame(await useRefreshToken(storage, presented, attempt), MISSING)
    }
    for (const alone of [newToken(newFamilyId()), await issueClientToken(storage, { client_id })]) {
      const other = refreshing(alone.slice(0, 16), 'one')
      t.strictSame(await useRefreshToken(storage, alone, other), MISSING, 'it has no family')
    }
    t.strictSame(await liveOf(storage, [attempt.access_token, attempt.successor]), [])
    t.match(await useRefreshToken(storage, refresh_token, attempt), { outcome: 'ok' })
  })

  await t.test('an attempt with tokens of another family is refused', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const alien = newToken(newFamilyId())
    const attempt = refreshing(grant, 'one')
    await t.rejects(useRefreshToken(storage, refresh_token, { ...attempt, access_token: alien }), TypeError)
    await t.rejects(useRefreshToken(storage, refresh_token, { ...attempt, successor: alien }), TypeError)
    await t.rejects(useRefreshToken(storage, refresh_token, { ...attempt, successor: 'token' }), TypeError)
    t.strictSame(await useRefreshToken(storage, refresh_token, attempt), spentBy(attempt))
  })

  await t.test('of fifty concurrent refreshes one creates the successor, and all get it', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const attempts = FIFTY.map((operation) => refreshing(grant, operation))
    const results = await Promise.all(
      attempts.map((refresh) => useRefreshToken(storage, refresh_token, refresh)),
    )
    const live = await liveOf(
      storage,
      attempts.map(({ successor }) => successor),
    )
    t.equal(live.length, 1, 'one successor is live')
    const winner = attempts.find(({ successor }) => successor === live[0]) ?? refreshing(grant, 'none')
    t.strictSame(
      results,
      results.map(() => spentBy(winner)),
      'all get it',
    )
    const written = await Promise.all(attempts.map(({ successor }) => storage.families.findToken(successor)))
    t.equal(written.filter((hash) => hash !== undefined).length, 1, 'no other successor was written')
    t.match(await storage.families.findFamily(grant), { status: 'active' })
    t.match(await useRefreshToken(storage, winner.successor, refreshing(grant, 'next')), { outcome: 'ok' })
  })

  await t.test('concurrent attempts are executed one after the other', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 10; round += 1) {
      const { grant, refresh_token } = await signIn(storage)
      const stays = staying(refreshing(grant, 'stays'))
      const rotates = refreshing(grant, 'rotates')
      const answer = { outcome: 'ok', sign_in: { subject: CODE.subject, auth_time }, scope }
      t.strictSame(
        await Promise.all([
          useRefreshToken(storage, refresh_token, stays),
          useRefreshToken(storage, refresh_token, rotates),
        ]),
        [answer, spentBy(rotates)],
        'an earlier attempt does not get the successor of a later one',
      )
    }
  })

  await t.test('fifty repetitions of one attempt count as one', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage)
    const only = { ...refreshing(grant, 'one'), retry_window: 0 }
    const results = await Promise.all(FIFTY.map(() => useRefreshToken(storage, refresh_token, only)))
    t.strictSame(
      results,
      results.map(() => spentBy(only)),
    )
    t.strictSame(await liveOf(storage, [only.successor, only.access_token]), [
      only.successor,
      only.access_token,
    ])
  })
}
