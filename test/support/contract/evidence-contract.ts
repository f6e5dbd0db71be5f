// The contract of evidence: it counts once, and only for what it was made for.
import type { Test } from 'tap'
import {
  EVIDENCE_PER_ACCOUNT,
  type Evidence,
  evidenceTag,
  type KeptEvidence,
} from '../../../src/storage/evidence.ts'
import { expiryOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

const HOUR = 3_600_000

/** A link that proves an e-mail address. */
export const EVIDENCE: KeptEvidence = {
  account: 'alice',
  purpose: 'verify_email',
  step: 'confirm',
  browser: '',
  value: 'alice@example.com',
  account_state: 'as it was',
  created_at: 0,
  ends_at: Number.MAX_SAFE_INTEGER,
}

const TAG = evidenceTag('alice')
const fresh = (more: Partial<KeptEvidence> = {}): KeptEvidence => ({
  ...EVIDENCE,
  created_at: Date.now(),
  ends_at: Date.now() + HOUR,
  ...more,
})

export async function evidenceContract(t: Test, make: Make): Promise<void> {
  await t.test('it is read any number of times, and taken once', async (t) => {
    const subject = await make(t)
    const { evidence } = subject.storage
    const given = fresh()
    await evidence.give('d', given)
    t.strictSame(await evidence.read(TAG, 'd'), given)
    t.strictSame(await evidence.read(TAG, 'd'), given)
    t.equal(await evidence.read(TAG, 'other'), undefined)
    t.equal(await evidence.read(evidenceTag('bob'), 'd'), undefined)
    if (subject.redis !== undefined) {
      const ttl = (await expiryOf(subject.redis, `evidence:{${TAG}}`)) - Date.now()
      t.ok(ttl > 0 && ttl <= HOUR, 'nothing stays without an end')
    }
    const taken = await Promise.all(Array.from({ length: 8 }, () => evidence.take(TAG, 'd', EVIDENCE)))
    t.strictSame(taken.sort(), [...Array(7).fill('missing'), 'taken'])
    t.equal(await evidence.read(TAG, 'd'), undefined)
  })

  await t.test('what was made before a time ends, of all accounts', async (t) => {
    const { evidence } = (await make(t)).storage
    const time = Date.now()
    await evidence.give('old', fresh({ created_at: time - 1 }))
    await evidence.give('new', fresh({ created_at: time, browser: 'b' }))
    await evidence.give('of bob', fresh({ account: 'bob', created_at: time - 1000 }))
    t.equal(await evidence.endMadeBefore(time), 2)
    t.strictSame([...(await evidence.list(TAG)).keys()], ['new'])
    t.equal(await evidence.read(evidenceTag('bob'), 'of bob'), undefined)
    t.equal(await evidence.endMadeBefore(time), 0)
  })

  await t.test('for anything else it does not count, and stays', async (t) => {
    const { evidence } = (await make(t)).storage
    await evidence.give('d', fresh())
    const members = ['purpose', 'step', 'browser', 'value', 'account_state'] satisfies (keyof Evidence)[]
    for (const member of members) {
      t.equal(await evidence.take(TAG, 'd', { ...EVIDENCE, [member]: 'another' }), 'refused', member)
    }
    t.equal(await evidence.take(evidenceTag('bob'), 'd', EVIDENCE), 'missing')
    t.equal(await evidence.take(TAG, 'd', EVIDENCE), 'taken')
  })

  await t.test('a newer one of the same purpose and browser replaces the older one', async (t) => {
    const { evidence } = (await make(t)).storage
    await evidence.give('older', fresh())
    await evidence.give('elsewhere', fresh({ browser: 'b' }))
    await evidence.give('for something else', fresh({ purpose: 'reset_password' }))
    await evidence.give('of somebody else', fresh({ account: 'bob' }))
    await evidence.give('newer', fresh())
    t.strictSame([...(await evidence.list(TAG)).keys()].sort(), ['elsewhere', 'for something else', 'newer'])
    t.equal(await evidence.take(TAG, 'older', EVIDENCE), 'missing')
    t.equal(await evidence.take(TAG, 'newer', EVIDENCE), 'taken')
    t.strictSame(
      [...(await evidence.list(TAG)).keys()],
      ['for something else'],
      'one that counted ends all of its purpose',
    )
    t.strictSame([...(await evidence.list(evidenceTag('bob'))).keys()], ['of somebody else'])
  })

  await t.test('it ends at its time', async (t) => {
    const subject = await make(t)
    const { evidence } = subject.storage
    await evidence.give('d', fresh({ ends_at: Date.now() + 1000 }))
    await evidence.give('long', fresh({ purpose: 'invite' }))
    await pass(subject, 1.1, async () => (await evidence.read(TAG, 'd')) === undefined)
    t.equal(await evidence.take(TAG, 'd', EVIDENCE), 'missing')
    t.strictSame([...(await evidence.list(TAG)).keys()], ['long'])
  })

  await t.test('there are so many of an account, and no more', async (t) => {
    const { evidence } = (await make(t)).storage
    for (let i = 0; i <= EVIDENCE_PER_ACCOUNT; i += 1) {
      await evidence.give(`d${i}`, fresh({ browser: `b${i}`, ends_at: Date.now() + HOUR + i }))
    }
    const kept = await evidence.list(TAG)
    t.equal(kept.size, EVIDENCE_PER_ACCOUNT)
    t.notOk(kept.has('d0'), 'the one that ends first made room')
    t.ok(kept.has(`d${EVIDENCE_PER_ACCOUNT}`))
  })

  await t.test('one is ended, or all of an account', async (t) => {
    const { evidence } = (await make(t)).storage
    await evidence.give('one', fresh())
    await evidence.give('two', fresh({ purpose: 'invite' }))
    await evidence.give('three', fresh({ purpose: 'other' }))
    await evidence.end(TAG, 'one')
    t.strictSame([...(await evidence.list(TAG)).keys()].sort(), ['three', 'two'])
    await evidence.end(TAG)
    t.equal((await evidence.list(TAG)).size, 0)
  })
}
