// The contract of optional parts of a code: its code_challenge, and facts about the sign-in.

import type { Test } from 'tap'
import { SIGN_IN_FIELDS } from '../../../src/storage/families.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { factsOf, refreshing, staying } from './family.ts'
import { CODE, issueCode, type Make } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

export async function codeContract(t: Test, make: Make): Promise<void> {
  await t.test('a code without a code_challenge is redeemed only without a code_verifier', async (t) => {
    const { storage } = await make(t)
    const { code_challenge, ...unchallenged } = CODE
    const { code, attempt } = await issueCode(storage, unchallenged)
    const refused = { outcome: 'mismatch', field: 'code_challenge' }
    t.strictSame(await redeemCode(storage, code, { ...attempt('downgraded'), code_challenge }), refused)
    t.strictSame(await redeemCode(storage, code, attempt('one')), { outcome: 'ok', code: unchallenged })

    const challenged = await issueCode(storage)
    const { code_challenge: _, ...unproven } = challenged.attempt('stolen')
    t.strictSame(await redeemCode(storage, challenged.code, unproven), refused)
    t.match(await redeemCode(storage, challenged.code, challenged.attempt('one')), { outcome: 'ok' })

    const empty = await issueCode(storage, { ...CODE, code_challenge: '' })
    t.strictSame(
      await redeemCode(storage, empty.code, empty.attempt('one')),
      refused,
      'an empty code_challenge matches neither',
    )
    const { code_challenge: __, ...absent } = empty.attempt('two')
    t.strictSame(await redeemCode(storage, empty.code, absent), refused)
  })

  await t.test('facts about the sign-in are kept in the grant, and returned by every refresh', async (t) => {
    const { storage } = await make(t)
    // A code for resources is redeemed for them: target-contract.ts.
    const fields = SIGN_IN_FIELDS.filter((field) => field !== 'resource')
    const all = Object.fromEntries(fields.map((field) => [field, `${field}: "é" {x} 🗝`]))
    const { subject, auth_time } = CODE
    for (const known of [{}, { username: 'alice' }, { sid: 'sid', claims: '{"userinfo":["name"]}' }, all]) {
      const { grant, code, attempt } = await issueCode(storage, { ...CODE, ...known })
      const first = attempt('one')
      t.strictSame(await redeemCode(storage, code, first), { outcome: 'ok', code: { ...CODE, ...known } })
      const { refresh_until = '' } = (await storage.families.findFamily(grant)) ?? {}
      t.strictSame(await factsOf(storage, grant), {
        ...{ client_id: CODE.client_id, subject, scope: CODE.scope, auth_time: String(auth_time) },
        ...{ ...known, status: 'active', refresh_until },
      })
      const next = refreshing(grant, 'next')
      for (const refresh of [next, next, refreshing(grant, 'retry')]) {
        t.match(await useRefreshToken(storage, first.refresh_token, refresh), {
          outcome: 'ok',
          sign_in: { subject, auth_time, ...known },
        })
      }
      const answer = await useRefreshToken(storage, next.successor, staying(refreshing(grant, 'last')))
      t.strictSame(answer.outcome === 'ok' && answer.sign_in, { subject, auth_time, ...known })
    }
  })
}
