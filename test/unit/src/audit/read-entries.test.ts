// What a page of the audit trail reads where few of very many entries fit.
import t, { type Test } from 'tap'
import { type EntryFilter, entryOf, pageOfEntries } from '../../../../src/audit/read-entries.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { TrailRange } from '../../../../src/storage/trail.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { recorderOn } from '../../../support/audited.ts'
import { createUser } from '../../../support/records.ts'

const ENTRIES = 9000
const EACH = 3000
/** Its JSON has an escape. */
const RARE = 'rare "one"'
const LIMIT = 50

/** A trail of which the first entry in so many is of another client, and a reader that says what a page read. */
async function filled(t: Test) {
  const { storage, recorder } = recorderOn(new MemoryStorage())
  t.teardown(() => storage.close())
  const events = Array.from(
    { length: ENTRIES },
    (_, i) => ({ event: 'client_added', client_id: i % EACH === 0 ? RARE : 'common' }) as const,
  )
  await storage.trail.append('batch', recorder.entriesOf(events, {}, {}))
  return async (filter: EntryFilter, cursor?: string) => {
    const reads: number[] = []
    const trail = Object.assign(Object.create(storage.trail), {
      read(range: TrailRange) {
        reads.push(range.limit)
        return storage.trail.read(range)
      },
    })
    const page = await pageOfEntries({ records: storage.records, trail }, filter, {
      cursor,
      limit: LIMIT,
      oldest_first: false,
    })
    return { ...page, reads }
  }
}

t.test('without a filter it reads what it shows, and no more', async (t) => {
  const page = await filled(t)
  const { items, reads } = await page({ since: 0 })
  t.equal(items.length, LIMIT)
  t.strictSame(reads, [LIMIT])
})

t.test('where few fit, it stops after some entries, and a further page goes on there', async (t) => {
  const page = await filled(t)
  const found: string[] = []
  let pages = 0
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
    const { items, next, reads } = await page({ client_id: RARE, event: 'client_added' }, cursor)
    t.ok(reads.length <= 5, `${reads.length} reads`)
    found.push(...items.map(({ id }) => id))
    cursor = next
  }
  t.equal(found.length, ENTRIES / EACH, 'each that fits, once')
  t.equal(new Set(found).size, found.length)
  t.equal(pages, 4)
})

t.test('an entry that only has the word elsewhere does not fit', async (t) => {
  const { storage, recorder } = recorderOn(new MemoryStorage())
  const events = [
    { event: 'client_added', client_id: 'web' },
    { event: 'client_added', client_id: 'client_added' },
    { event: 'resource_changed', resource: 'web' },
  ] as const
  await storage.trail.append('batch', recorder.entriesOf(events, {}, { request_id: 'web' }))
  await storage.trail.append('other', { entries: [{ text: '"web" "client_added"' }], ttl: 60 })
  const found = async (filter: EntryFilter) => {
    const { items } = await pageOfEntries(storage, filter, {
      cursor: undefined,
      limit: 9,
      oldest_first: true,
    })
    return items.map(({ event, targets }) => `${event} ${targets[0]?.id}`)
  }
  t.strictSame(await found({ client_id: 'web' }), ['client_added web'])
  t.strictSame(await found({ client_id: 'client_added' }), ['client_added client_added'])
  t.strictSame(await found({ event: 'web' }), [])
  t.strictSame(await found({ actor: 'web' }), [])
  t.strictSame((await found({ request_id: 'web' })).length, 3)
  t.strictSame(await found({ since: Date.now() + 60_000 }), [])
  t.strictSame((await found({ since: 0 })).length, 3, 'the oldest first, from the beginning')
})

t.test('one entry is found by its id, and another one is not taken for it', async (t) => {
  const { storage, recorder } = recorderOn(new MemoryStorage())
  const event = { event: 'client_added', client_id: 'web' } as const
  await storage.trail.append('batch', recorder.entriesOf([event, event, event], {}, {}))
  const page = { cursor: undefined, limit: 9, oldest_first: true }
  const { items } = await pageOfEntries(storage, {}, page)
  for (const { id } of items)
    t.strictSame(
      (await entryOf(storage, id)).map((one) => one.id),
      [id],
    )
  const [ms = ''] = items[0]?.id.split('-') ?? []
  for (const id of [`${ms}-999999`, `${Number(ms) - 1}-000000`, '0-000000', '1-000005'])
    t.strictSame(await entryOf(storage, id), [], id)
})

t.test(
  'who invited is called as today, and entries about the invited are not about who invited',
  async (t) => {
    const { storage, recorder } = recorderOn(new MemoryStorage())
    const ada = { sub: 'sub-ada', name: 'Ada Lind' }
    await createUser(storage, 'ada', ada)
    await indexUser(storage, 'ada', ada)
    await createUser(storage, 'bob', { sub: 'sub-bob' })
    const joined = {
      event: 'user_joined',
      username: 'bob',
      invitation: 'i-1',
      inviter_sub: 'sub-ada',
    } as const
    await storage.trail.append('batch', recorder.entriesOf([joined], { sub: 'sub-bob' }, {}))
    const page = { cursor: undefined, limit: 9, oldest_first: true }
    const { items } = await pageOfEntries(storage, { username: 'bob' }, page)
    t.match(items[0]?.targets.at(-1), { kind: 'inviter', username: 'ada', name: 'Ada Lind' })
    t.strictSame((await pageOfEntries(storage, { username: 'ada' }, page)).items, [])
  },
)
