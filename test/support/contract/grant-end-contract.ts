// The contract of endFamily: what the family issued is revoked, and nothing more can be issued.

import type { Test } from 'tap'
import { newToken } from '../../../src/core/token-string.ts'
import { endAllBefore } from '../../../src/sessions/session-store.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { FIFTY, liveOf, MISSING, refreshing, sameState, signIn, stateOf } from './family.ts'
import { expiryOf } from './redis-subject.ts'
import { CODE, issueCode, type Make, pass } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const { client_id } = CODE

export async function grantEndContract(t: Test, make: Make): Promise<void> {
  await t.test('ending a family revokes everything issued in it', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, refresh_token, access_token } = family
    const bystander = await signIn(storage)
    await storage.families.endFamily(grant, 60)
    t.match(await storage.families.findFamily(grant), { status: 'revoked', client_id, subject: CODE.subject })
    t.strictSame(await liveOf(storage, [access_token, refresh_token]), [])
    t.strictSame(await useRefreshToken(storage, refresh_token, refreshing(grant, 'late')), MISSING)
    const dead = await stateOf(subject, family, access_token, refresh_token)
    await storage.families.endFamily(grant, 60)
    sameState(
      t,
      await stateOf(subject, family, access_token, refresh_token),
      dead,
      'repeating changes nothing',
    )
    const theirs = [bystander.access_token, bystander.refresh_token]
    t.strictSame(await liveOf(storage, theirs), theirs, 'other grants are not affected')
  })

  await t.test('a family that is ended before it exists can never issue tokens', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, code, attempt } = await issueCode(storage)
    await storage.families.endFamily(grant, 60)
    t.strictSame(await storage.families.findFamily(grant), { status: 'revoked' })
    const first = attempt('one')
    const wrong = { ...first, client_id: 'other' }
    t.strictSame(await redeemCode(storage, code, wrong), { outcome: 'mismatch', field: 'client_id' })
    t.strictSame(await redeemCode(storage, code, first), MISSING)
    t.strictSame(await redeemCode(storage, code, first), MISSING)
    t.strictSame(await liveOf(storage, [first.access_token, first.refresh_token]), [])
    t.strictSame(await storage.families.findFamily(grant), { status: 'revoked' })
    const late = newToken(grant)
    t.strictSame(await useRefreshToken(storage, late, refreshing(grant, 'late')), MISSING)
    t.match(await storage.families.findTokenAndFamily(late), { family: { status: 'revoked' } })
    t.equal(await storage.families.revokeFamily(grant), 'again')
    t.strictSame(await endAllBefore(storage, Number.MAX_SAFE_INTEGER), {
      ...{ sessions: 0, grants: 0, codes: 1, tokens: 0 },
    })
    for (const name of ['', '*', 'short', `{${grant}}`]) {
      await storage.families.endFamily(name, 60)
      t.equal(
        await storage.families.findFamily(name),
        undefined,
        'a string that is not a family id is refused',
      )
    }
  })

  await t.test('the end is remembered as long as requested', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const [short, long, redeemable] = [
      await issueCode(storage),
      await issueCode(storage),
      await issueCode(storage),
    ]
    await storage.families.endFamily(short.grant, 0.2)
    await storage.families.endFamily(long.grant, 0.2)
    await storage.families.endFamily(long.grant, 50)
    await storage.families.endFamily(long.grant, 0.2)
    await pass(subject, 0.3, async () => (await storage.families.findFamily(short.grant)) === undefined)
    t.strictSame(await redeemCode(storage, long.code, long.attempt('one')), MISSING)
    t.match(await redeemCode(storage, redeemable.code, redeemable.attempt('one')), { outcome: 'ok' })
    if (subject.redis === undefined) return
    const left = (await expiryOf(subject.redis, `grant:{${long.grant}}`)) - Date.now()
    t.ok(left > 25_000 && left < 51_000, `${left} ms left`)
  })

  await t.test('C14: of 50 that end a family at once one is told that it did', async (t) => {
    const { storage } = await make(t)
    const { grant } = await signIn(storage)
    const ends = await Promise.all(FIFTY.map(() => storage.families.revokeFamily(grant)))
    t.equal(ends.filter((outcome) => outcome === 'ok').length, 1)
    t.equal(ends.filter((outcome) => outcome === 'again').length, 49)
    t.equal(await storage.families.revokeFamily(grant), 'again', 'and nobody later')
  })

  await t.test('whether redeemed or ended first, no token stays valid', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 10; round += 1) {
      const { grant, code, attempt } = await issueCode(storage)
      const first = attempt('one')
      const redeem = () => redeemCode(storage, code, first)
      const end = () => storage.families.endFamily(grant, 60)
      await Promise.all(round % 2 === 0 ? [redeem(), end()] : [end(), redeem()])
      t.strictSame(await liveOf(storage, [first.access_token, first.refresh_token]), [])
      t.match(await storage.families.findFamily(grant), { status: 'revoked' })
    }
  })
}
