// The contract of pushed requests: written with what their client used for them, and spent once, with a code or without.
import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { answerOnce } from '../../../src/interaction/answered.ts'
import { findPushed, PUSHED, spendPushed } from '../../../src/interaction/pushed-request.ts'
import { write } from '../../../src/storage/records.ts'
import type { SingleUse } from '../../../src/storage/single-use.ts'
import { CODE as CODE_KIND } from '../../../src/tokens/code-record.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { LARGEST } from '../details.ts'
import { pendingOf } from './answered-contract.ts'
import { MISSING } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { attempt, CODE, type Make, pass } from './subject.ts'

const RECORD = {
  client_id: 'app',
  parameters: { state: 'a state', scope: 'openid' },
  expires_at: 1_800_000_000_000,
}

/** A pushed request to write. */
function pushing(ttl = 60) {
  const id = newToken(newFamilyId())
  return { id, family: id.slice(0, 16), record: write(PUSHED, id, RECORD, ttl) }
}

const useOf = (kind: SingleUse['kind'] = 'assertion'): SingleUse => ({
  kind,
  id: newToken(newFamilyId()),
  ttl: 60,
})

export async function pushedContract(t: Test, make: Make): Promise<void> {
  await t.test('a pushed request is written with what it is pushed with, once', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const assertion = useOf()
    // In a Cluster a proof is used up for the family that it comes with.
    const proof = { ...useOf('proof'), id: newToken(assertion.id.slice(0, 16)) }
    for (const single_uses of [[], [useOf()], [useOf('proof')], [assertion, proof]]) {
      const { id, record } = pushing()
      t.equal(await families.useOnce(single_uses, 'app', record), 'ok')
      t.same(await findPushed({ storage }, id), RECORD)
      for (const used of single_uses) {
        const again = pushing()
        t.match(await families.useOnce([used], 'app', again.record), { outcome: 'used', kind: used.kind })
        t.equal(await findPushed({ storage }, again.id), undefined, 'and the other one is not')
      }
    }
  })

  await t.test('the scope that was decided for it is kept, also an empty one', async (t) => {
    const { storage } = await make(t)
    for (const default_scope of ['openid', '']) {
      const { id } = pushing()
      await storage.records.put(write(PUSHED, id, { ...RECORD, default_scope }, 60))
      t.same(await findPushed({ storage }, id), { ...RECORD, default_scope })
    }
  })

  await t.test('the largest details are kept as they were sent, in as many bytes', async (t) => {
    const { storage } = await make(t)
    const authorization_details = JSON.stringify(LARGEST)
    const record = { ...RECORD, parameters: { ...RECORD.parameters, authorization_details } }
    const { id } = pushing()
    const written = write(PUSHED, id, record, 60)
    t.equal(await storage.families.useOnce([], 'app', written), 'ok')
    t.same(await findPushed({ storage }, id), record)
    const bytes = Object.values(written.hash).reduce((sum, value) => sum + Buffer.byteLength(value), 0)
    t.ok(bytes < Buffer.byteLength(authorization_details) + 200, `${bytes}: no JSON in JSON`)
  })

  await t.test('of concurrent answers to a pushed request one gets its code', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 5; round += 1) {
      const { id, family, record } = pushing()
      await storage.families.useOnce([], 'app', record)
      const codes = Array.from({ length: 10 }, () => newToken(family))
      // Half of them at the authorization endpoint, the others from pages, each with a pending request of its own.
      const answers = codes.map((code, i) =>
        i % 2 === 0
          ? spendPushed({ storage }, id, write(CODE_KIND, code, CODE, 60))
          : answerOnce(
              { storage, now: Date.now },
              { ...pendingOf(family), pushed: id },
              { code, record: CODE, ttl: 60 },
            ),
      )
      const outcomes = await Promise.all(answers)
      t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
      t.equal(await findPushed({ storage }, id), undefined)
      for (const [i, code] of codes.entries()) {
        const redeemed = await redeemCode(storage, code, attempt(family, `operation ${i}`))
        t.strictSame(redeemed, outcomes[i] === 'ok' ? { outcome: 'ok', code: CODE } : MISSING)
      }
    }
  })

  await t.test('an error spends it, too, and after its time there is nothing to spend', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { id, family, record } = pushing()
    await storage.families.useOnce([], 'app', record)
    t.equal(await spendPushed({ storage }, id), 'ok')
    const code = newToken(family)
    t.equal(await spendPushed({ storage }, id, write(CODE_KIND, code, CODE, 60)), 'exists')
    t.strictSame(await redeemCode(storage, code, attempt(family, 'one')), MISSING)
    const brief = pushing(0.2)
    await storage.families.useOnce([], 'app', brief.record)
    await pass(subject, 0.3, async () => (await findPushed({ storage }, brief.id)) === undefined)
    t.equal(await spendPushed({ storage }, brief.id), 'exists')
  })

  await t.test('a name that is no token string, and a code of another family', async (t) => {
    const { storage } = await make(t)
    for (const id of ['', 'x', `${newToken(newFamilyId())}x`]) {
      t.equal(await findPushed({ storage }, id), undefined)
      t.equal(await spendPushed({ storage }, id), 'exists')
    }
    const { id, record } = pushing()
    await storage.families.useOnce([], 'app', record)
    const foreign = write(CODE_KIND, newToken(newFamilyId()), CODE, 60)
    await t.rejects(spendPushed({ storage }, id, foreign), TypeError)
    t.ok(await findPushed({ storage }, id), 'it was not spent')
  })

  await t.test('a record that was damaged by hand is no request', async (t) => {
    const { storage } = await make(t)
    for (const damage of [
      { parameters: '' },
      { parameters: '[]' },
      { parameters: '{"state":1}' },
      { expires_at: '' },
      { expires_at: 'soon' },
      { client_id: '' },
    ]) {
      const { id, record } = pushing()
      await storage.records.put({ ...record, hash: { ...record.hash, ...damage } })
      t.equal(await findPushed({ storage }, id), undefined, JSON.stringify(damage))
    }
  })

  await t.test('in Redis it is one hash, which expires', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const { id, family, record } = pushing()
    await storage.families.useOnce([], 'app', record)
    const keys = (await keysOf(redis)).filter((key) => key.startsWith('pushed:'))
    t.strictSame(keys, [`pushed:{${family}}${id.slice(16)}`])
    t.ok(Math.abs((await expiryOf(redis, keys[0] ?? '')) - Date.now() - 60_000) < 25_000)
  })
}
