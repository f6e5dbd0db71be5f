// What last came of asking third parties, for all replicas.
import t from 'tap'
import { LastOutcomes } from '../../../../src/core/last-outcomes.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { OutcomeKeeper, readOutcomes } from '../../../../src/service/outcome-keeper.ts'
import { readRecentFaults } from '../../../../src/service/recent-faults.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { instead } from '../../../support/instead.ts'

const NOON = Date.parse('2026-11-28T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ACME = { party: 'provider', name: 'acme' } as const
const DIRECTORY = { party: 'directory' } as const

const write = (outcomes: LastOutcomes, storage: Pick<MemoryStorage, 'bounded'>) =>
  new OutcomeKeeper({ storage, outcomes, log: SILENT }).close()

t.test('of two replicas the later one counts, and what storage did not take is written later', async (t) => {
  const storage = new MemoryStorage()
  const [one, other] = [new LastOutcomes(), new LastOutcomes()]
  one.succeeded(ACME, NOON)
  one.failed({ ...ACME, step: 'token', code: 'HTTP_503' }, NOON)
  other.succeeded(ACME, NOON + HOUR)
  other.failed({ ...ACME, step: 'keys', code: 'ETIMEDOUT' }, NOON - HOUR)
  await write(other, storage)
  await write(one, storage)
  const error = { at: NOON, step: 'token', code: 'HTTP_503' }
  t.same(await readOutcomes(storage), [{ ...ACME, success_at: NOON + HOUR, error }])
  let asked = 0
  const away: Pick<MemoryStorage, 'bounded'> = {
    bounded: instead(storage.bounded, {
      read: async () => {
        asked += 1
        throw new StorageUnavailable('away')
      },
    }),
  }
  one.succeeded(ACME, NOON + 2 * HOUR)
  await write(one, away)
  t.equal(asked, 1)
  await write(one, storage)
  t.match(await readOutcomes(storage), [{ success_at: NOON + 2 * HOUR }])
  await write(one, away)
  t.equal(asked, 1, 'without news nothing is asked of storage')
})

t.test('a fault is recent for an hour, or until the party does its part', async (t) => {
  const storage = new MemoryStorage()
  const outcomes = new LastOutcomes()
  const issuer = { party: 'issuer_keys', name: 'https://ci.example.com/a:b' } as const
  outcomes.failed({ ...ACME, step: 'keys', code: 'CERT_HAS_EXPIRED' }, NOON)
  outcomes.failed({ ...DIRECTORY, step: 'bind', code: 'credentials' }, NOON + MINUTE)
  outcomes.failed({ ...issuer, step: 'keys', code: 'HTTP_500' }, NOON + 2 * MINUTE)
  await write(outcomes, storage)
  const named = async (now: number) =>
    (await readRecentFaults(storage, now)).map(({ party, name = '' }) => `${party} ${name}`)
  t.strictSame(await named(NOON + 3 * MINUTE), [
    'issuer_keys https://ci.example.com/a:b',
    'directory ',
    'provider acme',
  ])
  t.strictSame(await named(NOON + HOUR), ['issuer_keys https://ci.example.com/a:b', 'directory '])
  outcomes.recovered(DIRECTORY, NOON + 4 * MINUTE)
  await write(outcomes, storage)
  t.strictSame(await named(NOON + HOUR), ['issuer_keys https://ci.example.com/a:b'])
})

t.test('what does its part is noted only if it failed before', async (t) => {
  const outcomes = new LastOutcomes()
  outcomes.recovered(DIRECTORY, NOON)
  t.equal(outcomes.takeChanged().size, 0)
  outcomes.failed({ ...DIRECTORY, step: 'bind', code: 'credentials' }, NOON)
  outcomes.recovered(DIRECTORY, NOON + 1)
  t.match(outcomes.takeChanged().get('directory'), { success_at: NOON + 1 })
  outcomes.recovered(DIRECTORY, NOON + 2)
  t.equal(outcomes.takeChanged().size, 0)
})

t.test('a process remembers a thousand', async (t) => {
  const outcomes = new LastOutcomes()
  for (let i = 0; i <= 1000; i++)
    outcomes.failed({ party: 'client_keys', name: String(i), step: 'keys', code: 'time' }, NOON + i)
  outcomes.recovered({ party: 'client_keys', name: '0' }, NOON + HOUR)
  t.notOk(outcomes.takeChanged().get('client_keys:0')?.success_at, 'the oldest made room')
})
