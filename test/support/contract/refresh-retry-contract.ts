// The contract of spent refresh tokens: retry within the window, reuse after it.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import {
  addAccessToken,
  age,
  FIFTY,
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
import { CODE, type Make, newRefreshToken, pass, readToken } from './subject.ts'
import { type RefreshAttempt, useRefreshToken } from './use-refresh-token.ts'

const { client_id } = CODE

export async function refreshRetryContract(t: Test, make: Make): Promise<void> {
  await t.test(
    'without a window, fifty concurrent refreshes revoke the family and all its tokens',
    async (t) => {
      const { storage } = await make(t)
      const { grant, refresh_token, access_token } = await signIn(storage)
      const bystander = await signIn(storage)
      const attempts = FIFTY.map((operation) => ({ ...refreshing(grant, operation), retry_window: 0 }))
      const results = await Promise.all(
        attempts.map((refresh) => useRefreshToken(storage, refresh_token, refresh)),
      )
      const outcomes = results.map(({ outcome }) => outcome)
      t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
      t.equal(outcomes.filter((outcome) => outcome === 'reused').length, 1, 'one detected the reuse')
      t.equal(
        outcomes.filter((outcome) => outcome === 'missing').length,
        48,
        'the others found the family revoked',
      )
      const tokens = attempts.flatMap((attempt) => [attempt.access_token, attempt.successor])
      t.strictSame(await liveOf(storage, [refresh_token, access_token, ...tokens]), [])
      const winner = attempts[outcomes.indexOf('ok')] ?? refreshing(grant, 'none')
      t.match(await readToken(storage, winner.successor), { revoked: true }, 'written, and revoked')
      t.match(await readToken(storage, winner.access_token), { revoked: true })
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
      t.match(
        await readToken(storage, bystander.refresh_token),
        { revoked: false },
        'other grants are not affected',
      )
    },
  )

  await t.test('a retry within the window gets the same successor and creates none', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage)
    const first = refreshing(grant, 'one')
    await useRefreshToken(storage, refresh_token, first)
    const { spent_at } = (await storage.families.findFamily(grant)) ?? {}
    for (const form of [(retry: RefreshAttempt) => retry, staying]) {
      const retry = { ...refreshing(grant, 'two'), access_token_ttl: 7200 }
      t.strictSame(await useRefreshToken(storage, refresh_token, form(retry)), spentBy(first))
      t.match(await storage.families.findFamily(grant), { spent_at }, 'a retry does not restart the window')
      t.equal(await storage.families.findToken(retry.successor), undefined)
      t.equal(await storage.families.findToken(retry.access_token), undefined, 'no second access token')
    }
    await age(subject, refresh_token, 28)
    const late = await useRefreshToken(storage, refresh_token, refreshing(grant, 'three'))
    t.strictSame(late, spentBy(first), 'until the end of the window')
    t.strictSame(await liveOf(storage, [refresh_token, first.successor, first.access_token]), [
      first.successor,
      first.access_token,
    ])
    const next = refreshing(grant, 'four')
    t.strictSame(await useRefreshToken(storage, first.successor, next), spentBy(next))
  })

  await t.test(
    'once its successor was presented, a spent token is reuse, also within the window',
    async (t) => {
      const { storage } = await make(t)
      for (const form of [(use: RefreshAttempt) => use, staying]) {
        const { grant, refresh_token, access_token } = await signIn(storage)
        const [first, second] = [refreshing(grant, 'one'), refreshing(grant, 'two')]
        await useRefreshToken(storage, refresh_token, first)
        t.match(await useRefreshToken(storage, refresh_token, refreshing(grant, 'retry')), { outcome: 'ok' })
        const refused = [{ client_id: 'other' }, { scope: 'more' }]
        for (const wrong of refused) await useRefreshToken(storage, first.successor, { ...second, ...wrong })
        const retried = await useRefreshToken(storage, refresh_token, refreshing(grant, 'again'))
        t.match(retried, { outcome: 'ok' }, 'a refused request presents nothing')
        t.match(await useRefreshToken(storage, first.successor, form(second)), { outcome: 'ok' })
        const thief = refreshing(grant, 'thief')
        const other = { ...thief, client_id: 'other' }
        t.strictSame(
          await useRefreshToken(storage, refresh_token, other),
          OTHER,
          'another client proves nothing',
        )
        t.match(await storage.families.findFamily(grant), { status: 'active' })
        t.strictSame(await useRefreshToken(storage, refresh_token, thief), REUSED)
        const tokens = [access_token, first, second, thief].flatMap((one) =>
          typeof one === 'string' ? one : [one.access_token, one.successor],
        )
        t.strictSame(await liveOf(storage, tokens), [])
        t.strictSame(await useRefreshToken(storage, first.successor, refreshing(grant, 'late')), MISSING)
      }
    },
  )

  await t.test('every earlier refresh token is recognised without a record of its own', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const rotations = 20
    for (const back of [1, 2, rotations]) {
      const { grant, refresh_token } = await signIn(storage)
      const presented = [refresh_token]
      for (let i = 0; i < rotations; i += 1) {
        const attempt = refreshing(grant, `operation ${i}`)
        await useRefreshToken(storage, presented.at(-1) ?? '', attempt)
        presented.push(attempt.successor)
      }
      const kept = await Promise.all(presented.map((token) => storage.families.findToken(token)))
      t.equal(kept.filter((hash) => hash !== undefined).length, 1, 'the latest')
      const earlier = presented.at(-1 - back) ?? ''
      const late = { ...refreshing(grant, 'late'), retry_window: 0 }
      t.strictSame(await useRefreshToken(storage, earlier, late), REUSED, `${back} rotations ago`)
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
    }
    const { grant } = await signIn(storage)
    const unknown = [newToken(grant), newRefreshToken(newFamilyId())]
    for (const token of unknown) {
      const attempt = refreshing(token.slice(0, 16), 'one')
      t.strictSame(await useRefreshToken(storage, token, attempt), MISSING, 'not of this family')
    }
    t.match(await storage.families.findFamily(grant), { status: 'active' })
  })

  await t.test('reuse after the window revokes the whole family', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token, access_token } = await signIn(storage)
    const bystander = await signIn(storage)
    const first = refreshing(grant, 'one')
    const second = refreshing(grant, 'two')
    await useRefreshToken(storage, refresh_token, first)
    const joined = await addAccessToken(storage, first.successor)
    await useRefreshToken(storage, first.successor, second)
    await age(subject, first.successor, 31)
    const late = refreshing(grant, 'late')
    t.strictSame(await useRefreshToken(storage, first.successor, late), REUSED)
    const tokens = [refresh_token, access_token, joined]
    for (const { successor, access_token } of [first, second, late]) tokens.push(successor, access_token)
    t.strictSame(await liveOf(storage, tokens), [])
    t.equal(await storage.families.findToken(late.access_token), undefined, 'the reuse gets no tokens')
    t.equal(await storage.families.findToken(late.successor), undefined)
    t.match(await storage.families.findFamily(grant), { status: 'revoked', client_id })
    for (const token of [refresh_token, first.successor, second.successor]) {
      t.strictSame(await useRefreshToken(storage, token, refreshing(grant, 'after')), MISSING)
    }
    t.match(
      await readToken(storage, bystander.refresh_token),
      { revoked: false },
      'other grants are not affected',
    )
  })

  await t.test('what one refresh noted does not bind the retries of the next', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    for (const form of [(use: RefreshAttempt) => use, staying]) {
      const { grant, refresh_token } = await signIn(storage)
      const first = { ...refreshing(grant, 'one'), scope: 'api.read', confirmation: { jkt: 'key' } }
      await useRefreshToken(storage, refresh_token, first)
      t.match(await useRefreshToken(storage, refresh_token, { ...first, operation: 'retry' }), {
        scope: 'api.read',
      })
      const second = refreshing(grant, 'two')
      t.match(await useRefreshToken(storage, first.successor, form(second)), { outcome: 'ok' })
      const facts = await storage.families.findFamily(grant)
      for (const field of ['spent_scope', 'spent_jkt']) t.equal(facts?.[field], undefined, field)
      if (form === staying) t.equal(facts?.spent_token, undefined)
      else
        t.strictSame(
          await useRefreshToken(storage, first.successor, refreshing(grant, 'again')),
          spentBy(second),
        )
    }
  })

  await t.test('the caller sets the retry window; 0 allows no retry', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    for (const [retry_window, seconds, outcome] of [
      [0, 0, 'reused'],
      [5, 3, 'ok'],
      [5, 6, 'reused'],
      [600, 590, 'ok'],
    ] as const) {
      const { grant, refresh_token } = await signIn(storage)
      await useRefreshToken(storage, refresh_token, refreshing(grant, 'one'))
      if (seconds > 0) await age(subject, refresh_token, seconds)
      const retry: RefreshAttempt = { ...refreshing(grant, 'two'), retry_window }
      t.match(
        await useRefreshToken(storage, refresh_token, retry),
        { outcome },
        `after ${seconds} of ${retry_window} seconds`,
      )
    }
  })

  await t.test('the window ends by the clock', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, refresh_token } = await signIn(storage)
    await useRefreshToken(storage, refresh_token, { ...refreshing(grant, 'one'), retry_window: 1 })
    const retry = () =>
      useRefreshToken(storage, refresh_token, { ...refreshing(grant, 'two'), retry_window: 1 })
    t.match(await retry(), { outcome: 'ok' })
    await pass(subject, 1, async () => (await retry()).outcome !== 'ok')
    t.match(await storage.families.findFamily(grant), { status: 'revoked' })
  })

  await t.test('repeating an attempt changes nothing', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    for (const attempt of [
      (grant: string) => refreshing(grant, 'one'),
      (grant: string) => ({ ...refreshing(grant, 'one'), retry_window: 0, idle_ttl: 60, scope: 'api.read' }),
      (grant: string) => staying(refreshing(grant, 'one')),
    ]) {
      const family = await signIn(storage)
      const { grant, refresh_token } = family
      const first: RefreshAttempt & { access_token: string } = attempt(grant)
      const tokens = [refresh_token, first.access_token, ...(first.successor ? [first.successor] : [])]
      const state = () => stateOf(subject, family, ...tokens)
      const answer = await useRefreshToken(storage, refresh_token, first)
      t.match(answer, { outcome: 'ok' })
      const before = await state()
      // Long enough for a second write to show.
      const instant = Date.now()
      await pass(subject, 0.05, async () => Date.now() > instant + 50)
      t.strictSame(await useRefreshToken(storage, refresh_token, first), answer)
      sameState(t, await state(), before, 'the repetition changed nothing')

      await storage.families.revokeToken(first.access_token)
      const revoked = await state()
      t.strictSame(await useRefreshToken(storage, refresh_token, first), answer)
      sameState(t, await state(), revoked, 'a revocation is not undone')
    }
  })

  await t.test('a late repetition counts as the same attempt', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, refresh_token } = family
    const first = refreshing(grant, 'one')
    const answer = await useRefreshToken(storage, refresh_token, first)
    await age(subject, refresh_token, 31)
    const state = () => stateOf(subject, family, refresh_token, first.access_token, first.successor)
    const before = await state()
    t.strictSame(await useRefreshToken(storage, refresh_token, first), answer)
    sameState(t, await state(), before, 'nothing changed')
    t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'two')), REUSED)
    const dead = await state()
    await useRefreshToken(storage, refresh_token, first)
    sameState(t, await state(), dead, 'also in a revoked family')
  })
}
