// The contract of what is used once: a pending request that is answered, a text of a sign-in method.
import type { Test } from 'tap'
import { CLOCK_SKEW } from '../../../src/core/clock-skew.ts'
import type { FamilyId } from '../../../src/core/ids.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { answerOnce } from '../../../src/interaction/answered.ts'
import type { PendingRecord } from '../../../src/interaction/pending-record.ts'
import { useOnce } from '../../../src/interaction/use-once.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { MISSING } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { attempt, CODE, type Make } from './subject.ts'

// The time that the test itself may take.
const SLACK_MS = 25_000

/** A pending request that lives for ten minutes. */
export function pendingOf(family: FamilyId): PendingRecord {
  const ends_at = Date.now() + 600_000
  return { id: newToken(family), kind: 'authorization', parameters: {}, browser: 'a digest', ends_at }
}

/** A pending request, and a code that may answer it. */
function names() {
  const family = newFamilyId()
  return { family, pending: pendingOf(family), code: { code: newToken(family), record: CODE, ttl: 60 } }
}

export async function answeredContract(t: Test, make: Make): Promise<void> {
  await t.test('a pending request is answered once, with its code or without', async (t) => {
    const { storage } = await make(t)
    const context = { storage, now: Date.now }
    const { family, pending, code } = names()
    t.equal(await answerOnce(context, pending, code), 'ok')
    t.strictSame(await redeemCode(storage, code.code, attempt(family, 'one')), { outcome: 'ok', code: CODE })
    const second = newToken(family)
    t.equal(await answerOnce(context, pending, { ...code, code: second }), 'exists')
    t.equal(await answerOnce(context, pending), 'exists')
    t.strictSame(await redeemCode(storage, second, attempt(family, 'two')), MISSING, 'no code was written')

    const denied = names()
    t.equal(await answerOnce(context, denied.pending), 'ok')
    t.equal(await answerOnce(context, denied.pending, denied.code), 'exists')
    t.strictSame(await redeemCode(storage, denied.code.code, attempt(denied.family, 'one')), MISSING)
  })

  await t.test('of concurrent answers to a request one gets its code', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 5; round += 1) {
      const { family, pending } = names()
      const codes = Array.from({ length: 10 }, () => ({ code: newToken(family), record: CODE, ttl: 60 }))
      const context = { storage, now: Date.now }
      const outcomes = await Promise.all(codes.map((code) => answerOnce(context, pending, code)))
      t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
      for (const [i, { code }] of codes.entries()) {
        if (outcomes[i] === 'ok') continue
        t.strictSame(await redeemCode(storage, code, attempt(family, `operation ${i}`)), MISSING)
      }
    }
  })

  await t.test('a text of a sign-in method is used once', async (t) => {
    const { storage } = await make(t)
    const context = { storage, now: Date.now }
    const used = await Promise.all([1, 2, 3].map(() => useOnce(context, 'otp', 'alice 7', 60)))
    t.strictSame(used.sort(), [false, false, true])
    t.equal(await useOnce(context, 'otp', 'alice 8', 60), true)
    t.equal(await useOnce(context, 'other', 'alice 7', 60), true, 'of another method')
  })

  await t.test('in Redis a mark lives as long as what it marks could be presented', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const { family, pending, code } = names()
    await answerOnce({ storage, now: Date.now }, pending, code)
    const mark = `answered:{${family}}.${pending.id.slice(17)}`
    const written = `code:{${family}}.${code.code.slice(17)}`
    const keys = async () => (await keysOf(redis)).filter((key) => !key.startsWith('probe:'))
    t.strictSame((await keys()).sort(), [mark, written])
    const ends = pending.ends_at + CLOCK_SKEW * 1000
    t.ok(Math.abs((await expiryOf(redis, mark)) - ends) < SLACK_MS)
    t.ok(Math.abs((await expiryOf(redis, written)) - Date.now() - 60_000) < SLACK_MS)
    await useOnce({ storage, now: Date.now }, 'otp', 'alice 7', 60)
    const [met = ''] = (await keys()).filter((key) => key.startsWith('challenge:'))
    t.match(met, /^challenge:[\w-]{43}$/)
    const use_ends = Date.now() + (60 + CLOCK_SKEW) * 1000
    t.ok(Math.abs((await expiryOf(redis, met)) - use_ends) < SLACK_MS)
  })
}
