// The counts of the last day: what is added when, what happens while storage is away, and that nothing grows.
import t, { type Test } from 'tap'
import { readDay } from '../../../../src/admin/day/day.ts'
import { DayCounter, HOUR } from '../../../../src/admin/day/day-counter.ts'
import { formatCounts, noCounts, parseCounts } from '../../../../src/admin/day/hour-counts.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { instead } from '../../../support/instead.ts'

const START = Date.parse('2026-11-27T10:20:00Z')
// Nobody waits for it: closing counts and writes, too.
const NEVER = 86_400_000

function start(_t: Test) {
  const clock = { now: START }
  const now = () => clock.now
  const memory = new MemoryStorage({ now })
  const away = { is: false }
  const put: MemoryStorage['bounded']['put'] = async (...args) => {
    if (away.is) throw new StorageUnavailable('away')
    await memory.bounded.put(...args)
  }
  const storage = { bounded: instead(memory.bounded, { put }) }
  const total = noCounts()
  const newProcess = () =>
    new DayCounter({ storage, log: SILENT, now }, async () => structuredClone(total), NEVER)
  const entries = () => memory.bounded.read('day-counts')
  const day = () => readDay({ storage: memory, now })
  return { clock, away, total, newProcess, entries, day }
}

t.test('a process adds what it counted in the hour in which it counted it', async (t) => {
  const { clock, total, newProcess, day } = start(t)
  const counter = newProcess()
  total.sign_ins.succeeded = 3
  total.refused.code_unknown = 2
  total.times[3] = 10
  await counter.close()
  clock.now += HOUR
  total.sign_ins.succeeded = 5
  total.times[10] = 1
  await counter.close()
  const { hours, reasons } = await day()
  t.equal(hours.length, 25)
  t.match(hours.slice(-2), [
    { at: '2026-11-27T10:00:00.000Z', succeeded: 3, refused: 2, requests: 10, p50: 10, p95: 10, p99: 10 },
    { at: '2026-11-27T11:00:00.000Z', succeeded: 2, refused: 0, requests: 1 },
  ])
  t.notOk('p50' in (hours[24] ?? {}), 'more than a second')
  t.same(reasons, [{ reason: 'code_unknown', count: 2 }])
})

t.test('processes add up, and what is written again counts once', async (t) => {
  const { total, newProcess, day, entries } = start(t)
  total.sign_ins.failed = 1
  const [one, other] = [newProcess(), newProcess()]
  await Promise.all([one.close(), other.close()])
  await Promise.all([one.close(), other.close()])
  t.equal((await day()).hours.at(-1)?.failed, 2)
  t.equal((await entries()).length, 2)
})

t.test(
  'what was counted while storage was away is added later, in its hour, for a day at most',
  async (t) => {
    const { clock, away, total, newProcess, day, entries } = start(t)
    const counter = newProcess()
    away.is = true
    for (let hour = 0; hour < 30; hour += 1) {
      total.sign_ins.succeeded += 1
      await counter.close()
      clock.now += HOUR
    }
    t.same(await entries(), [])
    away.is = false
    await counter.close()
    const { hours } = await day()
    t.equal((await entries()).length, 24)
    t.same(
      hours.map(({ succeeded }) => succeeded),
      [...Array.from({ length: 24 }, () => 1), 0],
    )
  },
)

t.test('nothing is written while nothing happens, and a day later nothing is left', async (t) => {
  const { clock, total, newProcess, entries } = start(t)
  const counter = newProcess()
  await counter.close()
  t.same(await entries(), [])
  total.sign_ins.limited = 1
  await counter.close()
  t.equal((await entries()).length, 1)
  clock.now += 25 * HOUR
  t.same(await entries(), [])
})

t.test('processes that start again and again fill a bounded room', async (t) => {
  const { clock, total, newProcess, entries } = start(t)
  for (let i = 0; i < 1010; i += 1) {
    if (i === 900) clock.now += HOUR
    total.sign_ins.succeeded = 1
    await newProcess().close()
  }
  const names = (await entries()).map(({ name }) => name)
  t.equal(names.length, 1000)
  const present = Math.floor(clock.now / HOUR)
  t.equal(names.filter((name) => name.startsWith(`${present}.`)).length, 110, 'the oldest made room')
})

t.test('a stored text that is not one of counts is nothing', async (t) => {
  const right = formatCounts(noCounts())
  t.match(parseCounts(right), noCounts())
  for (const wrong of [
    '',
    '[]',
    '{}',
    right.replace('[0', '[-1'),
    right.replace('[0', '["x"'),
    right.replace('[0,', '['),
    right.replace('{}', '{"x":"y"}'),
  ])
    t.equal(parseCounts(wrong), undefined, wrong)
  t.same(parseCounts(right.replace('{}', '{"of_another_release":1}'))?.refused, {})
})
