// The contract of tokens that a client presents, and that stay as they are: an identity assertion is issued for them.

import type { Test } from 'tap'
import { newToken } from '../../../src/core/token-string.ts'
import type { Presentation } from '../../../src/storage/families.ts'
import type { SingleUse } from '../../../src/storage/single-use.ts'
import { saveRevokedToken } from '../records.ts'
import { told } from './deriving.ts'
import { refreshing, sameState, signIn, stateOf } from './family.ts'
import { CODE, type Make } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const { client_id } = CODE

const refresh = (token: string, single_uses: readonly SingleUse[] = []): Presentation => ({
  token,
  type: 'refresh_token',
  client_id,
  single_uses,
})
const identity = (grant: string, single_uses: readonly SingleUse[] = []): Presentation => ({
  token: newToken(grant),
  type: 'id_token',
  client_id,
  single_uses,
})
const proofOf = (grant: string): SingleUse => ({ kind: 'proof', id: newToken(grant), ttl: 60 })

export async function presentedContract(t: Test, make: Make): Promise<void> {
  await t.test('a live token stays as it is, and its proof counts once', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { families } = storage
    const { grant, refresh_token } = await signIn(storage)
    for (const present of [(uses: SingleUse[]) => refresh(refresh_token, uses), identityOf(grant)]) {
      const proof = proofOf(grant)
      const before = await families.readFamily(grant, 9)
      t.equal(await families.presentToken(present([proof])), 'ok')
      t.strictSame(await families.readFamily(grant, 9), before)
      t.match(await families.presentToken(present([proof])), { outcome: 'used', kind: 'proof' })
      t.equal(await families.presentToken(present([])), 'ok')
    }
    const used = await useRefreshToken(storage, refresh_token, refreshing(grant, 'one'))
    t.match(used, { outcome: 'ok' }, 'it was not spent')
    t.equal(await families.presentToken(refresh(refresh_token)), 'ended', 'now it is')
    t.equal(await families.presentToken(identity(grant)), 'ok')
  })

  await t.test('the audit trail says it in the same step, and only if it counts', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const texts = async () => {
      await storage.trail.collect()
      return (await storage.trail.read({ limit: 9 })).map(({ text }) => text)
    }
    const proof = proofOf(grant)
    await storage.families.presentToken(refresh(refresh_token, [proof]), told('first'))
    await storage.families.presentToken(refresh(refresh_token, [proof]), told('again'))
    t.strictSame(await texts(), ['first'])
    await storage.families.revokeFamily(grant)
    await storage.families.presentToken(refresh(refresh_token), told('ended'))
    t.strictSame(await texts(), ['first'])
  })

  await t.test('what is not live, or another client’s, is refused and changes nothing', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { families } = storage
    const family = await signIn(storage)
    const { grant, access_token, refresh_token } = family
    const over = newToken(grant)
    const fields = { type: 'access_token' as const, subject: CODE.subject, scope: '', client_id }
    await saveRevokedToken(storage, over, fields, new Date(Date.now() + 60_000))
    const ended = await signIn(storage)
    await families.revokeFamily(ended.grant)
    const none: Record<string, Presentation> = {
      'another client': { ...refresh(refresh_token), client_id: 'other' },
      'an access token': refresh(access_token),
      'an unknown one': refresh(newToken(grant)),
      'no token string': refresh('token'),
      'an access token as an id_token': { ...identity(grant), token: access_token },
      'a revoked id_token': { ...identity(grant), token: over },
      'a refresh token of an ended family': refresh(ended.refresh_token),
      'an id_token of an ended family': identity(ended.grant),
      'an id_token of no family': identity('AAAAAAAAAAAAAAAA'),
    }
    const proof = proofOf(grant)
    const before = await stateOf(subject, family, access_token, refresh_token)
    for (const [name, presentation] of Object.entries(none))
      t.equal(await families.presentToken({ ...presentation, single_uses: [proof] }), 'ended', name)
    const after = await stateOf(subject, family, access_token, refresh_token)
    sameState(t, after, before, 'nothing changed')
    t.equal(await families.presentToken(refresh(refresh_token, [proof])), 'ok', 'the proof is left')
  })
}

const identityOf = (grant: string) => (uses: SingleUse[]) => identity(grant, uses)
