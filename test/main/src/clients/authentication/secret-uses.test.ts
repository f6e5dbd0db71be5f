import t from 'tap'
import {
  findShortSecrets,
  forgetUses,
  lastUseOf,
  SecretUses,
} from '../../../../../src/clients/authentication/secret-uses.ts'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import type { SecurityEvent } from '../../../../../src/core/events.ts'
import { StorageUnavailable } from '../../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { spyOn } from '../../../../support/matrix.ts'
import { createClient, removeClient } from '../../../../support/records.ts'
import { CLIENTS } from '../../../../support/service.ts'

const HOUR = 3_600_000
const SILENT = { info() {}, warn() {}, error() {} }

async function start() {
  const clock = { now: Date.parse('2026-11-22T08:00:00.000Z') }
  const spy = spyOn(new MemoryStorage({ now: () => clock.now }))
  const events: SecurityEvent[] = []
  const report = (event: SecurityEvent) => void events.push(event)
  const uses = new SecretUses({ storage: spy.storage, log: SILENT, report, now: () => clock.now })
  for (const client_id of ['billing', 'billing:eu'])
    await createClient(spy.storage, client_id, formatClient({ ...CLIENTS.service, client_id }))
  spy.calls.length = 0
  const writes = () => spy.calls.filter((call) => call.startsWith('put')).length
  return { clock, events, spy, uses, writes }
}

t.test('a use costs the request nothing, and one write for each secret and hour', async (t) => {
  const { clock, spy, uses, writes } = await start()
  for (let i = 0; i < 1000; i++) for (const digest of ['one', 'two']) uses.note('billing', digest, false)
  t.same(spy.calls, [], 'a request writes nothing')
  await uses.flush()
  t.equal(writes(), 2)
  clock.now += HOUR - 1
  uses.note('billing', 'one', false)
  await uses.flush()
  t.equal(writes(), 2, 'nothing within the hour')
  clock.now += 2
  uses.note('billing', 'one', false)
  await uses.close()
  t.equal(writes(), 3, 'closing writes what is left')
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), '2026-11-22T09:00:00.001Z')
  t.equal(await lastUseOf(spy.storage, 'billing', 'two'), '2026-11-22T08:00:00.000Z')
  t.equal(await lastUseOf(spy.storage, 'other', 'one'), undefined)
  clock.now += 400 * 24 * HOUR + 1
  t.equal(await lastUseOf(spy.storage, 'billing', 'one'), undefined, 'the record expires')
})

t.test('while storage is away a use is kept, and written the next time', async (t) => {
  const { spy, uses } = await start()
  uses.note('billing', 'one', false)
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
  for (const client_id of ['billing', 'billing:eu']) uses.note(client_id, 'one', false)
  await uses.flush()
  uses.note('billing', 'two', false)
  await removeClient(storage, 'billing')
  await forgetUses(storage, 'billing', { client_secret_hash: 'one', old_secret_hash: 'two' })
  await uses.flush()
  for (const digest of ['one', 'two']) t.equal(await lastUseOf(storage, 'billing', digest), undefined)
  t.not(await lastUseOf(storage, 'billing:eu', 'one'), undefined, 'another client keeps its own')
})

t.test('a short secret is an event once an hour and client, and is known from its record', async (t) => {
  const { clock, events, spy, uses } = await start()
  const short = (...client_ids: string[]) =>
    client_ids.map((client_id) => ({ event: 'short_secret_used', client_id }))
  const use = () => {
    for (const client_id of ['billing', 'billing:eu']) {
      for (const digest of ['one', 'two']) uses.note(client_id, digest, true)
      uses.note(client_id, 'long', false)
    }
  }
  for (let i = 0; i < 10; i++) use()
  t.strictSame(events, short('billing', 'billing:eu'), 'two secrets of a client are one event')
  clock.now += HOUR - 1
  use()
  t.equal(events.length, 2, 'nothing within the hour')
  clock.now += 2
  use()
  t.strictSame(events, short('billing', 'billing:eu', 'billing', 'billing:eu'))
  await uses.flush()
  const isShort = await findShortSecrets(spy.storage)
  t.strictSame(
    ['one', 'two', 'long', 'three'].map((digest) => isShort('billing', digest)),
    [true, true, false, false],
  )
})

t.test('the events about short secrets need bounded memory', async (t) => {
  const { events, uses } = await start()
  for (let i = 0; i < 60_000; i++) uses.note(`client-${i}`, 'one', true)
  events.length = 0
  uses.note('client-59999', 'one', true)
  t.strictSame(events, [], 'the latest are remembered')
  uses.note('client-0', 'one', true)
  t.strictSame(events, [{ event: 'short_secret_used', client_id: 'client-0' }], 'the first is forgotten')
})
