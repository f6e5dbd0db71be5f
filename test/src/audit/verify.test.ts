// Suite: unit
// The chain: whatever somebody does to the entries in storage is found, and named; what retention deletes is not.
import t, { type Test } from 'tap'
import { sealEntries } from '../../../src/audit/chain.ts'
import { shownId } from '../../../src/audit/entry.ts'
import { trimTrail } from '../../../src/audit/trim.ts'
import { type Fault, verifyTrail } from '../../../src/audit/verify.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import type { Block, Trail, TrailEntry } from '../../../src/storage/trail.ts'
import { AUDIT_KEY, recorderOn } from '../../support/audited.ts'

/** A trail of three blocks with ten entries each. */
async function chained() {
  const { storage, recorder, settings } = recorderOn(new MemoryStorage(), { key: AUDIT_KEY })
  const sealing = { storage, settings: { ...settings, audit_key: AUDIT_KEY } }
  for (let block = 0; block < 3; block++) {
    const events = Array.from(
      { length: 10 },
      (_, i) => ({ event: 'client_added', client_id: `app-${i}` }) as const,
    )
    await storage.trail.append(`batch ${block}`, recorder.tell(events, {}, {}))
    await sealEntries(sealing)
  }
  return { storage, recorder, sealing }
}

/** What somebody makes of the entries and blocks. */
async function tampered(
  change: (entries: TrailEntry[], blocks: Block[]) => { entries?: TrailEntry[]; blocks?: Block[] },
): Promise<[Fault, string][]> {
  const { storage } = await chained()
  const entries = await storage.trail.read({ limit: 100 })
  const blocks = await storage.trail.blocks({ limit: 100 })
  const made = { entries, blocks, ...change(entries, blocks) }
  const trail = {
    ...partsOf(made),
    size: async () => made.entries.length,
  } as unknown as Trail
  const { faults } = await verifyTrail({ trail }, AUDIT_KEY)
  return faults.map(({ fault, id }) => [fault, id])
}

const partsOf = ({ entries, blocks }: { entries: TrailEntry[]; blocks: Block[] }) => {
  const part = <Item extends { id: string }>(items: Item[], after: string | undefined, limit: number) => {
    const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
    return items.slice(start, start + limit)
  }
  return {
    read: async ({ after, limit }: { after?: string; limit: number }) => part(entries, after, limit),
    blocks: async ({ after, limit }: { after?: string; limit: number }) => part(blocks, after, limit),
  }
}

const at = <Item>(items: readonly Item[], i: number): Item => {
  const item = items[i]
  if (item === undefined) throw new RangeError()
  return item
}
const shown = (entry: TrailEntry) => shownId(entry.id)

t.test('a trail that nobody touched is whole', async (t) => {
  const { storage } = await chained()
  const verified = await verifyTrail(storage, AUDIT_KEY)
  t.match(verified, { entries: 30, unsealed: 0, faults: [] })
  t.match(verified.head, /^[\w-]{43}$/)
  t.strictSame(await tampered(() => ({})), [])
})

t.test('what somebody changed is named (J7)', async (t: Test) => {
  const others = (entries: TrailEntry[], i: number) => entries.filter((_, other) => other !== i)
  let ids: string[] = []
  const expect = async (
    name: string,
    change: Parameters<typeof tampered>[0],
    faults: readonly (readonly [Fault, number])[],
  ) => {
    const found = await tampered((entries, blocks) => {
      ids = entries.map(shown)
      return change(entries, blocks)
    })
    t.strictSame(
      found,
      faults.map(([fault, i]) => [fault, ids[i]]),
      name,
    )
  }
  for (const i of [0, 9, 10, 29])
    await expect(`entry ${i} is deleted`, (entries) => ({ entries: others(entries, i) }), [['missing', i]])
  await expect(
    'a text is changed',
    (entries) => ({
      entries: entries.map((entry, i) =>
        i === 4 ? { ...entry, text: entry.text.replace('app-4', 'app-5') } : entry,
      ),
    }),
    [['changed', 4]],
  )
  await expect(
    'two entries change places',
    (entries) => ({
      entries: entries.map((entry, i) =>
        i === 3 || i === 14 ? { ...at(entries, 17 - i), id: entry.id } : entry,
      ),
    }),
    [
      ['moved', 3],
      ['moved', 14],
    ],
  )
  const copied = await tampered((entries) => ({
    entries: [...entries, { ...at(entries, 2), id: '9999999999999-0' }],
  }))
  t.strictSame(copied, [['repeated', '9999999999999-000000']])
  const forged = await tampered((entries) => ({
    entries: [
      ...entries,
      { ...at(entries, 2), text: at(entries, 2).text.replace('app', 'apt'), id: '9999999999999-0' },
    ],
  }))
  t.strictSame(forged, [['forged', '9999999999999-000000']])
})

