// The contract of device codes: they wait for the answer of their user, and are then redeemed as codes are.
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { write } from '../../../src/storage/records.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { DEVICE } from '../../../src/tokens/device-record.ts'
import {
  allowedFields,
  redeemWaiting,
  type WaitingRedemption,
  waitingIdOf,
} from '../../../src/tokens/waiting-code.ts'
import { FIFTY, liveOf } from './family.ts'
import type { Make } from './subject.ts'

const ASKED = {
  client_id: 'tv',
  scope: 'openid',
  user_code: 'WDJBMJHT',
  address: '192.0.2.1',
  asked_at: '2026-11-22T12:00:00.000Z',
  status: 'pending',
}
const ALICE = { subject: 'sub-of-alice', username: 'alice', auth_time: 1_700_000_000, sid: 'a session' }

/** A device that waits, and the attempts to get its tokens. */
async function newDevice(storage: Storage, interval = '5') {
  const grant = newFamilyId()
  const device_code = newToken(grant)
  const id = waitingIdOf(device_code) ?? ''
  await storage.records.put(write(DEVICE, id, { ...ASKED, interval }, 600))
  const attempt = (
    operation: string,
  ): WaitingRedemption & { access_token: string; refresh_token: string } => ({
    bound_to: { client_id: 'tv', kind: undefined },
    operation,
    access_token: newToken(grant),
    refresh_token: newToken(grant),
    access_token_ttl: 900,
    refresh_token_ttl: 3600,
  })
  return {
    id,
    grant,
    device_code,
    attempt,
    poll: (operation: string = randomUUID()) => redeemWaiting(storage, device_code, attempt(operation)),
    answer: (fields = allowedFields(ALICE, 'openid')) =>
      storage.records.change(DEVICE, id, { set: fields, expected: { status: 'pending' } }),
  }
}

