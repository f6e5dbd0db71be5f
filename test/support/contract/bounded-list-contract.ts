// The contract of bounded lists: strangers cannot make them longer, and push out nothing but what they put there themselves.
import type { Test } from 'tap'
import type { BoundedListId, ListLimits } from '../../../src/storage/bounded-lists.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createUser } from '../records.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass, type RedisSide } from './subject.ts'

const MINUTE = 60_000
const LIST = 'memory'
const BOUNDS = { ttl: MINUTE, max: 6, of_kind: 3, looked_at: 6, keep: true } as const

/** Entries of an owner and a kind, whose texts have all sorts of characters. */
const by = (owner: string, kind: string, ...names: readonly string[]) =>
  names.map((name) => ({ name, kind, owner, text: `"${name}" - 1 ü\n` }))
const of = (kind: string, ...names: readonly string[]) => by(`owner-of-${kind}`, kind, ...names)

/** The keys in Redis, but for those of probes. */
const listKeys = async (redis: RedisSide) =>
  (await keysOf(redis)).filter((key) => !key.startsWith('probe:')).sort()

/** What is done to one list. */
function listIn({ bounded }: Storage, list: BoundedListId = LIST) {
  return {
    put: (entries: Parameters<typeof bounded.put>[1], change: Partial<ListLimits> = {}, more = {}) =>
      bounded.put(list, entries, { ...BOUNDS, ...change }, new Map(Object.entries<number>(more))),
    names: async () => (await bounded.read(list)).map(({ name }) => name),
    has: async (name: string) => (await bounded.read(list, { name })).length === 1,
    more: async (name: string) => (await bounded.read(list, { name }))[0]?.more,
  }
}

