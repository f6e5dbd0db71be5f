// The contract of authorization codes: redeemed once, by the client they were issued to.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import type { CodeRedemption } from '../../../src/tokens/token-families.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { saveCode } from '../records.ts'
import { factsOf, refreshing, signIn, staying } from './family.ts'
import { attempt, CODE, issueCode, type Make, pass, readFamily, readToken } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const WRONG = [
  ['client_id', 'other'],
  ['redirect_uri', `${CODE.redirect_uri}/`],
  ['code_challenge', CODE.code_challenge.toLowerCase()],
] as const

export async function redemptionContract(t: Test, make: Make): Promise<void> {
  await t.test('a valid redemption writes the tokens and the grant', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    t.equal(await storage.families.findFamily(grant), undefined, 'nothing exists before')
    const first = attempt('one')
    const since = Date.now()
    t.strictSame(await redeemCode(storage, code, first), { outcome: 'ok', code: CODE })
    const { client_id, subject, scope } = CODE
    for (const [token, type, ttl] of [
      [first.access_token, 'access_token', 900],
      [first.refresh_token, 'refresh_token', 3600],
    ] as const) {
      const hash = await storage.families.findToken(token)
      const expires_at = hash?.expires_at ?? ''
      t.strictSame(hash, { jti: token, type, subject, scope, expires_at, revoked: 'false', client_id })
      t.match(expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const lifetime = Date.parse(expires_at) - since
      t.ok(lifetime >= ttl * 1000 - 1 && lifetime < (ttl + 5) * 1000, `${type} lives for ${ttl} seconds`)
    }
    const auth_time = String(CODE.auth_time)
    const refresh_until = String(
      Date.parse((await storage.families.findToken(first.refresh_token))?.expires_at ?? ''),
    )
    const record = { client_id, subject, scope, auth_time, status: 'active', refresh_until }
    t.strictSame(await factsOf(storage, grant), record)
    const digest = /^[\w-]{43}$/
    const digests = await storage.families.findFamily(grant)
    t.match(digests, { code_digest: digest, refresh_digest: digest, refresh_token: digest })
    const secrets = JSON.stringify([digests?.code_digest, digests?.refresh_digest])
    t.notOk(secrets.includes(code.slice(17, 38)) || secrets.includes(first.refresh_token.slice(17, 38)))
  })

  await t.test('a redemption without a refresh token writes none; a replay revokes its tokens', async (t) => {
    for (const jwt of [false, true]) {
      const { storage } = await make(t)
      const { grant, code, attempt } = await issueCode(storage)
      const { refresh_token, access_token, ...rest } = attempt('one')
      const first = jwt ? rest : { ...rest, access_token }
      t.strictSame(await redeemCode(storage, code, first), { outcome: 'ok', code: CODE })
      t.equal(await storage.families.findToken(refresh_token), undefined)
      const family = (await storage.families.findFamily(grant)) ?? {}
      t.match(family, { status: 'active', client_id: CODE.client_id })
      t.notOk('refresh_until' in family || 'refresh_token' in family)
      const refresh = refreshing(grant, 'two')
      t.strictSame(await useRefreshToken(storage, refresh_token, refresh), { outcome: 'missing' })
      t.match(await storage.families.findFamily(grant), { status: 'active' })
      t.strictSame(await redeemCode(storage, code, { ...first, operation: 'two' }), { outcome: 'replayed' })
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
      if (!jwt) t.match(await readToken(storage, access_token), { revoked: true })
    }
  })

  await t.test('a refresh token is written only if its scope was granted', async (t) => {
    const { storage } = await make(t)
    for (const [refresh_scope, written] of [
      ['api.read', true],
      ['openid', true],
      ['offline_access', false],
      ['api', false],
    ] as const) {
      const { grant, code, attempt } = await issueCode(storage)
      const first = { ...attempt('one'), refresh_scope }
      t.match(await redeemCode(storage, code, first), { outcome: 'ok' })
      t.equal((await storage.families.findToken(first.refresh_token)) !== undefined, written, refresh_scope)
      t.match(await readToken(storage, first.access_token), { revoked: false })
      t.equal('refresh_until' in ((await storage.families.findFamily(grant)) ?? {}), written)
      const refresh = { ...refreshing(grant, 'two'), refresh_scope: 'offline_access' }
      t.match(await useRefreshToken(storage, first.refresh_token, refresh), { outcome: 'missing' })
      const allowed = { ...refreshing(grant, 'three'), refresh_scope: 'api.read' }
      const outcome = written ? 'ok' : 'missing'
      t.match(await useRefreshToken(storage, first.refresh_token, allowed), { outcome })
    }
  })

  await t.test(
    'a code limits for how long its tokens are refreshed, and never makes it longer',
    async (t) => {
      const { storage } = await make(t)
      for (const [refresh_for, expected] of [
        ['60', 60],
        ['7200', 3600],
      ] as const) {
        const { grant, code, attempt } = await issueCode(storage, { ...CODE, refresh_for })
        const since = Date.now()
        const first = attempt('one')
        t.match(await redeemCode(storage, code, first), { outcome: 'ok' })
        const { expires_at = '' } = (await storage.families.findToken(first.refresh_token)) ?? {}
        const { refresh_until } = (await storage.families.findFamily(grant)) ?? {}
        t.equal(Date.parse(expires_at), Number(refresh_until))
        const lifetime = Number(refresh_until) - since
        t.ok(lifetime >= expected * 1000 - 1 && lifetime < (expected + 5) * 1000, `${expected} seconds`)
      }
    },
  )

  await t.test('a JWT access token has no record', async (t) => {
    const { storage } = await make(t)
    const { code, attempt } = await issueCode(storage)
    const { access_token, ...first } = attempt('one')
    t.match(await redeemCode(storage, code, first), { outcome: 'ok' })
    t.equal(await storage.families.findToken(access_token), undefined)
    t.match(await readToken(storage, first.refresh_token), { type: 'refresh_token', revoked: false })
    t.strictSame(await redeemCode(storage, code, { ...first, operation: 'two' }), { outcome: 'replayed' })
    t.match(await readToken(storage, first.refresh_token), { revoked: true })
  })

  await t.test('every value is returned unchanged', async (t) => {
    const { storage } = await make(t)
    const { nonce: _, ...withoutNonce } = CODE
    for (const record of [
      withoutNonce,
      { ...CODE, scope: '' },
      { ...CODE, nonce: 'a\0b\r\n {x} 🗝', client_id: '__proto__', subject: 'constructor' },
      { ...CODE, redirect_uri: 'app:/é?x={y}', auth_time: 0 },
    ]) {
      const { code, attempt } = await issueCode(storage, record)
      const first = attempt('one')
      t.strictSame(await redeemCode(storage, code, first), { outcome: 'ok', code: record })
      t.match(await readToken(storage, first.access_token), {
        scope: record.scope,
        client_id: record.client_id,
      })
    }
  })

  await t.test('a code is bound to client, redirect_uri and challenge', async (t) => {
    const { storage } = await make(t)
    for (const [field, value] of WRONG) {
      const { grant, code, attempt } = await issueCode(storage)
      const wrong = { ...attempt('wrong'), [field]: value }
      t.strictSame(await redeemCode(storage, code, wrong), { outcome: 'mismatch', field })
      t.strictSame(await redeemCode(storage, code, { ...wrong, [field]: '' }), { outcome: 'mismatch', field })
      t.equal(await storage.families.findToken(wrong.access_token), undefined)
      t.equal(await storage.families.findFamily(grant), undefined)

      const first = attempt('one')
      t.match(
        await redeemCode(storage, code, first),
        { outcome: 'ok' },
        `a wrong ${field} does not spend the code`,
      )
      const before = await readFamily(storage, grant, first.access_token, first.refresh_token)
      t.strictSame(
        await redeemCode(storage, code, wrong),
        { outcome: 'mismatch', field },
        'spent, and a wrong value',
      )
      const after = await readFamily(storage, grant, first.access_token, first.refresh_token)
      t.strictSame(after, before, `a wrong ${field} revokes nothing`)
      t.equal(await storage.families.findToken(wrong.access_token), undefined)

      t.strictSame(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' })
    }
  })

  await t.test('of several wrong values the first in this order is reported', async (t) => {
    const { storage } = await make(t)
    const { code, attempt } = await issueCode(storage)
    const wrong: CodeRedemption = { ...attempt('one'), ...Object.fromEntries(WRONG) }
    for (const [field] of WRONG) {
      t.strictSame(await redeemCode(storage, code, wrong), { outcome: 'mismatch', field })
      wrong[field] = CODE[field]
    }
    t.match(await redeemCode(storage, code, wrong), { outcome: 'ok' })
  })

  await t.test('repeating an attempt gets the same answer and changes nothing', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    const first = attempt('one')
    const answer = await redeemCode(storage, code, first)
    const before = await readFamily(storage, grant, first.access_token, first.refresh_token)
    t.strictSame(await redeemCode(storage, code, first), answer)
    t.strictSame(await readFamily(storage, grant, first.access_token, first.refresh_token), before)

    t.strictSame(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' })
    const revoked = await readFamily(storage, grant, first.access_token, first.refresh_token)
    t.strictSame(await redeemCode(storage, code, first), answer, 'also after a replay')
    t.strictSame(await readFamily(storage, grant, first.access_token, first.refresh_token), revoked)
  })

  await t.test('a replay revokes every token of the family', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    const bystander = await issueCode(storage)
    const theirs = bystander.attempt('one')
    await redeemCode(storage, bystander.code, theirs)
    const first = attempt('one')
    await redeemCode(storage, code, first)
    const second = attempt('two')
    t.strictSame(await redeemCode(storage, code, second), { outcome: 'replayed' })
    t.match(await readToken(storage, first.access_token), {
      revoked: true,
      type: 'access_token',
      jti: first.access_token,
    })
    t.match(await readToken(storage, first.refresh_token), { revoked: true, subject: CODE.subject })
    t.match(await storage.families.findFamily(grant), { status: 'revoked', client_id: CODE.client_id })
    t.equal(await storage.families.findToken(second.access_token), undefined, 'the replay gets no tokens')
    t.strictSame(await redeemCode(storage, code, attempt('three')), { outcome: 'replayed' })
    t.match(
      await readToken(storage, theirs.access_token),
      { revoked: false },
      'other grants are not affected',
    )
  })

  await t.test('a code gives nothing to a family that exists', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    const other = newToken(grant)
    await saveCode(storage, other, { ...CODE, subject: 'bob', scope: 'openid' }, 60)
    t.match(await redeemCode(storage, code, attempt('one')), { outcome: 'ok' })
    const family = await storage.families.findFamily(grant)
    const second = attempt('two')
    t.strictSame(await redeemCode(storage, other, second), { outcome: 'missing' })
    t.strictSame(await storage.families.findFamily(grant), family)
    t.equal(await storage.families.findToken(second.access_token), undefined)
  })

  await t.test(
    'of fifty concurrent redemptions one succeeds, and the replays revoke its tokens',
    async (t) => {
      const { storage } = await make(t)
      const { grant, code, attempt } = await issueCode(storage)
      const attempts = Array.from({ length: 50 }, (_, i) => attempt(`operation ${i}`))
      const results = await Promise.all(attempts.map((redemption) => redeemCode(storage, code, redemption)))
      t.equal(results.filter(({ outcome }) => outcome === 'ok').length, 1)
      t.equal(results.filter(({ outcome }) => outcome === 'replayed').length, 49)
      const winner = results.findIndex(({ outcome }) => outcome === 'ok')
      for (const [index, { access_token, refresh_token }] of attempts.entries()) {
        const records = [await readToken(storage, access_token), await readToken(storage, refresh_token)]
        if (index === winner)
          t.strictSame(
            records.map((record) => record?.revoked),
            [true, true],
          )
        else t.strictSame(records, [undefined, undefined])
      }
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
    },
  )

  await t.test('fifty repetitions of one attempt count as one', async (t) => {
    const { storage } = await make(t)
    const { code, attempt } = await issueCode(storage)
    const first = attempt('one')
    const results = await Promise.all(Array.from({ length: 50 }, () => redeemCode(storage, code, first)))
    t.strictSame(new Set(results.map(({ outcome }) => outcome)), new Set(['ok']))
    t.match(await readToken(storage, first.access_token), { revoked: false })
  })

  await t.test('unknown and malformed codes are "missing"', async (t) => {
    const { storage } = await make(t)
    const { grant, code } = await issueCode(storage)
    for (const unknown of [newToken(grant), newToken(newFamilyId()), '', 'code', `${code}x`, `{${code}}`]) {
      const owner = unknown.length === code.length ? unknown.slice(0, 16) : grant
      t.strictSame(await redeemCode(storage, unknown, attempt(owner, 'one')), { outcome: 'missing' })
    }
    await t.rejects(saveCode(storage, 'code', CODE, 60), TypeError)
  })

  await t.test('an attempt with tokens of another family is refused', async (t) => {
    const { storage } = await make(t)
    const { code, attempt } = await issueCode(storage)
    const alien = newToken(newFamilyId())
    await t.rejects(redeemCode(storage, code, { ...attempt('one'), access_token: alien }), TypeError)
    await t.rejects(redeemCode(storage, code, { ...attempt('one'), refresh_token: alien }), TypeError)
    t.match(await redeemCode(storage, code, attempt('one')), { outcome: 'ok' })
  })

  await t.test('an expired code is "missing"', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, code, attempt } = await issueCode(storage, CODE, 1)
    const wrong = { ...attempt('wrong'), client_id: 'other' }
    t.match(await redeemCode(storage, code, wrong), { outcome: 'mismatch' })
    await pass(subject, 2, async () => (await redeemCode(storage, code, wrong)).outcome === 'missing')
    const late = attempt('late')
    t.strictSame(await redeemCode(storage, code, late), { outcome: 'missing' })
    t.strictSame(await readFamily(storage, grant, late.access_token), {
      grant: undefined,
      tokens: [undefined],
    })
  })

  await t.test('a spent code is remembered as long as its grant', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    // The token that expires first shows that the second of the code is over.
    const clock = await issueCode(storage, CODE, 1)
    const { grant, code, attempt } = await issueCode(storage, CODE, 1)
    const first = { ...attempt('one'), access_token_ttl: 1, refresh_token_ttl: 3 }
    await redeemCode(storage, code, first)
    const ended = async () =>
      (await redeemCode(storage, clock.code, clock.attempt('x'))).outcome !== 'mismatch'
    await pass(
      subject,
      2,
      async () => (await ended()) && (await storage.families.findToken(first.access_token)) === undefined,
    )
    t.strictSame(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' })
    t.match(await readToken(storage, first.refresh_token), { revoked: true })
    t.equal(
      await storage.families.findToken(first.access_token),
      undefined,
      'a replay does not restore an expired token',
    )
    await pass(subject, 2, async () => (await storage.families.findFamily(grant)) === undefined)
    t.strictSame(await redeemCode(storage, code, attempt('three')), { outcome: 'missing' })
  })

  await t.test('a replay is recognised while its family lives, however long that is', async (t) => {
    const brief = { access_token_ttl: 1, refresh_token_ttl: 1 }
    for (const how of ['with rotation', 'without rotation'] as const) {
      const subject = await make(t)
      const { storage } = subject
      const { grant, code, refresh_token, attempt } = await signIn(storage, brief)
      const refresh = { ...refreshing(grant, 'one'), access_token_ttl: 60 }
      const { access_token } = refresh
      await useRefreshToken(storage, refresh_token, how === 'with rotation' ? refresh : staying(refresh))
      // The record of the code expires with the lifetimes of its redemption.
      const over = () => redeemCode(storage, code, { ...attempt('wrong'), client_id: 'other' })
      await pass(subject, 3, async () => (await over()).outcome === 'missing')
      for (const [field, value] of WRONG) {
        t.match(await redeemCode(storage, code, { ...attempt('two'), [field]: value }), {
          outcome: 'missing',
        })
      }
      const { code_challenge: _, ...unproven } = attempt('two')
      t.match(await redeemCode(storage, code, unproven), { outcome: 'missing' })
      t.match(
        await readToken(storage, access_token),
        { revoked: false },
        'only the right parameters prove it',
      )
      t.match(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' }, how)
      t.match(await readToken(storage, access_token), { revoked: true })
    }
  })

  await t.test('the grant lives as long as its longest token', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, code, attempt } = await issueCode(storage)
    const first = { ...attempt('one'), access_token_ttl: 60, refresh_token_ttl: 1 }
    await redeemCode(storage, code, first)
    await pass(subject, 2, async () => (await storage.families.findToken(first.refresh_token)) === undefined)
    t.match(await storage.families.findFamily(grant), { status: 'active' })
    t.strictSame(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' })
    t.match(await readToken(storage, first.access_token), { revoked: true })
  })
}