export async function deviceContract(t: Test, make: Make): Promise<void> {
  await t.test('a poll before the answer spends nothing', async (t) => {
    const { storage } = await make(t)
    const { poll, attempt, grant, device_code } = await newDevice(storage, '1')
    for (let i = 0; i < 3; i++) t.strictSame(await poll(), { outcome: 'pending' })
    const proof = { kind: 'proof', id: newToken(grant), ttl: 60 } as const
    const proven = { ...attempt('proven'), single_uses: [proof] }
    t.match(await redeemWaiting(storage, device_code, proven), { outcome: 'pending' })
    t.equal(await storage.families.useOnce([proof], 'tv'), 'ok', 'nothing of a proof is kept')
    t.equal(await storage.families.findFamily(grant), undefined)
  })

  await t.test('an interval that is no number counts as the default', async (t) => {
    const { storage } = await make(t)
    for (const interval of ['', 'x', 'nan', '-1', '1e300', '9'.repeat(16)]) {
      const { id, poll } = await newDevice(storage, interval)
      t.strictSame([await poll(), await poll()], [{ outcome: 'pending' }, { outcome: 'slow_down' }], interval)
      t.match((await storage.records.read(DEVICE, id))?.hash, { interval: '10' })
    }
  })

  await t.test('polls that are too early are told so, and each makes the interval longer', async (t) => {
    const { storage } = await make(t)
    const { poll, id } = await newDevice(storage)
    t.strictSame(await poll(), { outcome: 'pending' })
    t.strictSame(await poll(), { outcome: 'slow_down' })
    t.match((await storage.records.read(DEVICE, id))?.hash, { interval: '10' })
    t.strictSame(await poll(), { outcome: 'slow_down' })
    t.match((await storage.records.read(DEVICE, id))?.hash, { interval: '15' })
  })

  await t.test('of polls at the same moment, one is in time', async (t) => {
    const { storage } = await make(t)
    const { poll, id } = await newDevice(storage)
    const results = await Promise.all(FIFTY.map((operation) => poll(operation)))
    t.equal(results.filter(({ outcome }) => outcome === 'pending').length, 1)
    t.equal(results.filter(({ outcome }) => outcome === 'slow_down').length, 49)
    t.match((await storage.records.read(DEVICE, id))?.hash, { interval: String(5 + 49 * 5) })
  })

  await t.test('a poll that is sent again gets the same answer and counts once', async (t) => {
    const { storage } = await make(t)
    const { poll, id } = await newDevice(storage)
    for (const attempt of ['first', 'again']) {
      t.strictSame(await poll('one'), { outcome: 'pending' }, attempt)
    }
    for (const attempt of ['first', 'again']) {
      t.strictSame(await poll('two'), { outcome: 'slow_down' }, attempt)
    }
    t.match((await storage.records.read(DEVICE, id))?.hash, { interval: '10' })
  })

  await t.test('of many answers one counts', async (t) => {
    const { storage } = await make(t)
    const { answer, poll } = await newDevice(storage)
    const answers = [...FIFTY.map(() => answer()), ...FIFTY.map(() => answer({ status: 'denied' }))]
    const results = await Promise.all(answers)
    t.equal(results.filter((result) => result === 'ok').length, 1)
    const isAllowed = results.indexOf('ok') < FIFTY.length
    t.equal((await poll()).outcome, isAllowed ? 'ok' : 'denied')
  })

  await t.test('an allowed device gets tokens once, without regard to the interval', async (t) => {
    const { storage } = await make(t)
    const { answer, device_code, attempt, poll, grant } = await newDevice(storage)
    await poll()
    t.equal(await answer(), 'ok')
    const attempts = FIFTY.map((operation) => attempt(operation))
    const results = await Promise.all(attempts.map((one) => redeemWaiting(storage, device_code, one)))
    const redeemed = results.filter(({ outcome }) => outcome === 'ok')
    t.strictSame(redeemed, [{ outcome: 'ok', scope: 'openid', sign_in: ALICE }])
    t.equal(results.filter(({ outcome }) => outcome === 'replayed').length, 49)
    t.match(await storage.families.findFamily(grant), { status: 'revoked', client_id: 'tv', sid: ALICE.sid })
    const tokens = attempts.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
    t.strictSame(await liveOf(storage, tokens), [], 'a replay ends the family')
  })

  await t.test('a redemption that is sent again gets the same answer', async (t) => {
    const { storage } = await make(t)
    const { answer, device_code, attempt } = await newDevice(storage)
    await answer()
    const first = attempt('one')
    for (const sent of ['first', 'again']) {
      const { outcome } = await redeemWaiting(storage, device_code, first)
      t.equal(outcome, 'ok', sent)
    }
    t.equal((await liveOf(storage, [first.access_token, first.refresh_token])).length, 2)
  })

  await t.test('another client learns nothing and spends nothing', async (t) => {
    const { storage } = await make(t)
    const { answer, device_code, attempt, poll } = await newDevice(storage)
    const thief = { client_id: 'thief', kind: undefined }
    const theft = () => redeemWaiting(storage, device_code, { ...attempt('theft'), bound_to: thief })
    const mismatch = { outcome: 'mismatch', field: 'client_id' }
    t.strictSame(await theft(), mismatch, 'while it waits')
    t.strictSame(await poll(), { outcome: 'pending' }, 'the theft was no poll')
    await answer()
    t.strictSame(await theft(), mismatch, 'when it is allowed')
    t.equal((await poll()).outcome, 'ok')
  })

  await t.test('a code counts as its kind alone', async (t) => {
    const { storage } = await make(t)
    const { answer, device_code, attempt, poll, id } = await newDevice(storage)
    await answer()
    const as = (kind: string | undefined) =>
      redeemWaiting(storage, device_code, { ...attempt(`as ${kind}`), bound_to: { client_id: 'tv', kind } })
    t.strictSame(await as('ask'), { outcome: 'mismatch', field: 'kind' })
    await storage.records.change(DEVICE, id, { set: { kind: 'ask' } })
    t.strictSame(await poll(), { outcome: 'mismatch', field: 'kind' }, 'nor without it')
    t.equal((await as('ask')).outcome, 'ok', 'neither spent it')
  })

  await t.test('a device that was allowed before a time gets none when all that is ended', async (t) => {
    const { storage } = await make(t)
    const { answer, poll } = await newDevice(storage)
    await answer()
    t.match(await storage.families.revokeGrantedBefore(Number.MAX_SAFE_INTEGER), { codes: 1 })
    t.strictSame(await poll(), { outcome: 'missing' })
  })

  await t.test('a family that was ended before the device asked gets no tokens', async (t) => {
    const { storage } = await make(t)
    const { answer, poll, grant } = await newDevice(storage)
    await answer()
    await storage.families.endFamily(grant, 700)
    t.strictSame(await poll(), { outcome: 'missing' })
  })
}
