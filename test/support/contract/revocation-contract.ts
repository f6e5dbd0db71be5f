// The contract of revocation: revoked tokens and families stay revoked and cannot be refreshed.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { issueClientToken, saveRevokedToken, type TokenFields } from '../records.ts'
import {
  age,
  endOf,
  liveOf,
  MISSING,
  refreshing,
  sameState,
  signIn,
  spentBy,
  stateOf,
  staying,
} from './family.ts'
import { keysOf } from './redis-subject.ts'
import { CODE, type Make, pass, readToken } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const { client_id } = CODE
const JWT: TokenFields = { type: 'access_token', client_id, subject: 'alice', scope: 'openid' }

export async function revocationContract(t: Test, make: Make): Promise<void> {
  await t.test('revoking a refresh token, spent or not, revokes its family', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    for (const which of ['the first, spent', 'the first, spent long ago', 'the last, in use'] as const) {
      const family = await signIn(storage)
      const { grant, code, refresh_token, access_token, attempt } = family
      const bystander = await signIn(storage)
      const first = refreshing(grant, 'one')
      await useRefreshToken(storage, refresh_token, first)
      if (which === 'the first, spent long ago') await age(subject, refresh_token, 31)
      const presented = which === 'the last, in use' ? first.successor : refresh_token
      t.equal(await storage.families.revokeToken(presented, client_id), 'ok', which)
      const tokens = [refresh_token, access_token, first.successor, first.access_token]
      t.strictSame(await liveOf(storage, tokens), [])
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
      const dead = await stateOf(subject, family, ...tokens)
      t.equal(await storage.families.revokeToken(presented, client_id), 'again', 'repeating succeeds')
      sameState(t, await stateOf(subject, family, ...tokens), dead, 'repeating changes nothing')
      t.match(await redeemCode(storage, code, attempt('late')), { outcome: 'replayed' })
      const theirs = [bystander.access_token, bystander.refresh_token]
      t.strictSame(await liveOf(storage, theirs), theirs, 'other grants are not affected')
    }
  })

  await t.test('a family is read with its live tokens, and none of them can be used', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, refresh_token, access_token } = family
    const before = await stateOf(subject, family, access_token, refresh_token)
    const { family: record, tokens } = await storage.families.readFamily(grant, 10)
    t.match(record, { client_id, status: 'active' })
    t.strictSame(tokens.map(({ type }) => type).sort(), ['access_token', 'refresh_token'])
    for (const token of tokens) {
      t.match(token, { revoked: 'false', scope: String, expires_at: String })
      t.equal(token.jti, undefined)
    }
    t.equal((await storage.families.readFamily(grant, 1)).tokens.length, 1)
    sameState(
      t,
      await stateOf(subject, family, access_token, refresh_token),
      before,
      'reading changes nothing',
    )
    await storage.families.revokeFamily(grant)
    const ended = await storage.families.readFamily(grant, 10)
    t.match(ended, { family: { status: 'revoked' }, tokens: [] })
    t.strictSame(await storage.families.readFamily(newFamilyId(), 10), { family: undefined, tokens: [] })
  })

  await t.test('revoking an access token affects only that token', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token, access_token } = await signIn(storage)
    t.equal(await storage.families.revokeToken(access_token, client_id), 'ok')
    t.strictSame(await liveOf(storage, [access_token, refresh_token]), [refresh_token])
    const first = refreshing(grant, 'one')
    t.strictSame(await useRefreshToken(storage, refresh_token, first), spentBy(first))
    t.match(await readToken(storage, access_token), { revoked: true }, 'a refresh does not restore it')
  })

  await t.test('a token of another client is not changed', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, refresh_token, access_token } = family
    const first = refreshing(grant, 'one')
    await useRefreshToken(storage, refresh_token, first)
    const alone = await issueClientToken(storage, { client_id: 'service' })
    const tokens = [refresh_token, access_token, first.successor, first.access_token]
    const before = await stateOf(subject, family, ...tokens)
    for (const other of ['other', '', 'APP', 'service', '__proto__']) {
      for (const token of tokens) t.equal(await storage.families.revokeToken(token, other), 'mismatch')
    }
    t.equal(await storage.families.revokeToken(alone, client_id), 'mismatch')
    sameState(t, await stateOf(subject, family, ...tokens), before, 'nothing changed')
    t.match(await readToken(storage, alone), { revoked: false })
    t.equal(await storage.families.revokeToken(alone, 'service'), 'ok')
    t.equal(
      await storage.families.revokeToken(first.successor),
      'ok',
      'without a client_id any client matches',
    )
    t.strictSame(await liveOf(storage, tokens), [])
  })

  await t.test('a lone surrogate in the client_id is U+FFFD', async (t) => {
    const { storage } = await make(t)
    const token = await issueClientToken(storage, { client_id: 'a\uD800' })
    t.equal(await storage.families.revokeToken(token, 'a'), 'mismatch')
    t.equal(await storage.families.revokeToken(token, 'a\uDC00'), 'ok')
  })

  await t.test('revoking an unknown token is "missing", and nothing is written', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, code, refresh_token } = family
    const before = await stateOf(subject, family, refresh_token)
    for (const unknown of [
      newToken(grant),
      newToken(newFamilyId()),
      code,
      '',
      'token',
      `${refresh_token}x`,
    ]) {
      t.equal(await storage.families.revokeToken(unknown), 'missing')
      t.equal(await storage.families.revokeToken(unknown, client_id), 'missing')
    }
    sameState(t, await stateOf(subject, family, refresh_token), before, 'nothing changed')
  })

  await t.test('nothing is refreshed after a revocation, not even in the retry window', async (t) => {
    const { storage } = await make(t)
    for (const [how, revoke] of Object.entries({
      'the grant': ({ grant }: Signed) => storage.families.revokeFamily(grant),
      'a refresh token': ({ refresh_token }: Signed) => storage.families.revokeToken(refresh_token),
      'a replay': ({ code, attempt }: Signed) => redeemCode(storage, code, attempt('replay')),
    })) {
      const signed = await signIn(storage)
      const { grant, refresh_token } = signed
      const first = refreshing(grant, 'one')
      await useRefreshToken(storage, refresh_token, first)
      await revoke(signed)
      const late = refreshing(grant, 'late')
      for (const token of [refresh_token, first.successor]) {
        t.strictSame(await useRefreshToken(storage, token, late), MISSING, how)
        t.strictSame(await useRefreshToken(storage, token, staying(late)), MISSING)
        t.strictSame(await useRefreshToken(storage, token, { ...late, operation: 'one' }), MISSING)
      }
      const tokens = [refresh_token, first.successor, first.access_token, late.successor, late.access_token]
      t.strictSame(await liveOf(storage, tokens), [])
    }
  })

  await t.test('a refresh concurrent with a revocation is revoked or refused', async (t) => {
    const { storage } = await make(t)
    for (const [how, revoke] of Object.entries({
      'the grant': ({ grant }: Signed) => storage.families.revokeFamily(grant),
      'a refresh token': ({ refresh_token }: Signed) =>
        storage.families.revokeToken(refresh_token, client_id),
      'a replay': ({ code, attempt }: Signed) => redeemCode(storage, code, attempt('replay')),
    })) {
      const signed = await signIn(storage)
      const { grant, refresh_token, access_token } = signed
      const attempts = Array.from({ length: 30 }, (_, i) => refreshing(grant, `operation ${i}`))
      const refreshes = attempts.map((attempt, i) =>
        useRefreshToken(storage, refresh_token, i % 2 === 0 ? attempt : staying(attempt)),
      )
      const revoked = revoke(signed)
      refreshes.push(...attempts.map((attempt) => useRefreshToken(storage, refresh_token, attempt)))
      await Promise.all([...refreshes, revoked])
      const tokens = attempts.flatMap((attempt) => [attempt.access_token, attempt.successor])
      t.strictSame(await liveOf(storage, [refresh_token, access_token, ...tokens]), [], how)
    }
  })

  await t.test('a revoked JWT has a record until it expires', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const { grant, refresh_token, access_token } = await signIn(storage)
    const jti = newToken(grant)
    const expires_at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000)
    await saveRevokedToken(storage, jti, JWT, expires_at)
    t.strictSame(await storage.families.findToken(jti), {
      jti,
      ...JWT,
      expires_at: expires_at.toISOString(),
      revoked: 'true',
    })
    t.strictSame(await liveOf(storage, [refresh_token, access_token]), [refresh_token, access_token])
    t.match(await storage.families.findFamily(grant), { status: 'active' }, 'no other token is revoked')
    await saveRevokedToken(storage, jti, JWT, expires_at)
    t.equal(await endOf(storage, jti), expires_at.getTime(), 'repeating succeeds')

    const alone = newToken(newFamilyId())
    await saveRevokedToken(storage, alone, { ...JWT, subject: '' }, expires_at)
    t.match(await readToken(storage, alone), { revoked: true })
    t.equal(await storage.families.findFamily(alone.slice(0, 16)), undefined, 'no grant record is created')
    if (redis) t.equal((await keysOf(redis)).filter((key) => key.includes(alone.slice(0, 16))).length, 1)

    await pass(subject, 4, async () => (await storage.families.findToken(jti)) === undefined)
    t.ok(subject.advance !== undefined || Date.now() >= expires_at.getTime(), 'for the full lifetime')
    const over = newToken(grant)
    await saveRevokedToken(storage, over, JWT, expires_at)
    t.equal(await storage.families.findToken(over), undefined, 'an expired JWT gets no record')
    await t.rejects(saveRevokedToken(storage, 'a jti of somebody else', JWT, expires_at), TypeError)
  })

  await t.test('findTokenAndFamily returns the token and its grant as stored', async (t) => {
    const { storage } = await make(t)
    const { grant, code, refresh_token, access_token } = await signIn(storage)
    const own = await storage.families.findToken(access_token)
    const family = await storage.families.findFamily(grant)
    t.strictSame(await storage.families.findTokenAndFamily(access_token), { token: own, family })
    t.match(await storage.families.findTokenAndFamily(refresh_token), { token: { type: 'refresh_token' } })
    const jti = newToken(grant)
    t.strictSame(await storage.families.findTokenAndFamily(jti), { token: undefined, family })
    t.strictSame(await storage.families.findTokenAndFamily(code), { token: undefined, family })
    const unknown = newToken(newFamilyId())
    t.strictSame(await storage.families.findTokenAndFamily(unknown), { token: undefined, family: undefined })
    const alone = await issueClientToken(storage)
    t.match(await storage.families.findTokenAndFamily(alone), {
      token: { revoked: 'false' },
      family: undefined,
    })
    for (const no of ['', grant, 'token', `${access_token} `, `{${access_token}}`, '__proto__']) {
      t.strictSame(await storage.families.findTokenAndFamily(no), { token: undefined, family: undefined })
    }
    const copy = await storage.families.findTokenAndFamily(access_token)
    Object.assign(copy.token ?? {}, { revoked: 'x' })
    Object.assign(copy.family ?? {}, { status: 'x' })
    t.strictSame(await storage.families.findTokenAndFamily(access_token), { token: own, family }, 'a copy')
  })

  await t.test('findTokenAndFamily reads token and grant atomically', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 20; round++) {
      const { grant, access_token } = await signIn(storage)
      const reads = Array.from({ length: 5 }, () => storage.families.findTokenAndFamily(access_token))
      const revoked = storage.families.revokeFamily(grant)
      reads.push(...Array.from({ length: 5 }, () => storage.families.findTokenAndFamily(access_token)))
      for (const { token, family } of await Promise.all(reads)) {
        const seen = `${token?.revoked} ${family?.status}`
        if (seen !== 'false active' && seen !== 'true revoked') t.fail(seen)
      }
      t.equal(await revoked, 'ok')
    }
  })
}

type Signed = Awaited<ReturnType<typeof signIn>>
