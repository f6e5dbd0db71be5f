// The contract of outboxes: each has its order, its bound and its end, whatever is in the others.
import type { Test } from 'tap'
import { expiryOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

const BOUNDS = { max: 4, ttl: 60 } as const
const ALL = { limit: 10, ttl: 60 } as const

export async function outboxContract(t: Test, make: Make): Promise<void> {
  await t.test('items are read in the order in which they were put', async (t) => {
    const { storage } = await make(t)
    const { outboxes } = storage
    t.equal(await outboxes.put('mail', ['b', 'a'], BOUNDS), true)
    t.equal(await outboxes.put('mail', ['"{ü}" - 1\n'], BOUNDS), true)
    t.strictSame(await outboxes.read('mail', ALL), ['b', 'a', '"{ü}" - 1\n'])
    t.strictSame(await outboxes.read('mail', { ...ALL, limit: 2 }), ['b', 'a'], 'reading takes nothing')
    t.strictSame(await outboxes.read('news', ALL), [], 'each receiver has its own')
    await outboxes.remove('mail', 'a', 'none')
    t.strictSame(await outboxes.read('mail', ALL), ['b', '"{ü}" - 1\n'])
    t.equal(await outboxes.size('mail'), 2)
  })

  await t.test('an item that is there keeps its place, and counts once', async (t) => {
    const { outboxes } = (await make(t)).storage
    await outboxes.put('mail', ['a', 'b'], BOUNDS)
    t.equal(await outboxes.put('mail', ['c', 'a', 'c'], BOUNDS), true)
    t.strictSame(await outboxes.read('mail', ALL), ['a', 'b', 'c'])
    await outboxes.remove('mail', 'a')
    t.equal(await outboxes.put('mail', ['a'], BOUNDS), true)
    t.strictSame(await outboxes.read('mail', ALL), ['b', 'c', 'a'], 'one that was removed is new')
  })

  await t.test('E4: a full outbox takes all of a call or nothing, and others do not notice', async (t) => {
    const { outboxes } = (await make(t)).storage
    t.equal(await outboxes.put('mail', ['a', 'b', 'c'], BOUNDS), true)
    t.equal(await outboxes.put('mail', ['d', 'e'], BOUNDS), false)
    t.strictSame(await outboxes.read('mail', ALL), ['a', 'b', 'c'])
    t.equal(await outboxes.put('mail', ['d', 'a'], BOUNDS), true, 'up to the bound')
    t.equal(await outboxes.put('mail', ['e'], BOUNDS), false)
    t.equal(await outboxes.put('mail', ['a', 'd'], BOUNDS), true, 'these are there')
    t.equal(await outboxes.put('news', ['a'], BOUNDS), true)
    await outboxes.clear('mail')
    t.equal(await outboxes.size('mail'), 0)
    t.equal(await outboxes.size('news'), 1)
    t.equal(await outboxes.put('mail', ['e'], BOUNDS), true)
  })

  await t.test('an item ends at its time, and makes room', async (t) => {
    const subject = await make(t)
    const { outboxes } = subject.storage
    const short = { max: 1, ttl: 1 }
    await outboxes.put('mail', ['a'], short)
    if (subject.redis !== undefined)
      t.ok((await expiryOf(subject.redis, 'set-outbox:mail')) > Date.now(), 'the key has an end')
    await pass(subject, 1.1, async () => (await outboxes.read('mail', { limit: 1, ttl: 1 })).length === 0)
    t.equal(await outboxes.put('mail', ['b'], short), true)
    t.strictSame(await outboxes.read('mail', { limit: 1, ttl: 60 }), ['b'])
  })
}