export async function boundedListContract(t: Test, make: Make): Promise<void> {
  await t.test('an entry is found by its name, and those that end last are first', async (t) => {
    const { storage } = await make(t)
    const { put, names } = listIn(storage)
    await put([...of('one', 'a', 'b c'), ...of('two', '{d}')])
    await put([{ name: 'plain', text: '' }], { ttl: MINUTE / 2 })
    t.match(await storage.bounded.read(LIST, { name: 'b c' }), [{ text: '"b c" - 1 ü\n', more: 0 }])
    t.match(await storage.bounded.read(LIST, { name: 'plain' }), [{ name: 'plain', text: '' }])
    t.strictSame(await storage.bounded.read(LIST, { name: 'b' }), [])
    t.strictSame(await names(), ['{d}', 'b c', 'a', 'plain'], 'of one call in its order')
    t.match(await storage.bounded.read(LIST, { last: 2 }), [{ name: '{d}' }, { name: 'b c' }])
    t.strictSame(await listIn(storage, 'day-counts').names(), [], 'each list has its own')
  })

  await t.test('an entry ends at its time, whatever the others do', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const { put, names, more } = listIn(storage)
    await put(of('one', 'long'))
    await put(of('two', 'short'), { ttl: 1000 }, { two: 2 })
    const entries = await storage.bounded.read(LIST)
    t.ok(entries.every(({ ends_in }, i) => ends_in > 0 && ends_in <= (i === 0 ? MINUTE : 1000)))
    await pass(subject, 1.1, async () => !(await names()).includes('short'))
    t.notOk(await storage.bounded.drop(LIST, 'short'), 'it is not there any more')
    t.strictSame(await names(), ['long'])
    await put(of('two', 'next'))
    t.equal(await more('next'), 0)
    if (redis === undefined) return
    const keys = await listKeys(redis)
    t.strictSame(keys, ['memory', `order:{${redis.prefix}memory}`])
    for (const key of keys) {
      const left = (await expiryOf(redis, key)) - Date.now()
      t.ok(left > 1000 && left <= MINUTE, `${key}: nothing stays without an end`)
    }
    t.equal(await redis.cli('HLEN', `${redis.prefix}memory`), '2')
    t.equal(await redis.cli('ZCARD', `${redis.prefix}order:{${redis.prefix}memory}`), '8')
  })

  await t.test('an entry is replaced, or kept', async (t) => {
    const { storage } = await make(t)
    const { put } = listIn(storage)
    await put(of('one', 'name'))
    await put([{ name: 'name', text: 'forged' }], { ttl: 2 * MINUTE })
    t.match(await storage.bounded.read(LIST), [{ text: '"name" - 1 ü\n' }])
    for (const text of ['one', 'two']) {
      await storage.bounded.put(LIST, [{ name: 'name', text }], { ttl: 2 * MINUTE, max: 1 })
      const [entry, ...others] = await storage.bounded.read(LIST)
      t.match([entry, others], [{ text }, []], 'one that is there needs no room')
      t.ok((entry?.ends_in ?? 0) > MINUTE)
    }
  })

  await t.test('a full list forgets the entry that ends first', async (t) => {
    const { put, names } = listIn((await make(t)).storage)
    const bounds = { max: 3, keep: undefined as never }
    for (const [name, ttl] of Object.entries({ b: 2, a: 1, c: 3 }))
      await put([{ name, text: '' }], { ...bounds, ttl: ttl * MINUTE })
    await put([{ name: 'b', text: 'again' }], { ...bounds, ttl: 4 * MINUTE })
    await put([{ name: 'd', text: '' }], { ...bounds, ttl: MINUTE })
    t.strictSame(await names(), ['b', 'c', 'd'])
  })

  await t.test('one kind keeps its newest, and pushes out nothing else', async (t) => {
    const { put, names } = listIn((await make(t)).storage)
    await put([...of('one', '1'), ...of('two', '2'), ...of('three', '3')])
    for (let i = 0; i < 50; i++) await put(of('flood', `f${i}`))
    t.strictSame(await names(), ['f49', 'f48', 'f47', '3', '2', '1'])
    await put(of('four', '4'))
    t.strictSame(await names(), ['4', 'f49', 'f48', '3', '2', '1'], 'a new kind finds room')
    await put(of('flood', 'f50', 'f51'))
    t.ok((await names()).length <= 6)
    t.strictSame((await names()).slice(0, 3), ['f51', 'f50', '4'])
  })

  await t.test(
    'a kind has no more than it may have, also where there is room, or all have one owner',
    async (t) => {
      const { put, names } = listIn((await make(t)).storage, 'day-counts')
      const entries = (...given: readonly string[]) =>
        given.map((name) => ({ name, text: '', kind: name.startsWith('f') ? 'failed' : undefined }))
      await put(entries('1', 'f1', '2', 'f2', 'f3'), { of_kind: 2, max: 5 })
      t.strictSame(await names(), ['f3', 'f2', '2', '1'])
      for (let i = 4; i < 20; i++) await put(entries(`f${i}`), { of_kind: 2, max: 5 })
      await put(entries('3'), { of_kind: 2, max: 5 })
      t.strictSame(await names(), ['3', 'f19', 'f18', '2', '1'])
      for (const name of ['4', '5', '6']) await put(entries(name), { of_kind: 2, max: 5, looked_at: 1 })
      t.strictSame(await names(), ['6', '5', '4', '3', 'f19'], 'else the oldest makes room')
    },
  )

  await t.test('without room whoever has most makes it, however many kinds an owner makes', async (t) => {
    const subject = await make(t)
    const { put, names } = listIn(subject.storage)
    await put([...by('web', 'one', '1'), ...by('shop', 'two', '2', '3')])
    for (let i = 0; i < 50; i++) await put(by('strangers', `kind-${i}`, `s${i}`))
    t.strictSame(await names(), ['s49', 's48', 's47', '3', '2', '1'])
    await put(by('new', 'three', '4'))
    t.strictSame(await names(), ['4', 's49', 's48', '3', '2', '1'], 'the oldest of whoever has most')
    await put(Array.from({ length: 40 }, (_, i) => by('strangers', `more-${i}`, `m${i}`)).flat())
    t.strictSame(await names(), ['m39', 'm38', '4', '3', '2', '1'], 'also beside a batch')
    if (subject.redis === undefined) return
    const { cli, prefix } = subject.redis
    const lines = (await cli('ZRANGE', `${prefix}order:{${prefix}memory}`, '0', '-1')).split('\n')
    t.equal(lines.filter((line) => /^[eko] /.test(line)).length, 18, 'three of each')
    t.strictSame(
      lines.flatMap((line) => /^n (\d+) \d+ (.*)$/.exec(line)?.slice(1, 3).join(' ') ?? []),
      ['000001 new', '000001 web', '000002 strangers', '000002 shop'],
    )
  })

  await t.test('of several who have most, the one whose entry ends first makes room', async (t) => {
    const { put, names } = listIn((await make(t)).storage)
    for (const owner of ['b', 'a', 'c']) await put(by(owner, owner, `${owner}1`, `${owner}2`))
    await put(by('new', 'new', 'n1'))
    t.notOk((await names()).includes('b1'))
    await put(by('c', 'c', 'c3'))
    t.strictSame((await names()).sort(), ['a1', 'a2', 'b2', 'c2', 'c3', 'n1'], 'or who needs it')
  })

  await t.test('what an owner repeats makes room before what it did once', async (t) => {
    const { put, names, has } = listIn((await make(t)).storage)
    await put(by('web', 'once', '1'))
    for (let i = 0; i < 50; i++)
      await put(['wrong', 'limited'].flatMap((kind) => by('web', kind, `${kind}-${i}`)))
    await put(by('shop', 'two', '2'))
    for (const name of ['1', '2']) t.ok(await has(name), name)
    t.equal((await names()).length, BOUNDS.max)
  })

  await t.test('a kind has one owner while there is one of it', async (t) => {
    const { storage } = await make(t)
    const { put, names } = listIn(storage)
    await put([...by('other', 'any', 'o1', 'o2', 'o3'), ...by('strangers', 'kind', 'a')])
    await put(by('web', 'kind', 'b', 'c', 'd'))
    t.strictSame(await names(), ['d', 'c', 'b', 'o3', 'o2', 'o1'])
    await put(by('web', 'new', 'e'))
    t.strictSame(await names(), ['e', 'd', 'c', 'b', 'o3', 'o2'], 'web has none of the kind')
    const others = listIn(storage, 'day-counts')
    await others.put(['x', 'y', 'z'].flatMap((kind) => by('other', kind, `o${kind}`)))
    await others.put(['v', 'w', 'kind'].flatMap((kind) => by('strangers', kind, `s${kind}`)))
    await others.put(by('web', 'kind', 'a'))
    t.strictSame(await others.names(), ['a', 'skind', 'sw', 'oz', 'oy', 'ox'], 'its owner needs the room')
  })

  await t.test('what is not put there is counted with its kind, while there is one', async (t) => {
    const { put, more } = listIn((await make(t)).storage)
    await put(of('kind', 'a'), {}, { kind: 5, other: 7 })
    await put([], {}, { kind: 2 })
    t.equal(await more('a'), 7)
    await put(of('other', 'o'))
    t.equal(await more('o'), 0, 'a kind without an entry has no count')
    await put(of('kind', 'b', 'c', 'd'))
    t.equal(await more('d'), 7)
  })

  await t.test('of many who remove an entry one learns that it was there', async (t) => {
    const { storage, redis } = await make(t)
    const { put, names } = listIn(storage)
    await put([...of('one', 'name'), ...of('two', 'other')], {}, { one: 1 })
    const dropped = await Promise.all(Array.from({ length: 5 }, () => storage.bounded.drop(LIST, 'name')))
    t.strictSame(dropped.filter(Boolean), [true])
    t.strictSame(await names(), ['other'])
    t.strictSame([await storage.bounded.drop(LIST), await storage.bounded.drop(LIST)], [true, false])
    t.strictSame(await names(), [])
    if (redis !== undefined) t.strictSame(await listKeys(redis), [])
  })

  await t.test('the list of a user is beside the user, and nothing is put there without one', async (t) => {
    const { storage, redis } = await make(t)
    for (const username of ['alice', 'bob', 'a {b}', 'a}b{', '__proto__', 'ä 🗝']) {
      const { put, names } = listIn(storage, { activity_of: username })
      await put([{ name: '1', text: '' }])
      t.strictSame(await names(), [], 'there is no such user')
      await createUser(storage, username, { sub: `sub of ${username}` })
      await put(['1', '2'].map((name) => ({ name, text: username })))
      t.strictSame(await names(), ['2', '1'])
      await storage.bounded.drop({ activity_of: 'alice' })
      t.equal((await names()).length, username === 'alice' ? 0 : 2)
      const other = listIn(storage, { notices_of: username })
      t.strictSame(await other.names(), [], 'each user has one of each kind')
      await storage.bounded.drop({ notices_of: username })
    }
    if (redis !== undefined) {
      const order = `${redis.prefix}order:activity:{${redis.prefix}user:bob}`
      t.equal(
        await redis.cli('ZCARD', order),
        '5',
        'without a kind two lines of each, and one of their owner',
      )
    }
    for (const key of redis === undefined ? [] : await keysOf(redis))
      if (/^(activity|order):/.test(key)) t.ok((await expiryOf(redis as never, key)) > 0, `${key} ends`)
  })

  await t.test('lines that somebody changed by hand are put right', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const { cli, prefix } = redis
    const { put, names } = listIn(storage)
    for (const spoil of [
      ['DEL', `${prefix}memory`],
      ['DEL', `${prefix}order:{${prefix}memory}`],
      ['ZREMRANGEBYLEX', `${prefix}order:{${prefix}memory}`, '[n ', '(n ~'],
      ['ZREMRANGEBYLEX', `${prefix}order:{${prefix}memory}`, '[o ', '(o ~'],
      ['ZREMRANGEBYLEX', `${prefix}order:{${prefix}memory}`, '[e ', '(e ~'],
    ]) {
      for (let i = 0; i < 9; i++) await put(of(`kind-${i}`, `n${i}`))
      await cli(...spoil)
      for (let i = 10; i < 30; i++) await put(of(`kind-${i}`, `n${i}`))
      t.equal((await names())[0], 'n29', spoil.join(' '))
      t.ok((await names()).length <= BOUNDS.max)
      await storage.bounded.drop(LIST)
    }
  })
}
