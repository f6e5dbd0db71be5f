import type { Test } from 'tap'
import { createSession, endAllBefore, useSession } from '../../../src/sessions/session-store.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { CodeRecord } from '../../../src/tokens/code-record.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
// The contract of ending all that was granted before a time, and nothing that was granted since.
import { issueClientToken } from '../records.ts'
import { liveOf, MISSING, refreshing, sameState, stateOf } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { session } from './session-contract.ts'
import { CODE, issueCode, type Make } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const NOTHING = { sessions: 0, grants: 0, codes: 0, tokens: 0 }
/** In seconds since 1970: what has `EARLIER` ends. */
const TIME = CODE.auth_time
const EARLIER = { auth_time: TIME - 1 }

/** Redeems a code of this client and user. */
async function signIn(storage: Storage, change: Partial<CodeRecord> = {}) {
  const { grant, code, attempt } = await issueCode(storage, { ...CODE, ...change })
  const first = attempt('redeem')
  await redeemCode(storage, code, first)
  return { grant, code, attempt, ...first, tokens: [first.access_token, first.refresh_token] }
}

export async function endingsContract(t: Test, make: Make): Promise<void> {
  await t.test('ending all from before a time revokes its tokens and removes its codes', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const families = [await signIn(storage, EARLIER), await signIn(storage, { ...EARLIER, client_id: 'web' })]
    const unredeemed = await issueCode(storage, { ...CODE, ...EARLIER })
    const bystander = await signIn(storage)
    const bystanding = await issueCode(storage)
    const own = await issueClientToken(storage)
    await createSession(storage, 'before', session(EARLIER), 60)
    await createSession(storage, 'since', session({ auth_time: TIME }), 60)
    const before = await stateOf(subject, bystander, ...bystander.tokens)

    t.strictSame(await endAllBefore(storage, TIME), { sessions: 1, grants: 2, codes: 1, tokens: 1 })
    for (const { grant, code, attempt, refresh_token, tokens } of families) {
      t.strictSame(await liveOf(storage, tokens), [])
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
      t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'late')), MISSING)
      t.match(await redeemCode(storage, code, attempt('late')), { outcome: 'replayed' })
    }
    t.strictSame(await redeemCode(storage, unredeemed.code, unredeemed.attempt('late')), MISSING)
    t.equal(await storage.families.findFamily(unredeemed.grant), undefined, 'no grant was created')
    t.strictSame(await liveOf(storage, [own]), [])
    t.equal(await useSession(storage, 'before', 60), undefined)
    t.ok(await useSession(storage, 'since', 60))

    const after = await stateOf(subject, bystander, ...bystander.tokens)
    sameState(t, after, before, 'what was granted since is unchanged')
    t.match(await redeemCode(storage, bystanding.code, bystanding.attempt('late')), { outcome: 'ok' })
    t.strictSame(await endAllBefore(storage, TIME), NOTHING, 'repeating finds nothing')
    if (subject.redis === undefined) return
    for (const key of await keysOf(subject.redis)) t.ok((await expiryOf(subject.redis, key)) > 0, key)
  })

  await t.test('a spent refresh token is ended, too', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage, EARLIER)
    const next = refreshing(grant, 'one')
    await useRefreshToken(storage, refresh_token, next)
    t.strictSame(await endAllBefore(storage, TIME), { ...NOTHING, grants: 1 })
    for (const token of [refresh_token, next.successor]) {
      t.strictSame(
        await useRefreshToken(storage, token, refreshing(grant, 'late')),
        MISSING,
        'in the retry window',
      )
    }
    t.strictSame(await liveOf(storage, [next.access_token, next.successor]), [])
  })

  await t.test('a code that is redeemed meanwhile leaves no valid token', async (t) => {
    const { storage } = await make(t)
    const codes = await Promise.all(
      Array.from({ length: 300 }, () => issueCode(storage, { ...CODE, ...EARLIER })),
    )
    const attempts = codes.map(({ code, attempt }) => ({ code, ...attempt('racing') }))
    const queue = attempts.values()
    let redeemed = 0
    const redeem = async () => {
      for (const { code, ...attempt } of queue) {
        if ((await redeemCode(storage, code, attempt)).outcome === 'ok') redeemed += 1
      }
    }
    const clients = Promise.all([redeem(), redeem(), redeem()])
    const ended = await endAllBefore(storage, TIME)
    await clients
    t.strictSame([ended.grants, ended.codes], [redeemed, codes.length - redeemed], 'each was ended once')
    const tokens = attempts.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
    t.strictSame(await liveOf(storage, tokens), [])
  })

  await t.test('it works for more than a thousand tokens', async (t) => {
    const { storage } = await make(t)
    const { tokens } = await signIn(storage, EARLIER)
    await issueCode(storage, { ...CODE, ...EARLIER })
    const own = await Promise.all(Array.from({ length: 1200 }, () => issueClientToken(storage)))
    t.strictSame(await endAllBefore(storage, TIME), {
      sessions: 0,
      grants: 1,
      codes: 1,
      tokens: 1200,
    })
    t.strictSame(await liveOf(storage, [...tokens, ...own]), [])
  })
}
