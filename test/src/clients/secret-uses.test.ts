import t from 'tap'
import { formatClient } from '../../../src/clients/client-record.ts'
import { forgetUses, lastUseOf, SecretUses } from '../../../src/clients/secret-uses.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { spyOn } from '../../support/matrix.ts'
import { createClient, removeClient } from '../../support/records.ts'
import { CLIENTS } from '../../support/service.ts'

const HOUR = 3_600_000
const SILENT = { info() {}, warn() {}, error() {} }

async function start() {
  const clock = { now: Date.parse('2026-11-22T08:00:00.000Z') }
  const spy = spyOn(new MemoryStorage({ now: () => clock.now }))
  const uses = new SecretUses({ storage: spy.storage, log: SILENT, now: () => clock.now })
  for (const client_id of ['billing', 'billing:eu'])
    await createClient(spy.storage, client_id, formatClient({ ...CLIENTS.service, client_id }))
  spy.calls.length = 0
  const writes = () => spy.calls.filter((call) => call.startsWith('put')).length
  return { clock, spy, uses, writes }
}

t.test('a use costs the request nothing, and one write for each secret and hour', async (t) => {
  const { clock, spy, uses, writes } = await start()
  for (let i = 0; i < 1000; i++) for (const digest of ['one', 'two']) uses.note('billing', digest)
  t.same(spy.calls, [], 'a request writes nothing')
  await uses.flush()
  t.equal(writes(), 2)
  clock.now += HOUR - 1
  uses.note('billing', 'one')
  await uses.flush()
  t.equal(writes(), 2, 'nothing within the hour')
  clock.now += 1
  uses.note('billing', 'one')
  await uses.close()
  t.equal(writes(), 3, 'closing writes what is left')
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), '2026-11-22T09:00:00.000Z')
  t.equal(await lastUseOf(spy.storage, 'billing', 'two'), '2026-11-22T08:00:00.000Z')
  t.equal(await lastUseOf(spy.storage, 'other', 'one'), undefined)
  clock.now += 400 * 24 * HOUR + 1
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), undefined, 'the record expires')
})

t.test('while storage is away a use is kept, and written the next time', async (t) => {
  const { spy, uses } = await start()
  uses.note('billing', 'one')
  spy.fault = new StorageUnavailable('away')
  await uses.flush()
  spy.fault = undefined
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), undefined)
  await uses.flush()
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), '2026-11-22T08:00:00.000Z')
})

t.test('the uses of a removed client are forgotten, and not written any more', async (t) => {
  const { spy, uses } = await start()
  const { storage } = spy
  for (const client_id of ['billing', 'billing:eu']) uses.note(client_id, 'one')
  await uses.flush()
  uses.note('billing', 'two')
  await removeClient(storage, 'billing')
  await forgetUses(storage, 'billing')
  await uses.flush()
  for (const digest of ['one', 'two']) t.equal(await lastUseOf(storage, 'billing', digest), undefined)
  t.not(await lastUseOf(storage, 'billing:eu', 'one'), undefined, 'another client keeps its own')
})
