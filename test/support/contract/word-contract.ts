// The contract of what records are found by, word by word.
import fc from 'fast-check'
import type { Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { readingsOf } from '../../../src/core/words.ts'
import type { KindName } from '../../../src/storage/records.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { isFound, textOf } from '../../../src/storage/words.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { LIMITS, newClient } from './registration-contract.ts'
import type { Make, RedisSide } from './subject.ts'

const LIMIT = 3
const RUNS = 15
const told = undefined

export async function wordContract(t: Test, make: Make): Promise<void> {
  await t.test('people are found by the beginning of any word, whatever case and marks it has', async (t) => {
    const { storage } = await make(t)
    await putUser(storage, 'ako', { name: 'Anna Kowalski', email: 'anna.kow@example.com' })
    await putUser(storage, 'zoe', { name: 'Zoë Łukasz-Straße', email: 'z@other.example' })
    await putUser(storage, 'tar', { name: '山田太郎' })
    for (const q of [
      'Anna',
      'KOWAL',
      'kowalski anna',
      'ako',
      'anna.kow@example.com',
      'anna.k',
      '@example.com',
    ])
      t.strictSame(await found(storage, USER, q), ['ako'], q)
    for (const q of ['example.com', 'kow@exam', 'Anna@Example.COM'])
      t.strictSame(await found(storage, USER, q), ['ako'], q)
    for (const q of ['zoe', 'ZOË', 'lukasz', 'strasse', 'łukasz-str', 'zoe@other.example'])
      t.strictSame(await found(storage, USER, q), ['zoe'], q)
    t.strictSame(await found(storage, USER, '太郎'), ['tar'])
    for (const q of ['anna zoe', 'kowalskia', 'anna.x@example.com', '@example.org'])
      t.strictSame(await found(storage, USER, q), [], q)
  })

  await t.test('those come first whose first word it is, and those last that have it inside', async (t) => {
    const { storage } = await make(t)
    await createClient(storage, 'a', 'Night shop')
    await createClient(storage, 'b', 'Shop')
    await createClient(storage, 'c', 'Workshop')
    await createClient(storage, 'd', 'Shop floor shop')
    await createClient(storage, 'com.example.phone', 'Nothing')
    t.strictSame(await found(storage, CLIENT, 'shop'), ['b', 'd', 'a', 'c'])
    t.strictSame(await pagesOf(storage, CLIENT, 'shop'), [['b', 'd', 'a'], ['c']])
    const { of } = await storage.records.find(CLIENT, readingsOf('shop'), { limit: 1 })
    t.equal(of, 5, 'and how many there are')
    t.strictSame(await found(storage, CLIENT, 'com.example.phone'), ['com.example.phone'])
    t.strictSame(await found(storage, CLIENT, 'hone'), ['com.example.phone'])
  })

  await t.test('a change and a removal are found out in the same step', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { records } = storage
    await putUser(storage, 'ada', { name: 'Ada Lovelace', email: 'ada@example.com' })
    await records.change(USER, 'ada', { set: { name: 'Ada King' } })
    t.strictSame(await found(storage, USER, 'king'), ['ada'])
    t.strictSame(await found(storage, USER, 'lovelace'), [])
    await records.change(USER, 'ada', { set: { password_hash: 'x' }, unset: ['email'], absent: ['locale'] })
    t.strictSame(await found(storage, USER, '@example.com'), [], 'a change that is counted, too')
    t.equal(await records.change(USER, 'ada', { set: { name: 'Eve' }, expected: { sub: 'x' } }), 'missing')
    t.strictSame(await found(storage, USER, 'eve'), [])
    await putUser(storage, 'ada', { name: 'Grace' })
    t.strictSame(await found(storage, USER, 'king'), [], 'what is put takes its place')
    t.equal(await records.create({ kind: USER, id: 'ada', hash: { sub: 's', name: 'Other' } }), 'exists')
    t.strictSame(await found(storage, USER, 'other'), [])
    await records.remove(USER, 'ada', told)
    t.strictSame(await found(storage, USER, 'grace'), [])
    await assertNothingLeft(t, subject.redis, 'user')
  })

  await t.test('changes at the same time leave the words of the last one', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    await putUser(storage, 'ada', { name: 'Zero' })
    const names = ['One', 'Two', 'Three', 'Four']
    await Promise.all(names.map((name) => storage.records.change(USER, 'ada', { set: { name } })))
    const name = (await storage.records.read(USER, 'ada'))?.hash.name ?? ''
    t.strictSame(await found(storage, USER, name), ['ada'])
    for (const other of names) if (other !== name) t.strictSame(await found(storage, USER, other), [], other)
    await storage.records.remove(USER, 'ada', told)
    await assertNothingLeft(t, subject.redis, 'user')
  })

  await t.test('a client that registers itself is found', async (t) => {
    const { storage } = await make(t)
    const client = newClient(storage)
    const named = { ...client, hash: { ...client.hash, client_name: 'Stranger' } }
    await storage.registrations.registerOpenly(named, '203.0.113.1', LIMITS)
    t.strictSame(await found(storage, CLIENT, 'stranger'), [client.id])
  })

  await t.test('the pages have each record once that fits, and no other, whatever the words', async (t) => {
    const word = fc.constantFrom('an', 'ann', 'anna', 'ba', 'bann', 'é', 'ß', 'com')
    const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
    const person = fc.record({
      name: text,
      email: fc.tuple(text, word).map(([a, b]) => `${a.replaceAll(' ', '.')}@${b}.com`),
    })
    const people = fc.array(person, { maxLength: 12 })
    const run = async (hashes: Hash[], q: string) => {
      const { storage } = await make(t)
      for (const [i, hash] of hashes.entries()) await putUser(storage, `u${i}`, hash)
      const readings = readingsOf(q)
      const fits = hashes.flatMap((hash, i) =>
        isFound(textOf(USER, `u${i}`, hash), readings, true) ? [`u${i}`] : [],
      )
      t.strictSame((await pagesOf(storage, USER, q)).flat().sort(), fits.sort(), q)
      await storage.close()
    }
    const asked = fc.oneof(
      text,
      person.map(({ email }) => email),
      fc.constantFrom('a', 'n', 'anna.com', '@an', 'ba.co'),
    )
    await fc.assert(fc.asyncProperty(people, asked, run), { numRuns: RUNS })
  })

  await t.test('the words that strangers write are bounded', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const name = Array.from({ length: 400 }, (_, i) => `w${String(i).padStart(3, '0')}`).join(' ')
    await putUser(storage, 'eve', { name, email: `${'x'.repeat(60)}@example.com` })
    t.strictSame(await found(storage, USER, 'w011'), ['eve'])
    t.strictSame(await found(storage, USER, 'w012'), [])
    if (subject.redis) t.equal(await subject.redis.cli('zcard', `${subject.redis.prefix}words:user`), '13')
  })

  await t.test('what was written or removed by hand is found out by a repair', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    if (redis === undefined) return
    const key = `${redis.prefix}user:ada`
    await redis.cli('hset', key, 'sub', 's', 'name', 'Ada Lovelace')
    t.strictSame(await found(storage, USER, 'lovelace'), [])
    await storage.records.relist(USER, ['ada'])
    t.strictSame(await found(storage, USER, 'lovelace'), ['ada'])
    await redis.cli('hset', key, 'name', 'Grace Hopper')
    t.strictSame(
      await found(storage, USER, 'lovelace'),
      [],
      'an entry that does not fit is mended when it is met',
    )
    t.strictSame(await found(storage, USER, 'hopper'), ['ada'])
    await redis.cli('hset', key, 'name', 'Ada King')
    t.equal(await storage.records.fitWords(USER, [{ id: 'ada', hash: { sub: 's', name: 'Ada King' } }]), 1)
    t.strictSame(await found(storage, USER, 'king'), ['ada'])
    await redis.cli('del', key)
    for await (const _ of storage.records.unlistGone(USER));
    await assertNothingLeft(t, redis, 'user')
  })
}

const putUser = (storage: Storage, id: string, hash: Hash) =>
  storage.records.put({ kind: USER, id, hash: { sub: `sub-${id}`, ...hash } })

const createClient = (storage: Storage, id: string, client_name: string) =>
  storage.records.create({ kind: CLIENT, id, hash: { client_name } })

async function pagesOf(storage: Storage, kind: KindName, q: string): Promise<string[][]> {
  const pages: string[][] = []
  let after: string | undefined
  do {
    const page = await storage.records.find(kind, readingsOf(q), { after, limit: LIMIT })
    pages.push(page.items.map(({ id }) => id))
    after = page.next
  } while (after !== undefined)
  return pages.filter((page) => page.length > 0)
}

const found = async (storage: Storage, kind: KindName, q: string) => (await pagesOf(storage, kind, q)).flat()

async function assertNothingLeft(t: Test, redis: RedisSide | undefined, kind: string): Promise<void> {
  if (redis !== undefined) t.equal(await redis.cli('exists', `${redis.prefix}words:${kind}`), '0')
}
