// The contract of tokens that are bound to a DPoP key (RFC 9449) or a certificate (RFC 8705).

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { age, refreshing, sameState, signIn, spentBy, stateOf, staying } from './family.ts'
import { CODE, issueCode, type Make, readToken } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const KEY = { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' }
const CERTIFICATE = { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' }
const BOTH = { ...KEY, ...CERTIFICATE }
const OTHERS = [undefined, { jkt: 'another' }, { 'x5t#S256': 'another' }, { ...BOTH, jkt: 'another' }]
const OTHER_KEY = { outcome: 'key' }

export async function boundTokenContract(t: Test, make: Make): Promise<void> {
  await t.test('tokens are bound to a key, a certificate or both', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    for (const confirmation of [KEY, CERTIFICATE, BOTH]) {
      const public_client = await signIn(storage, { confirmation, binds_refresh_token: true })
      const bound = { confirmation }
      t.match(await readToken(storage, public_client.access_token), bound)
      t.match(await readToken(storage, public_client.refresh_token), bound)
      const confidential = await signIn(storage, { confirmation, binds_refresh_token: false })
      t.match(await readToken(storage, confidential.access_token), bound)
      t.match(await readToken(storage, confidential.refresh_token), { confirmation: undefined })

      const own = newToken(newFamilyId())
      await families.saveClientToken({ token: own, client_id: 'app', scope: '', confirmation }, 60)
      t.match(await readToken(storage, own), bound)
      const granted = newToken(newFamilyId())
      const grant = { is_jwt: false, single_uses: [], client_id: 'app', scope: '', access_token_ttl: 60 }
      t.equal(await families.grantOnce({ ...grant, token: granted, confirmation }), 'ok')
      t.match(await readToken(storage, granted), bound)
      t.match(await readToken(storage, (await signIn(storage)).access_token), { confirmation: undefined })
    }
  })

  await t.test('a code that is bound to a key is redeemed with this key, and not spent before', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const issued = await issueCode(storage, { ...CODE, dpop_jkt: KEY.jkt })
    const before = await stateOf(subject, issued)
    for (const confirmation of [undefined, CERTIFICATE, { jkt: 'another' }]) {
      const wrong = { ...issued.attempt('wrong'), ...(confirmation && { confirmation }) }
      const mismatch = { outcome: 'mismatch', field: 'dpop_jkt' }
      t.strictSame(await redeemCode(storage, issued.code, wrong), mismatch)
    }
    sameState(t, await stateOf(subject, issued), before, 'nothing changed')
    const right = { ...issued.attempt('right'), confirmation: KEY }
    t.match(await redeemCode(storage, issued.code, right), { outcome: 'ok' })
  })

  await t.test('a bound refresh token needs its key, and its successor is bound, too', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage, { confirmation: BOTH, binds_refresh_token: true })
    const before = await stateOf(subject, family, family.refresh_token)
    for (const confirmation of OTHERS) {
      const wrong = { ...refreshing(family.grant, 'wrong'), ...(confirmation && { confirmation }) }
      t.strictSame(await useRefreshToken(storage, family.refresh_token, wrong), OTHER_KEY)
    }
    sameState(t, await stateOf(subject, family, family.refresh_token), before, 'nothing changed')
    const right = { ...refreshing(family.grant, 'right'), confirmation: BOTH }
    t.match(await useRefreshToken(storage, family.refresh_token, right), { outcome: 'ok' })
    for (const token of [right.access_token, right.successor]) {
      t.match(await readToken(storage, token), { confirmation: BOTH })
    }
    const stays = staying({ ...refreshing(family.grant, 'stays'), confirmation: BOTH })
    t.match(await useRefreshToken(storage, right.successor, stays), { outcome: 'ok' })
    t.match(await readToken(storage, stays.access_token), { confirmation: BOTH })
    t.match(await readToken(storage, right.successor), { confirmation: BOTH })
  })

  await t.test('a refresh token that is not bound is used with any key', async (t) => {
    const { storage } = await make(t)
    const family = await signIn(storage, { confirmation: KEY })
    const other = { jkt: 'another' }
    const attempt = { ...refreshing(family.grant, 'one'), confirmation: other }
    t.match(await useRefreshToken(storage, family.refresh_token, attempt), { outcome: 'ok' })
    t.match(await readToken(storage, attempt.access_token), { confirmation: other })
    t.match(await readToken(storage, attempt.successor), { confirmation: undefined })
  })

  await t.test('a refresh that binds its refresh token binds one that was bound to less', async (t) => {
    const { storage } = await make(t)
    for (const before of [undefined, KEY, CERTIFICATE]) {
      const bound = before && { confirmation: before, binds_refresh_token: true }
      const family = await signIn(storage, bound)
      const refresh = { ...refreshing(family.grant, 'one'), confirmation: BOTH, binds_refresh_token: true }
      t.match(await useRefreshToken(storage, family.refresh_token, refresh), { outcome: 'ok' })
      t.match(await readToken(storage, refresh.successor), { confirmation: BOTH })
      const plain = { ...refreshing(family.grant, 'two'), binds_refresh_token: true }
      t.strictSame(await useRefreshToken(storage, refresh.successor, plain), OTHER_KEY)
    }
    const family = await signIn(storage)
    const plain = { ...refreshing(family.grant, 'plain'), binds_refresh_token: true }
    t.match(await useRefreshToken(storage, family.refresh_token, plain), { outcome: 'ok' })
    t.match(await readToken(storage, plain.successor), { confirmation: undefined })
  })

  await t.test('a retry needs the key of the first attempt, because it gets its tokens', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    // What the first attempt binds, the retry need not have been bound to.
    for (const binds_refresh_token of [false, true]) {
      const family = await signIn(storage)
      const first = { ...refreshing(family.grant, 'first'), confirmation: BOTH, binds_refresh_token }
      t.match(await useRefreshToken(storage, family.refresh_token, first), { outcome: 'ok' })
      for (const confirmation of OTHERS) {
        const retry = { ...refreshing(family.grant, 'retry'), ...(confirmation && { confirmation }) }
        const refused = await useRefreshToken(storage, family.refresh_token, retry)
        t.strictSame(refused, { outcome: 'retry_key' })
      }
      const retry = { ...refreshing(family.grant, 'retry'), confirmation: BOTH }
      t.strictSame(await useRefreshToken(storage, family.refresh_token, retry), spentBy(first))
      await age(subject, family.refresh_token, 31)
      t.strictSame(await useRefreshToken(storage, family.refresh_token, retry), { outcome: 'reused' })
    }
  })

  await t.test('a proof is used up with the token that it is for', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const { access_token, grant } = await signIn(storage, { confirmation: KEY })
    const proof = (jkt = KEY.jkt) => ({
      single_use: { kind: 'proof', id: newToken(grant), ttl: 60 } as const,
      jkt,
    })
    const [good, other] = [proof(), proof('another')]
    const answers = await Promise.all(
      [1, 2, 3].map(() => families.findTokenByProof(access_token, good, false)),
    )
    const replayed = answers.filter((answer) => 'outcome' in answer)
    t.strictSame(replayed, Array(2).fill({ outcome: 'used', kind: 'proof' }))
    const found = { token: { jti: access_token, ...KEY }, family: { status: 'active' } }
    t.match(
      answers.find((answer) => !('outcome' in answer)),
      found,
    )
    t.match(await families.findTokenByProof(access_token, proof(), false), found, 'another proof')
    for (const attempt of ['the first', 'again']) {
      t.match(
        await families.findTokenByProof(access_token, other, false),
        found,
        `of another key, ${attempt}`,
      )
    }
  })

  await t.test('a proof for a token that does not exist leaves nothing, unless it is a JWT', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const token = newToken(newFamilyId())
    const id = newToken(token.slice(0, 16))
    const proof = { single_use: { kind: 'proof', id, ttl: 60 } as const, ...KEY }
    const nothing = { token: undefined, family: undefined }
    for (let i = 0; i < 2; i += 1) {
      t.strictSame(await families.findTokenByProof(token, proof, false), nothing)
    }
    t.strictSame(await families.findTokenByProof(token, proof, true), nothing)
    const replayed = { outcome: 'used', kind: 'proof' }
    t.strictSame(await families.findTokenByProof(token, proof, true), replayed)
    t.strictSame(await families.findTokenByProof('no token', proof, true), nothing)
  })
}
