import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import type { PendingRecord } from '../../../src/interaction/pending-record.ts'
import { PENDING as PENDING_KIND } from '../../../src/interaction/pending-record.ts'
import {
  changePending,
  finishPending,
  readPending,
  savePending,
} from '../../../src/interaction/pending-store.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
// The contract of requests that wait for the user.
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { MISSING } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { attempt, CODE, type Make, pass } from './subject.ts'

export const PENDING: PendingRecord = {
  kind: 'authorization',
  parameters: '{"client_id":"app","state":"é 🗝"}',
  browser: 'digest of a browser',
  client_id: 'app',
}

// The time that the test itself may take.
const SLACK_MS = 25_000

/** A new pending request, and the code that may answer it. */
function names() {
  const grant = newFamilyId()
  return { grant, id: newToken(grant), code: { code: newToken(grant), record: CODE, ttl: 60 } }
}

export async function pendingContract(t: Test, make: Make): Promise<void> {
  await t.test('a pending request is read as it was written', async (t) => {
    const { storage } = await make(t)
    for (const record of [
      PENDING,
      { kind: 'logout', parameters: '{}', browser: 'b' },
      { ...PENDING, signed_in: 'sid 1795000000', chosen: 'sid', client_id: '__proto__' },
    ] as const) {
      const { id } = names()
      t.equal(await readPending(storage, id), undefined)
      await savePending(storage, id, record, 60)
      t.strictSame(await readPending(storage, id), record)
      t.strictSame(await readPending(storage, id), record, 'reading does not remove it')
    }
  })

  await t.test('a change sets fields of an existing request and does not extend its lifetime', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const [{ id }, short] = [names(), names()]
    t.equal(await changePending(storage, id, { signed_in: 'sid 1' }), 'missing')
    t.equal(await readPending(storage, id), undefined, 'a change does not create a request')
    await savePending(storage, id, PENDING, 60)
    t.equal(await changePending(storage, id, {}), 'ok', 'an empty change is accepted')
    t.equal(await changePending(storage, id, { signed_in: 'sid 1' }), 'ok')
    t.equal(await changePending(storage, id, { signed_in: 'sid 2', chosen: 'sid' }), 'ok')
    t.strictSame(await readPending(storage, id), { ...PENDING, signed_in: 'sid 2', chosen: 'sid' })

    await savePending(storage, short.id, PENDING, 0.2)
    await changePending(storage, short.id, { signed_in: 'sid 1' })
    await pass(subject, 0.3, async () => (await readPending(storage, short.id)) === undefined)
    t.equal(await changePending(storage, short.id, { signed_in: 'sid 2' }), 'missing')
    t.equal(await finishPending(storage, short.id, short.code), 'missing')
    t.equal(await readPending(storage, short.id), undefined)
  })

  await t.test('a pending request is finished once', async (t) => {
    const { storage } = await make(t)
    const { id } = names()
    t.equal(await finishPending(storage, id), 'missing')
    await savePending(storage, id, PENDING, 60)
    t.equal(await finishPending(storage, id), 'ok')
    t.equal(await finishPending(storage, id), 'missing')
    t.equal(await changePending(storage, id, { chosen: 'sid' }), 'missing')
    t.equal(await readPending(storage, id), undefined)
  })

  await t.test('finishing it with a code saves that code', async (t) => {
    const { storage } = await make(t)
    const { grant, id, code } = names()
    await savePending(storage, id, PENDING, 60)
    t.equal(await finishPending(storage, id, code), 'ok')
    t.equal(await readPending(storage, id), undefined)
    t.strictSame(await redeemCode(storage, code.code, attempt(grant, 'one')), { outcome: 'ok', code: CODE })
    t.equal(await finishPending(storage, id, code), 'missing', 'the code is not written again')
    t.strictSame(await redeemCode(storage, code.code, attempt(grant, 'two')), { outcome: 'replayed' })

    const late = names()
    t.equal(await finishPending(storage, late.id, late.code), 'missing')
    t.strictSame(
      await redeemCode(storage, late.code.code, attempt(late.grant, 'one')),
      MISSING,
      'finishing an expired or missing request saves no code',
    )
  })

  await t.test('of concurrent attempts to finish a request one gets its code', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 5; round += 1) {
      const { grant, id } = names()
      await savePending(storage, id, PENDING, 60)
      const codes = Array.from({ length: 10 }, () => ({ code: newToken(grant), record: CODE, ttl: 60 }))
      const outcomes = await Promise.all([
        ...codes.map((code) => finishPending(storage, id, code)),
        changePending(storage, id, { chosen: 'sid' }),
      ])
      t.equal(outcomes.slice(0, 10).filter((outcome) => outcome === 'ok').length, 1)
      for (const [i, { code }] of codes.entries()) {
        const { outcome } = await redeemCode(storage, code, attempt(grant, `operation ${i}`))
        t.equal(outcome, outcomes[i], 'only its code exists')
        if (outcome === 'ok') break
      }
      t.equal(await readPending(storage, id), undefined, 'a change does not restore the request')
    }
  })

  await t.test('an id that is not a token string is never found and never written', async (t) => {
    const { storage } = await make(t)
    const { id, code } = names()
    for (const name of ['', 'x', `${id}x`, id.slice(1), `{${id}`]) {
      t.equal(await readPending(storage, name), undefined)
      t.equal(await changePending(storage, name, { chosen: 'sid' }), 'missing')
      t.equal(await finishPending(storage, name), 'missing')
      await t.rejects(savePending(storage, name, PENDING, 60), TypeError)
    }
    await savePending(storage, id, PENDING, 60)
    await t.rejects(finishPending(storage, id, { ...code, code: newToken(newFamilyId()) }), TypeError)
    t.strictSame(
      await readPending(storage, id),
      PENDING,
      'a refused code of another family leaves the request unchanged',
    )
  })

  await t.test('in Redis a pending request is one key with an expiry', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const { grant, id, code } = names()
    const left = async (key: string) => (await expiryOf(redis, key)) - Date.now()
    const keys = async () => (await keysOf(redis)).filter((key) => !key.startsWith('probe:'))
    await savePending(storage, id, PENDING, 600)
    t.strictSame(await keys(), [`pending:{${grant}}.${id.slice(17)}`])
    t.ok(Math.abs((await left(`pending:{${grant}}.${id.slice(17)}`)) - 600_000) < SLACK_MS)
    await finishPending(storage, id, code)
    t.strictSame(await keys(), [`code:{${grant}}.${code.code.slice(17)}`])
    t.ok(Math.abs((await left(`code:{${grant}}.${code.code.slice(17)}`)) - 60_000) < SLACK_MS)
  })

  await t.test('a malformed record is refused', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const { id } = names()
    const key = new RedisKeys(redis.prefix).record(PENDING_KIND, id)
    for (const [field, ...value] of [
      ['kind'],
      ['kind', 'other'],
      ['parameters'],
      ['browser'],
      ['browser', ''],
    ]) {
      await savePending(storage, id, PENDING, 60)
      await redis.cli(value.length === 0 ? 'HDEL' : 'HSET', key, field ?? '', ...value)
      t.equal(await readPending(storage, id), undefined, `${field} ${value}`)
    }
  })
}
