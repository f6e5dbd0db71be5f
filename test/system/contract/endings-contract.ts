import type { Test } from 'tap'
import { createSession, endAllBefore, endAllOf, useSession } from '../../../src/sessions/session-store.ts'
import type { Holder } from '../../../src/storage/families.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { CodeRecord } from '../../../src/tokens/code-record.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
// The contract of endings: everything of one client or user ends, and nothing of others.
import { issueClientToken } from '../../support/records.ts'
import { liveOf, MISSING, refreshing, sameState, stateOf } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { session } from './session-contract.ts'
import { ALICE, CODE, issueCode, type Make } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const NOTHING = { sessions: 0, grants: 0, codes: 0, tokens: 0 }

/** Redeems a code of this client and user. */
async function signIn(storage: Storage, change: Partial<CodeRecord> = {}) {
  const { grant, code, attempt } = await issueCode(storage, { ...CODE, ...change })
  const first = attempt('redeem')
  await redeemCode(storage, code, first)
  return { grant, code, attempt, ...first, tokens: [first.access_token, first.refresh_token] }
}

export async function endingsContract(t: Test, make: Make): Promise<void> {
  for (const [whose, holder, theirs, others] of [
    ['one user', ALICE, { client_id: 'web' }, { subject: 'bob' }],
    ['one client', { client_id: 'app' }, { subject: 'bob' }, { client_id: 'web' }],
  ] as [string, Holder, Partial<CodeRecord>, Partial<CodeRecord>][]) {
    await t.test(`ending everything of ${whose} revokes its tokens and removes its codes`, async (t) => {
      const subject = await make(t)
      const { storage } = subject
      const families = [await signIn(storage), await signIn(storage, theirs)]
      const unredeemed = await issueCode(storage, { ...CODE, ...theirs })
      const bystander = await signIn(storage, others)
      const bystanding = await issueCode(storage, { ...CODE, ...others })
      const own = await issueClientToken(storage)
      const before = await stateOf(subject, bystander, ...bystander.tokens)

      const tokens = 'client_id' in holder ? 1 : 0
      t.strictSame(await endAllOf(storage, holder), { sessions: 0, grants: 2, codes: 1, tokens })
      for (const { grant, code, attempt, refresh_token, tokens } of families) {
        t.strictSame(await liveOf(storage, tokens), [])
        t.match(await storage.families.findFamily(grant), { status: 'revoked' })
        t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'late')), MISSING)
        t.match(await redeemCode(storage, code, attempt('late')), { outcome: 'replayed' })
      }
      t.strictSame(await redeemCode(storage, unredeemed.code, unredeemed.attempt('late')), MISSING)
      t.equal(await storage.families.findFamily(unredeemed.grant), undefined, 'no grant was created')
      t.strictSame(await liveOf(storage, [own]), tokens === 1 ? [] : [own])

      const after = await stateOf(subject, bystander, ...bystander.tokens)
      sameState(t, after, before, 'the tokens and codes of others are unchanged')
      t.match(await redeemCode(storage, bystanding.code, bystanding.attempt('late')), { outcome: 'ok' })
      t.strictSame(await endAllOf(storage, holder), NOTHING, 'repeating finds nothing')
      if (subject.redis === undefined) return
      for (const key of await keysOf(subject.redis)) t.ok((await expiryOf(subject.redis, key)) > 0, key)
    })
  }

  await t.test(
    'names match exactly: no patterns, no prefixes, and an empty name matches nothing',
    async (t) => {
      const { storage } = await make(t)
      const { tokens } = await signIn(storage)
      const own = await issueClientToken(storage)
      for (const name of ['', '*', 'al*', 'alic', 'alice ', 'Alice', 'ap?', 'undefined', '__proto__']) {
        t.strictSame(await endAllOf(storage, { subject: name, username: name }), NOTHING, name)
        t.strictSame(await endAllOf(storage, { client_id: name }), NOTHING, name)
      }
      t.strictSame(
        await endAllOf(storage, { subject: 'app', username: 'app' }),
        NOTHING,
        'a client is not a user',
      )
      t.strictSame(await endAllOf(storage, { client_id: 'alice' }), NOTHING)
      t.strictSame(await liveOf(storage, [...tokens, own]), [...tokens, own])
    },
  )

  await t.test('the sessions of a user end, found by sub or username', async (t) => {
    const { storage } = await make(t)
    const sessions = {
      own: session({ sub: 'alice', username: 'alice' }),
      'with another sub': session({ sub: 'earlier', username: 'alice' }),
      'with another username': session({ sub: 'alice', username: 'alicia' }),
      "bob's": session({ sub: 'bob', username: 'bob' }),
      nameless: session({ sub: 'app', username: 'app' }),
    }
    for (const [id, record] of Object.entries(sessions)) await createSession(storage, id, record, 60)
    const left = async () => {
      const found = await Promise.all(
        Object.keys(sessions).map(async (id) =>
          (await useSession(storage, id, 60)) === undefined ? [] : [id],
        ),
      )
      return found.flat()
    }
    t.strictSame(await endAllOf(storage, { client_id: 'app' }), NOTHING, 'a client has no sessions')
    t.strictSame(await endAllOf(storage, { subject: '', username: '' }), NOTHING)
    t.strictSame(await endAllOf(storage, { subject: 'bob', username: '' }), { ...NOTHING, sessions: 1 })
    t.strictSame(await left(), ['own', 'with another sub', 'with another username', 'nameless'])
    t.strictSame(await endAllOf(storage, ALICE), { ...NOTHING, sessions: 3 })
    t.strictSame(await left(), ['nameless'])
  })

  await t.test('tokens with a pairwise sub are found by the username', async (t) => {
    const { storage } = await make(t)
    const pairwise = { subject: 'for this client only', username: 'alice' }
    const { tokens, grant } = await signIn(storage, pairwise)
    const unredeemed = await issueCode(storage, { ...CODE, ...pairwise })
    const other = await signIn(storage, { subject: 'for this client, too', username: 'bob' })
    t.strictSame(await endAllOf(storage, ALICE), { ...NOTHING, grants: 1, codes: 1 })
    t.match(await storage.families.findFamily(grant), { status: 'revoked' })
    t.strictSame(await liveOf(storage, tokens), [])
    t.strictSame(await redeemCode(storage, unredeemed.code, unredeemed.attempt('late')), MISSING)
    t.strictSame(await liveOf(storage, other.tokens), other.tokens)
  })

  await t.test(
    'what was signed in for before a time ends, and what clients have for themselves',
    async (t) => {
      const { storage } = await make(t)
      const before = await signIn(storage, { auth_time: 999 })
      const since = await signIn(storage, { auth_time: 1000, subject: 'bob' })
      const unredeemed = await issueCode(storage, { ...CODE, auth_time: 999 })
      const redeemable = await issueCode(storage, { ...CODE, auth_time: 1000 })
      const own = await issueClientToken(storage)
      await createSession(storage, 'before', session({ auth_time: 999 }), 60)
      await createSession(storage, 'since', session({ auth_time: 1000 }), 60)
      t.strictSame(await endAllBefore(storage, 1000), { sessions: 1, grants: 1, codes: 1, tokens: 1 })
      t.strictSame(await liveOf(storage, [...before.tokens, own]), [])
      t.strictSame(await liveOf(storage, since.tokens), since.tokens)
      t.equal(await useSession(storage, 'before', 60), undefined)
      t.ok(await useSession(storage, 'since', 60))
      t.strictSame(await redeemCode(storage, unredeemed.code, unredeemed.attempt('late')), MISSING)
      t.match(await redeemCode(storage, redeemable.code, redeemable.attempt('late')), { outcome: 'ok' })
    },
  )

  await t.test('a spent refresh token is ended, too', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const next = refreshing(grant, 'one')
    await useRefreshToken(storage, refresh_token, next)
    t.strictSame(await endAllOf(storage, ALICE), { ...NOTHING, grants: 1 })
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
    const codes = await Promise.all(Array.from({ length: 300 }, () => issueCode(storage)))
    const attempts = codes.map(({ code, attempt }) => ({ code, ...attempt('racing') }))
    const queue = attempts.values()
    let redeemed = 0
    const redeem = async () => {
      for (const { code, ...attempt } of queue) {
        if ((await redeemCode(storage, code, attempt)).outcome === 'ok') redeemed += 1
      }
    }
    const clients = Promise.all([redeem(), redeem(), redeem()])
    const ended = await endAllOf(storage, ALICE)
    await clients
    t.strictSame([ended.grants, ended.codes], [redeemed, codes.length - redeemed], 'each was ended once')
    const tokens = attempts.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
    t.strictSame(await liveOf(storage, tokens), [])
  })

  await t.test('ending everything of a client works for more than a thousand tokens', async (t) => {
    const { storage } = await make(t)
    const { tokens } = await signIn(storage)
    await issueCode(storage)
    const own = await Promise.all(Array.from({ length: 1200 }, () => issueClientToken(storage)))
    t.strictSame(await endAllOf(storage, { client_id: 'app' }), {
      sessions: 0,
      grants: 1,
      codes: 1,
      tokens: 1200,
    })
    t.strictSame(await liveOf(storage, [...tokens, ...own]), [])
  })
}
