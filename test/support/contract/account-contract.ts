// Changes of two records in one step, changes that are counted, and what counts once.

import type { Test } from 'tap'
import { FACTORS } from '../../../src/factors/factors-record.ts'
import { useOnce } from '../../../src/interaction/use-once.ts'
import { evidenceTag } from '../../../src/storage/evidence.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { createUser, readUser } from '../records.ts'
import type { Make } from './subject.ts'

const FIFTY = Array.from({ length: 50 })

export async function accountContract(t: Test, make: Make): Promise<void> {
  await t.test('a user and the factors change together, or neither', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    const factors = async () => (await records.read(FACTORS, 'alice'))?.hash
    const beside = { kind: FACTORS, id: 'alice' }
    const first = { ...beside, absent: ['generation'], set: { generation: '1', user_handle: 'h' } }
    t.equal(await records.change(USER, 'alice', { set: { email: 'a' }, beside: first }), 'missing')
    t.equal(await factors(), undefined, 'without a user nothing is written')
    await createUser(storage, 'alice', { sub: 'a', email: '' })
    const add = { set: {}, expected: { sub: 'a' }, absent: ['email', 'disabled'], beside: first }
    t.equal(await records.change(USER, 'alice', { ...add, expected: { sub: 'b' } }), 'missing')
    t.equal(await factors(), undefined, 'the user is another one')
    t.equal(await records.change(USER, 'alice', { ...add, absent: ['sub'] }), 'missing')
    t.equal(await factors(), undefined, 'a field is there')
    t.equal(await records.change(USER, 'alice', add), 'ok')
    t.strictSame(await factors(), { generation: '1', user_handle: 'h' })
    t.strictSame(await readUser(storage, 'alice'), { sub: 'a', email: '' }, 'nothing of it was changed')
    t.equal(await records.change(USER, 'alice', add), 'missing', 'the factors have changed')
    const next = {
      ...beside,
      expected: { generation: '1' },
      set: { generation: '2' },
      unset: ['user_handle'],
    }
    t.equal(await records.change(USER, 'alice', { set: { password_hash: 'x' }, beside: next }), 'ok')
    t.strictSame(await factors(), { generation: '2' })
    t.strictSame(await readUser(storage, 'alice'), {
      ...{ sub: 'a', email: '', password_hash: 'x' },
      generation: '1',
    })
    const whole = { set: { name: 'A' }, expected: { sub: 'a' }, whole: true as const, beside }
    t.equal(await records.change(USER, 'alice', whole), 'missing', 'it has more fields')
    await t.rejects(
      records.change(USER, 'alice', { set: {}, beside: { ...next, id: 'bob' } }),
      TypeError,
      'another slot',
    )
  })

  await t.test('of fifty at once one adds, and fifty changes are counted', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    await createUser(storage, 'alice', { sub: 'a' })
    const beside = { kind: FACTORS, id: 'alice', absent: ['generation'], set: { generation: '1' } }
    const added = await Promise.all(FIFTY.map(() => records.change(USER, 'alice', { set: {}, beside })))
    t.equal(added.filter((outcome) => outcome === 'ok').length, 1)
    await Promise.all(FIFTY.map((_, i) => records.change(USER, 'alice', { set: { email: `${i}` } })))
    t.match(await readUser(storage, 'alice'), { generation: '50' })
    await records.change(USER, 'alice', { set: {}, is_counted: true })
    t.match(await readUser(storage, 'alice'), { generation: '51' })
  })

  await t.test('what counts once counts once for fifty at once (CVE-2026-90997)', async (t) => {
    const { storage } = await make(t)
    const tag = evidenceTag('alice')
    const evidence = { purpose: 'p', step: '', browser: '', value: '', account_state: 's' }
    const ends_at = Date.now() + 60_000
    await storage.evidence.give('d', { ...evidence, account: 'alice', created_at: ends_at - 60_000, ends_at })
    await createUser(storage, 'alice', { sub: 'a' })
    const ONCE: Readonly<Record<string, () => Promise<boolean>>> = {
      'an answer, a challenge, a round': () => useOnce({ storage, now: Date.now }, 'test', 'text', 60),
      'a link, a ceremony': async () => (await storage.evidence.take(tag, 'd', evidence)) === 'taken',
      'a record that is taken': async () => (await storage.records.take(USER, 'alice')) !== undefined,
    }
    for (const [what, use] of Object.entries(ONCE)) {
      const used = await Promise.all(FIFTY.map(use))
      t.equal(used.filter(Boolean).length, 1, what)
      t.notOk(await use(), `${what}, once more`)
    }
  })
}
