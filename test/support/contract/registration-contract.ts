// The contract of registrations: limits count exactly the clients that were written.
import type { Test } from 'tap'
import { REGISTERED_CLIENT } from '../../../src/clients/record/client-kind.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { changeClient, listClients, readClient } from '../records.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { collect, type Make, pass } from './subject.ts'

const HASH = { is_public: 'true', grant_types: 'authorization_code', redirect_uris: 'https://a.example/cb' }
export const LIMITS = { in_all: 5, of_address: 3, window: 60_000 }
const ADDRESS = 'aaaaaaaaaaaaaaaa'

/** A new client of a storage. */
export const newClient = (storage: Storage, ttl = 60) => ({
  kind: REGISTERED_CLIENT,
  id: storage.registrations.newClientId('self-'),
  hash: HASH,
  ttl,
})

export async function registrationContract(t: Test, make: Make): Promise<void> {
  const countOf = async (storage: Storage) => (await collect(listClients(storage))).length

  await t.test('client_ids are random, short and safe in a path', async (t) => {
    const { storage } = await make(t)
    const ids = Array.from({ length: 200 }, () => storage.registrations.newClientId('self-'))
    t.equal(new Set(ids).size, 200)
    for (const id of ids) t.match(id, /^self-[\w-]{16,24}$/)
  })

  await t.test('an address registers up to its limit, and all addresses up to theirs', async (t) => {
    const { storage } = await make(t)
    const may = (address: string) => storage.registrations.mayRegisterOpenly(address, LIMITS)
    const register = async (address: string) => {
      const expected = await may(address)
      const found = await storage.registrations.registerOpenly(newClient(storage), address, LIMITS)
      t.equal(expected.outcome, found.outcome, 'as the look before said')
      return found
    }
    for (let i = 0; i < 4; i++) t.match(await may(ADDRESS), { outcome: 'ok' }, 'a look counts nothing')
    for (let i = 0; i < 3; i++) t.match(await register(ADDRESS), { outcome: 'ok' })
    const { outcome, ends_in } = await may(ADDRESS)
    t.equal(outcome, 'address')
    t.ok(ends_in > 0 && ends_in <= LIMITS.window, `${ends_in} ms`)
    const refused = await register(ADDRESS)
    t.equal(refused.outcome, 'address')
    t.ok(refused.ends_in > 0 && refused.ends_in <= LIMITS.window, `${refused.ends_in} ms`)
    for (let i = 0; i < 2; i++) t.match(await register(`b${i}`), { outcome: 'ok' })
    t.match(await register('c'), { outcome: 'all' })
    t.equal(await countOf(storage), 5, 'nothing was written for those that were refused')
  })

  await t.test('clearRegistrations forgets those of an address, and none of those in all', async (t) => {
    const { storage } = await make(t)
    const { registrations } = storage
    const register = async () =>
      (await registrations.registerOpenly(newClient(storage), ADDRESS, LIMITS)).outcome
    for (let i = 0; i < LIMITS.of_address; i++) t.equal(await register(), 'ok')
    t.equal(await register(), 'address')
    await registrations.clearRegistrations(ADDRESS)
    const after = await Promise.all([register(), register(), register()])
    t.strictSame(after.sort(), ['all', 'ok', 'ok'])
  })

  await t.test('of many at once exactly as many are written as may be', async (t) => {
    const { storage } = await make(t)
    const all = Array.from({ length: 30 }, (_, i) =>
      storage.registrations.registerOpenly(newClient(storage), `${i % 10}`, LIMITS),
    )
    const ok = (await Promise.all(all)).filter(({ outcome }) => outcome === 'ok').length
    t.equal(ok, LIMITS.in_all)
    t.equal(await countOf(storage), LIMITS.in_all)
  })

  await t.test('a window begins with its first client, and ends on time', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const short = { in_all: 1, of_address: 1, window: 1000 }
    const register = () => storage.registrations.registerOpenly(newClient(storage), ADDRESS, short)
    t.match(await register(), { outcome: 'ok' })
    t.match(await register(), { outcome: 'address' })
    await pass(subject, 1.1, async () => (await register()).outcome === 'ok')
    t.match(await register(), { outcome: 'address' })
  })

  await t.test('a client lapses, unless its lifetime is extended; it is never shortened', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const [lapsing, kept] = [newClient(storage, 1), newClient(storage, 1)]
    for (const client of [lapsing, kept]) await storage.registrations.registerOpenly(client, 'x', LIMITS)
    const change = (ttl: number) =>
      storage.records.change(REGISTERED_CLIENT, kept.id, { set: { client_name: `${ttl}` }, ttl })
    t.equal(await change(60), 'ok')
    const expiry = redis && (await expiryOf(redis, `client:${kept.id}`))
    t.equal(await change(5), 'ok')
    t.equal(redis && (await expiryOf(redis, `client:${kept.id}`)), expiry)
    await pass(subject, 1.1, async () => (await readClient(storage, lapsing.id)) === undefined)
    t.strictSame(await readClient(storage, kept.id), { ...HASH, client_name: '5' })
    t.equal(await change(Number.POSITIVE_INFINITY), 'ok')
    if (redis) t.equal(await expiryOf(redis, `client:${kept.id}`), -1)
    subject.advance?.(1000)
    t.ok(await readClient(storage, kept.id), 'it stays')
    t.equal(
      await storage.records.change(REGISTERED_CLIENT, lapsing.id, { set: { client_name: 'x' }, ttl: 60 }),
      'missing',
    )
  })

  await t.test('a client without an expiry gets none', async (t) => {
    const { storage, redis } = await make(t)
    await storage.records.create({ kind: REGISTERED_CLIENT, id: 'plain', hash: HASH })
    await storage.records.change(REGISTERED_CLIENT, 'plain', { set: { client_name: 'x' }, ttl: 1 })
    if (redis) t.equal(await expiryOf(redis, 'client:plain'), -1)
    await changeClient(storage, 'plain', { set: { client_name: 'y' } })
    t.equal((await readClient(storage, 'plain'))?.client_name, 'y')
  })

  await t.test(
    'registrations leave one key that expires besides their clients and the names of these',
    async (t) => {
      const { storage, redis } = await make(t)
      for (let i = 0; i < 8; i++)
        await storage.registrations.registerOpenly(newClient(storage), `address-${i}`, LIMITS)
      if (redis === undefined) {
        t.pass('memory has no keys')
        return
      }
      const others = (await keysOf(redis)).filter(
        (key) => !/^(client:self-|(names|words):client$|probe:)/.test(key),
      )
      t.same(others, ['registrations:{clients}'])
      t.equal(Number(await redis.cli('HLEN', `${redis.prefix}registrations:{clients}`)), LIMITS.in_all + 1)
      t.ok((await expiryOf(redis, 'registrations:{clients}')) > 0)
    },
  )
}
