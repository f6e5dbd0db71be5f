import t from 'tap'
import { lastUseOf, SecretUses } from '../../../src/clients/secret-uses.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { spyOn } from '../../support/matrix.ts'

const HOUR = 3_600_000
const SILENT = { info() {}, warn() {}, error() {} }

function start() {
  const clock = { now: Date.parse('2026-11-22T08:00:00.000Z') }
  const spy = spyOn(new MemoryStorage({ now: () => clock.now }))
  const uses = new SecretUses({ storage: spy.storage, log: SILENT, now: () => clock.now })
  return { clock, spy, uses }
}

t.test('a use costs the request nothing, and one write for each secret and hour', async (t) => {
  const { clock, spy, uses } = start()
  for (let i = 0; i < 1000; i++) for (const digest of ['one', 'two']) uses.note('billing', digest)
  t.same(spy.calls, [], 'a request writes nothing')
  await uses.flush()
  t.equal(spy.calls.length, 2)
  clock.now += HOUR - 1
  uses.note('billing', 'one')
  await uses.flush()
  t.equal(spy.calls.length, 2, 'nothing within the hour')
  clock.now += 1
  uses.note('billing', 'one')
  await uses.close()
  t.equal(spy.calls.length, 3, 'closing writes what is left')
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), '2026-11-22T09:00:00.000Z')
  t.equal(await lastUseOf(spy.storage, 'billing', 'two'), '2026-11-22T08:00:00.000Z')
  t.equal(await lastUseOf(spy.storage, 'other', 'one'), undefined)
  clock.now += 400 * 24 * HOUR + 1
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), undefined, 'the record expires')
})

t.test('while storage is away a use is kept, and written the next time', async (t) => {
  const { spy, uses } = start()
  uses.note('billing', 'one')
  spy.fault = new StorageUnavailable('away')
  await uses.flush()
  spy.fault = undefined
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), undefined)
  await uses.flush()
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), '2026-11-22T08:00:00.000Z')
})