t.test('a block that is missing or changed is named', async (t) => {
  let named = ''
  const missing = await tampered((_, blocks) => {
    named = shownId(at(blocks, 2).id)
    return { blocks: blocks.filter((_, i) => i !== 1) }
  })
  t.ok(missing.some(([fault, id]) => fault === 'block_missing' && id === named))
  const first = await tampered((_, blocks) => {
    named = shownId(at(blocks, 1).id)
    return { blocks: blocks.slice(1) }
  })
  t.ok(
    first.some(([fault, id]) => fault === 'block_missing' && id === named),
    'the first one',
  )
  const changed = await tampered((_, blocks) => ({
    blocks: blocks.map((block, i) =>
      i === 1 ? { ...block, text: block.text.replace(/"mac":"./, '"mac":"!') } : block,
    ),
  }))
  t.ok(changed.some(([fault]) => fault === 'block_changed'))
})

t.test('what retention deletes is not missing, and nobody else can say so', async (t) => {
  const { storage, recorder, sealing } = await chained()
  const report = () => {}
  const settings = { audit_max: 12, audit_days: 90 }
  const trimming = { storage, settings, recorder, report, now: Date.now }
  t.ok((await trimTrail(trimming)) > 0)
  await sealEntries(sealing)
  const verified = await verifyTrail(storage, AUDIT_KEY)
  t.strictSame(verified.faults, [])
  t.match(verified.trimmed_before, /^\d{13}-\d{6}$/)
  // An entry about a trimming without the signature.
  const other = await chained()
  const entries = await other.storage.trail.read({ limit: 100 })
  const stranger = recorderOn(other.storage)
  const before = shownId(at(entries, 20).id)
  await other.storage.trail.trim(
    at(entries, 20).id,
    stranger.recorder.tell([{ event: 'audit_trimmed', before }], {}, {}),
  )
  await sealEntries(other.sealing)
  const found = (await verifyTrail(other.storage, AUDIT_KEY)).faults.map(({ fault }) => fault)
  t.ok(found.includes('missing') || found.includes('block_missing'))
  t.ok(found.includes('forged'))
})

t.test('several servers chain at once, and another key finds nothing right', async (t) => {
  const { storage, recorder, sealing } = await chained()
  for (let i = 0; i < 5; i++) {
    await storage.trail.append(`more ${i}`, recorder.tell([{ event: 'all_sessions_ended' }], {}, {}))
    await Promise.all([sealEntries(sealing), sealEntries(sealing), sealEntries(sealing)])
  }
  t.strictSame((await verifyTrail(storage, AUDIT_KEY)).faults, [])
  const other = Buffer.alloc(32, 8).toString('base64')
  t.ok((await verifyTrail(storage, other)).faults.length > 30)
})

t.test('a server that saw a chain does not begin it anew', async (t) => {
  const { sealing } = await chained()
  const seen = {}
  await sealEntries(sealing, seen)
  const cut = { ...sealing, storage: new MemoryStorage() }
  await t.rejects(sealEntries(cut, seen), /changed or deleted/)
  await t.resolves(sealEntries(cut), 'another server begins one')
})
