import t from 'tap'
import { commit, withEntries } from '../../../../src/core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../../../../src/core/events.ts'

const EVENT: SecurityEvent = { event: 'user_changed', username: 'alice', fields: ['name'] }
const ENTRIES = { entries: [{ text: 'of the change' }], ttl: 60 }

function reporting() {
  const reported: SecurityEvent[] = []
  const told: SecurityEvent[] = []
  const entriesOf: ReportEvent['entriesOf'] = (events) => {
    told.push(...events)
    return ENTRIES
  }
  const report: ReportEvent = Object.assign((event: SecurityEvent) => void reported.push(event), {
    entriesOf,
  })
  return { report, reported, told }
}

t.test('a change takes its entries along, and reports the same events once it is made', async (t) => {
  for (const made of ['ok', 'taken', true, { factors: 1 }] as const) {
    const { report, reported, told } = reporting()
    const outcome = await commit({ report }, [EVENT], { sub: 'sub-1' }, async (entries) => {
      t.equal(entries, ENTRIES)
      t.strictSame(reported, [], 'not before it is made')
      return made
    })
    t.equal(outcome, made)
    t.equal(reported[0], EVENT)
    t.equal(told[0], EVENT)
  }
})

t.test('what was not made is not reported', async (t) => {
  for (const refused of ['missing', 'exists', 'again', 'mismatch', 'refused', false, undefined] as const) {
    const { report, reported } = reporting()
    t.equal(await commit({ report }, [EVENT], {}, async () => refused), refused)
    t.strictSame(reported, [], String(refused))
  }
  const { report, reported } = reporting()
  await t.rejects(commit({ report }, [EVENT], {}, () => Promise.reject(new Error('no storage'))))
  t.strictSame(reported, [], 'nobody knows whether it was made')
})

t.test('a change without events, or that nobody is told of, takes nothing along', async (t) => {
  const { report, told } = reporting()
  const write = async (entries: unknown) => {
    t.equal(entries, undefined)
    return 'ok' as const
  }
  await commit({ report }, [], {}, write)
  await commit({}, [EVENT], {}, write)
  t.strictSame(told, [])
})

t.test('what a refusal reports is only taken along', async (t) => {
  const { report, reported } = reporting()
  t.equal(await withEntries({ report }, [EVENT], {}, async (entries) => entries), ENTRIES)
  t.strictSame(reported, [])
})
