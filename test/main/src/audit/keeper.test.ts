// Who looks after the audit trail: what stops the work is said once, and storage that is away is no bug.
import t, { type Test } from 'tap'
import { sealEntries } from '../../../../src/audit/chain.ts'
import { AuditKeeper } from '../../../../src/audit/keeper.ts'
import { trimTrail } from '../../../../src/audit/trim.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Trail } from '../../../../src/storage/trail.ts'
import { AUDIT_KEY, recorderOn } from '../../../support/audited.ts'
import { instead } from '../../../support/instead.ts'
import { until } from '../../../support/until.ts'

const DAY = 86_400_000
const ADDED = { event: 'client_added', client_id: 'web' } as const

/** A keeper that works again and again, on a trail of which some methods are others. */
function keep(t: Test, others: (trail: Trail) => Partial<Trail>) {
  const memory = new MemoryStorage()
  let looks = 0
  const trail = instead<Trail>(memory.trail, {
    collect: async () => {
      looks += 1
    },
    ...others(memory.trail),
  })
  const { recorder, settings } = recorderOn(memory, { key: AUDIT_KEY })
  const lines: [line: string, given: object][] = []
  const log = {
    info() {},
    warn() {},
    error: (given: object, line: string) => void lines.push([line, given]),
  }
  const context = {
    storage: Object.assign(Object.create(memory), { trail }),
    settings: { ...settings, audit_max: 1000, audit_key: AUDIT_KEY },
    ...{ recorder, log, report: () => {}, now: Date.now },
  }
  const keeper = new AuditKeeper(context, 1)
  t.teardown(() => keeper.close())
  keeper.start()
  const looksAgain = async () => {
    const before = looks
    await until('it looks again', () => looks > before + 2)
  }
  return { lines, looksAgain, trail: memory.trail, recorder }
}

t.test('storage that is away is not in the log of the keeper', async (t) => {
  const { lines, looksAgain } = keep(t, () => ({
    size: async () => {
      throw new StorageUnavailable('away')
    },
  }))
  await looksAgain()
  t.same(lines, [])
})

t.test('a bug is said once, with its cause, and again after it had worked', async (t) => {
  let is_broken = true
  const { lines, looksAgain } = keep(t, (trail) => ({
    size: async () => {
      if (is_broken) throw new Error('a bug')
      return trail.size()
    },
  }))
  await looksAgain()
  t.match(lines, [['A bug prevented work on the audit trail.', { err: { message: 'a bug' } }]])
  is_broken = false
  await looksAgain()
  is_broken = true
  await until('it is said again', () => lines.length > 1)
  await looksAgain()
  t.equal(lines.length, 2)
})

t.test('a chain whose end is no block gets no further one, and the log says so once', async (t) => {
  const { lines, looksAgain, trail, recorder } = keep(t, () => ({
    blocks: async () => [{ id: '1-0', text: '{"before":"","entries":[],"mac":""}' }],
  }))
  await trail.append('one', recorder.entriesOf([ADDED], {}, {}))
  await looksAgain()
  t.match(lines, [[/^The end of the chain of the audit trail was changed or deleted/, {}]])
  t.same(Object.keys(lines[0]?.[1] ?? { none: 1 }), [])
  t.same(await trail.blocks({ limit: 10 }), [])
})

t.test('without AUDIT_KEY there is no chain', async (t) => {
  const { storage, recorder } = recorderOn()
  await storage.trail.append('one', recorder.entriesOf([ADDED], {}, {}))
  await sealEntries(storage.trail, { settings: { audit_days: 90 }, now: Date.now })
  t.same(await storage.trail.blocks({ limit: 10 }), [])
})

t.test('all that is too old goes in steps, and a step of another server is not told', async (t) => {
  let now = Date.now()
  const { storage, recorder } = recorderOn(new MemoryStorage({ now: () => now }))
  const batch = Array.from({ length: 1200 }, () => ADDED)
  await storage.trail.append('many', recorder.entriesOf(batch, {}, {}))
  now += 31 * DAY
  const events: SecurityEvent[] = []
  let others = 1
  const trail = instead<Trail>(storage.trail, {
    trim: async (...given) => {
      // Another server did the same a moment before.
      if (others-- > 0) return (await storage.trail.trim(...given)) && false
      return storage.trail.trim(...given)
    },
  })
  const deleted: string[] = []
  const steps = await trimTrail({
    storage: { trail },
    settings: { audit_days: 30, audit_max: 1_000_000 },
    recorder,
    trimmed: async (_, ids) => void deleted.push(...ids),
    report: (event) => void events.push(event),
    now: () => now,
  })
  t.equal(steps, events.length + 1, 'nobody is told of the step of the other')
  t.equal(new Set(deleted).size, deleted.length, 'each is counted once')
  t.ok(deleted.length < 1200 && deleted.length > 600)
  const left = await storage.trail.read({ limit: 2000 })
  t.ok(
    left.every(({ text }) => text.includes('audit_trimmed')),
    'only what says so is left',
  )
})

t.test('an old entry that is alone stays: there is nothing to delete before it', async (t) => {
  let now = Date.now()
  const { storage, recorder } = recorderOn(new MemoryStorage({ now: () => now }))
  await storage.trail.append('one', recorder.entriesOf([ADDED], {}, {}))
  // AUDIT_DAYS was 90 when it was written.
  now += 31 * DAY
  let reads = 0
  const trail = instead<Trail>(storage.trail, {
    read: async (range) => {
      reads += 1
      if (reads > 10) throw new Error('it reads without end')
      return storage.trail.read(range)
    },
  })
  const context = { storage: { trail }, settings: { audit_days: 30, audit_max: 1000 }, recorder }
  t.equal(await trimTrail({ ...context, report: () => t.fail('nothing went'), now: () => now }), 0)
  t.equal(await storage.trail.size(), 1)
  await storage.trail.append('two', recorder.entriesOf([ADDED], {}, {}))
  reads = 0
  t.equal(await trimTrail({ ...context, report: () => {}, now: () => now }), 1, 'it goes with the next one')
})

t.test('a clock that is days ahead of that of Redis ends no trimming without end', async (t) => {
  const { storage, recorder } = recorderOn(new MemoryStorage())
  for (const operation of ['one', 'two'])
    await storage.trail.append(operation, recorder.entriesOf([ADDED], {}, {}))
  const context = { storage, settings: { audit_days: 30, audit_max: 1000 }, recorder, report: () => {} }
  const now = () => Date.now() + 31 * DAY
  t.equal(await trimTrail({ ...context, now }), 2, 'the entry of a step is old, too')
})
