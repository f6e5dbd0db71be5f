// The contract of pages: all records of a listed kind, in order, while others come and go.
import fc from 'fast-check'
import type { Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { compareIds } from '../../../src/storage/compare-ids.ts'
import type { KindName } from '../../../src/storage/records.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { keysOf } from './redis-subject.ts'
import { LIMITS, newClient } from './registration-contract.ts'
import { type Make, pass } from './subject.ts'

/** Enough for the widest list below, few enough that every test turns pages. */
const LIMIT = 3
const RUNS = 25

/** Ids whose order differs between UTF-16 and UTF-8, and that look like bounds of a range. */
const IDS = [
  '',
  '-',
  '+',
  '(a',
  '[a',
  'a',
  'a b',
  'a\0b',
  'aa',
  'b',
  'é',
  '\u{FFEE}',
  '\u{1F511}',
  '\u{10FFFF}',
]

export async function pageContract(t: Test, make: Make): Promise<void> {
  await t.test(
    'pages have all records of a kind, in the order of their bytes, and no other kind',
    async (t) => {
      const { storage } = await make(t)
      t.strictSame(await storage.records.page(CLIENT, { limit: LIMIT }), { items: [] })
      await Promise.all(IDS.toReversed().map((id) => create(storage, CLIENT, id)))
      await create(storage, USER, 'alice')
      const pages = await pagesOf(storage, CLIENT)
      t.strictSame(pages.flat(), IDS.toSorted(compareIds))
      t.strictSame(
        pages.map((page) => page.length),
        [3, 3, 3, 3, 2],
      )
      const whole = await storage.records.page(CLIENT, { limit: IDS.length })
      t.equal(whole.next, undefined, 'a full page is the last one if nothing follows')
      t.strictSame(
        whole.items.map(({ hash }) => hash.id),
        IDS.toSorted(compareIds),
        'each with its own hash',
      )
    },
  )

  await t.test('a page begins after any id, also one that is no record', async (t) => {
    const { storage } = await make(t)
    for (const id of ['a', 'b', 'c']) await create(storage, CLIENT, id)
    t.strictSame(await idsOf(storage, CLIENT, { after: 'a' }), ['b', 'c'])
    t.strictSame(await idsOf(storage, CLIENT, { after: 'aa' }), ['b', 'c'])
    t.strictSame(await idsOf(storage, CLIENT, { after: '' }), ['a', 'b', 'c'])
    t.strictSame(await idsOf(storage, CLIENT, { after: 'c' }), [])
  })

  await t.test('a prefix finds the records that begin with it', async (t) => {
    const { storage } = await make(t)
    for (const id of ['al', 'ali', 'alice', 'al\u{10FFFF}', 'am', 'b']) await create(storage, USER, id)
    t.strictSame(await idsOf(storage, USER, { prefix: 'al' }), ['al', 'ali', 'alice', 'al\u{10FFFF}'])
    t.strictSame((await pagesOf(storage, USER, { prefix: 'al' })).flat().length, 4)
    t.strictSame(await idsOf(storage, USER, { prefix: 'al', after: 'ali' }), ['alice', 'al\u{10FFFF}'])
    t.strictSame(await idsOf(storage, USER, { prefix: 'b', after: 'a' }), ['b'])
    t.strictSame(await idsOf(storage, USER, { prefix: 'c' }), [])
    t.strictSame(await storage.records.page(USER, { prefix: 'am', limit: 1 }), {
      items: [{ id: 'am', hash: { id: 'am' } }],
    })
  })

  await t.test('a record is in its list once it is written, and no longer once it is taken', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    await records.put({ kind: USER, id: 'put', hash: { id: 'put' } })
    await records.put({ kind: USER, id: 'put', hash: { id: 'put' } })
    t.equal(await records.create({ kind: USER, id: 'put', hash: { id: 'other' } }), 'exists')
    await create(storage, USER, 'taken')
    t.strictSame(await idsOf(storage, USER), ['put', 'taken'])
    await records.take(USER, 'taken')
    t.strictSame(await idsOf(storage, USER), ['put'])
    await records.change(USER, 'put', { set: {}, unset: ['id'] })
    t.strictSame(await idsOf(storage, USER), [], 'it went with its last field')
  })

  await t.test('a client that registers itself is in the list until its time is over', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const client = newClient(storage, 1)
    await storage.registrations.registerOpenly(client, 'a', { ...LIMITS, in_all: 1 })
    await storage.registrations.registerOpenly(newClient(storage), 'a', { ...LIMITS, in_all: 1 })
    t.strictSame(await idsOf(storage, CLIENT), [client.id], 'not the one that was refused')
    await pass(subject, 1.1, async () => (await idsOf(storage, CLIENT)).length === 0)
    if (redis) t.notOk((await keysOf(redis)).includes('names:client'), 'its id is dropped')
  })

  await t.test('records of the same id that are written and taken at once are in the list', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < RUNS; round++) {
      const write = () => storage.records.put({ kind: USER, id: 'same', hash: { id: 'same' } })
      const take = () => storage.records.take(USER, 'same')
      const look = () => storage.records.page(USER, { limit: LIMIT })
      await Promise.all([write(), take(), look(), write(), look(), take(), look(), write()])
      const is_there = (await storage.records.read(USER, 'same')) !== undefined
      t.strictSame(await idsOf(storage, USER), is_there ? ['same'] : [])
      await take()
    }
  })

  // G8 of the review: a cursor loses and repeats nothing.
  await t.test('following the pages finds each record once that is there all the time', async (t) => {
    const { storage } = await make(t)
    let runs = 0
    const name = fc.string({ unit: 'grapheme', maxLength: 3 })
    const scenario = fc.record({
      stable: fc.uniqueArray(name, { maxLength: 25 }),
      others: fc.array(fc.record({ name, adds: fc.boolean() }), { maxLength: 60 }),
      limit: fc.integer({ min: 1, max: 7 }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ stable, others, limit }) => {
        const prefix = `${runs++}-`
        for (const id of stable) await create(storage, USER, prefix + id)
        const queue = others.filter(({ name }) => !stable.includes(name))
        const churn = async () => {
          for (const { name, adds } of queue.splice(0, 4)) {
            if (adds) await create(storage, USER, prefix + name)
            else await storage.records.take(USER, prefix + name)
          }
        }
        const found: string[] = []
        for (let after: string | undefined, is_last = false; !is_last; ) {
          const request = { prefix, limit, ...(after === undefined ? {} : { after }) }
          const [page] = await Promise.all([storage.records.page(USER, request), churn()])
          found.push(...page.items.map(({ id }) => id.slice(prefix.length)))
          after = page.next
          is_last = after === undefined
        }
        const kept = new Set(stable)
        t.strictSame(
          found.filter((id) => kept.has(id)),
          stable.toSorted(compareIds),
        )
        t.equal(new Set(found).size, found.length, 'nothing is repeated')
      }),
      { numRuns: RUNS },
    )
  })
}

function create({ records }: Storage, kind: KindName, id: string) {
  return records.create({ kind, id, hash: { id } })
}

async function idsOf(
  { records }: Storage,
  kind: KindName,
  request: { after?: string; prefix?: string } = {},
) {
  return (await records.page(kind, { ...request, limit: 100 })).items.map(({ id }) => id)
}

async function pagesOf({ records }: Storage, kind: KindName, request: { prefix?: string } = {}) {
  const pages: string[][] = []
  for (let after: string | undefined, is_last = false; !is_last; ) {
    const page = await records.page(kind, {
      ...request,
      limit: LIMIT,
      ...(after === undefined ? {} : { after }),
    })
    pages.push(page.items.map(({ id }) => id))
    after = page.next
    is_last = after === undefined
  }
  return pages
}
