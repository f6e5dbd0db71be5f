// The contract of details (RFC 9396): an access token has those of its code or grant, or what its request asks for; who asks
// learns first what was granted, and nothing is spent by that.
import type { Test } from 'tap'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { refreshing, sameState, stateOf } from './family.ts'
import { CODE, issueCode, type Make, readToken } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const GRANTED = '[{"type":"payment","amount":10}]'
const LESS = '[{"type":"payment","amount":5}]'

export async function detailsContract(t: Test, make: Make): Promise<void> {
  await t.test('a code tells its details to who asks, and is not spent by that', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const issued = await issueCode(storage, { ...CODE, authorization_details: GRANTED })
    const before = await stateOf(subject, issued)
    const asking = { ...issued.attempt('asks'), details: 'asked' } as const
    const told = { outcome: 'details', details: GRANTED } as const
    t.strictSame(await redeemCode(storage, issued.code, asking), told)
    sameState(t, await stateOf(subject, issued), before, 'nothing changed')
    const wrong = { ...asking, client_id: 'another' }
    t.match(await redeemCode(storage, issued.code, wrong), { outcome: 'mismatch' }, 'nobody else learns them')
    const attempt = { ...issued.attempt('takes'), details: { text: LESS } }
    t.match(await redeemCode(storage, issued.code, attempt), { outcome: 'ok' })
    t.equal((await readToken(storage, attempt.access_token))?.authorization_details, LESS)
    t.equal((await readToken(storage, attempt.refresh_token))?.authorization_details, undefined)
    t.match(await storage.families.findFamily(issued.grant), { authorization_details: GRANTED })
  })

  await t.test('without a question an access token has all of them, or none', async (t) => {
    const { storage } = await make(t)
    for (const granted of [GRANTED, undefined]) {
      const issued = await issueCode(storage, {
        ...CODE,
        ...(granted !== undefined && { authorization_details: granted }),
      })
      const attempt = issued.attempt('one')
      t.match(await redeemCode(storage, issued.code, attempt), { outcome: 'ok' })
      t.equal((await readToken(storage, attempt.access_token))?.authorization_details, granted)
    }
  })

  await t.test('a refresh gives all of them again, or what it asks for', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const issued = await issueCode(storage, { ...CODE, authorization_details: GRANTED })
    const first = { ...issued.attempt('first'), details: { text: LESS } }
    await redeemCode(storage, issued.code, first)
    const before = await stateOf(subject, issued)
    const asking = { ...refreshing(issued.grant, 'asks'), details: 'asked' } as const
    t.strictSame(await useRefreshToken(storage, first.refresh_token, asking), {
      outcome: 'details',
      details: GRANTED,
    })
    sameState(t, await stateOf(subject, issued), before, 'nothing changed')
    const whole = refreshing(issued.grant, 'whole')
    t.match(await useRefreshToken(storage, first.refresh_token, whole), { outcome: 'ok' })
    t.equal((await readToken(storage, whole.access_token))?.authorization_details, GRANTED)
    const less = { ...refreshing(issued.grant, 'less'), details: { text: LESS } }
    t.match(await useRefreshToken(storage, whole.successor, less), { outcome: 'ok' })
    t.equal((await readToken(storage, less.access_token))?.authorization_details, LESS)
    const retry = refreshing(issued.grant, 'retry')
    t.strictSame(await useRefreshToken(storage, whole.successor, retry), { outcome: 'retry_details' })
    const same = { ...retry, details: { text: LESS } }
    t.match(await useRefreshToken(storage, whole.successor, same), { outcome: 'ok' }, 'repeated')
  })
}
