// The contract of rosters: small lists with ends, which strangers cannot make longer.
import type { Test } from 'tap'
import { expiryOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

const MINUTE = 60_000

export async function rosterContract(t: Test, make: Make): Promise<void> {
  await t.test('an entry ends at its time, whatever the others do', async (t) => {
    const subject = await make(t)
    const { rosters } = subject.storage
    await rosters.enter('memory', 'long', 'a text: "1 2"', { ttl: MINUTE, max: 5 })
    await rosters.enter('memory', 'short', '', { ttl: 1000, max: 5 })
    const entries = [...(await rosters.read('memory'))].sort((a, b) => b.ends_in - a.ends_in)
    t.strictSame(
      entries.map(({ name, text }) => [name, text]),
      [
        ['long', 'a text: "1 2"'],
        ['short', ''],
      ],
    )
    t.ok(entries.every(({ ends_in }, i) => ends_in > 0 && ends_in <= (i === 0 ? MINUTE : 1000)))
    t.strictSame(await rosters.read('day-counts'), [])
    await pass(subject, 1.1, async () => (await rosters.read('memory')).length === 1)
    if (subject.redis === undefined) return
    const ttl = (await expiryOf(subject.redis, 'memory')) - Date.now()
    t.ok(ttl > 0 && ttl <= MINUTE, 'nothing stays without an end')
  })

  await t.test('an entry is replaced, or kept', async (t) => {
    const { rosters } = (await make(t)).storage
    await rosters.enter('memory', 'name', 'one', { ttl: MINUTE, max: 5 })
    await rosters.enter('memory', 'name', 'two', { ttl: 2 * MINUTE, max: 5, keep: true })
    t.match(await rosters.read('memory'), [{ text: 'one' }])
    await rosters.enter('memory', 'name', 'two', { ttl: 2 * MINUTE, max: 5 })
    const [entry] = await rosters.read('memory')
    t.equal(entry?.text, 'two')
    t.ok((entry?.ends_in ?? 0) > MINUTE)
  })

  await t.test('a full roster forgets the entry that ends first', async (t) => {
    const { rosters } = (await make(t)).storage
    for (const [name, ttl] of Object.entries({ b: 2, a: 1, c: 3 }))
      await rosters.enter('memory', name, '', { ttl: ttl * MINUTE, max: 3 })
    await rosters.enter('memory', 'b', 'again', { ttl: 4 * MINUTE, max: 3 })
    t.equal((await rosters.read('memory')).length, 3, 'one that is there needs no room')
    await rosters.enter('memory', 'd', '', { ttl: MINUTE, max: 3 })
    t.strictSame((await rosters.read('memory')).map(({ name }) => name).sort(), ['b', 'c', 'd'])
  })

  await t.test('a full roster takes from the owner who has most, whatever ends first', async (t) => {
    const { rosters } = (await make(t)).storage
    const names = async () => (await rosters.read('memory')).map(({ name }) => name).sort()
    await rosters.enter('memory', 'alice one', '', { ttl: MINUTE, max: 4 })
    for (let i = 0; i < 20; i++)
      await rosters.enter('memory', `vic ${i}`, '', { ttl: (2 + i) * MINUTE, max: 4 })
    t.strictSame(await names(), ['alice one', 'vic 17', 'vic 18', 'vic 19'])
    await rosters.enter('memory', 'bob one', '', { ttl: MINUTE, max: 4 })
    t.strictSame(await names(), ['alice one', 'bob one', 'vic 18', 'vic 19'])
  })

  await t.test('of many who remove an entry one learns that it was there', async (t) => {
    const { rosters } = (await make(t)).storage
    await rosters.enter('memory', 'name', '', { ttl: MINUTE, max: 3 })
    const left = await Promise.all(Array.from({ length: 5 }, () => rosters.leave('memory', 'name')))
    t.strictSame(left.filter(Boolean), [true])
    t.strictSame(await rosters.read('memory'), [])
  })
}
