// Lists and indexes follow what is written by hand.

import t, { type Test } from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { IndexKeeper, type IndexTiming } from '../../../../src/service/index-keeper.ts'
import { everyRecord, fittedAt, listOf, noteFitted } from '../../../../src/storage/indexes.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { usernamesOfSub } from '../../../../src/users/sign-in-names.ts'
import { userIndex } from '../../../../src/users/user-index.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { type RedisServer, startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { until } from '../../../support/until.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const AT_ONCE = { delay: 0.01, first_look: 0.01, look: 0.02 }
const REPORTS_ONLY = { ...AT_ONCE, first_look: 86_400 }
const LOOKS_ONLY = { ...AT_ONCE, delay: 86_400 }

const redis = await startRedis(t)
let opened = 0

async function open(t: Test) {
  opened += 1
  const prefix = `test-${opened}:`
  const storage = redisStorage(t, redis, prefix)
  await storage.probe()
  return { storage, cli: byHand(redis, prefix) }
}

/** Runs redis-cli about a key without its prefix. */
const byHand =
  ({ cli }: RedisServer, prefix: string) =>
  (command: string, key: string, ...args: string[]) =>
    cli(command, prefix + key, ...args)

function keep(t: Test, storage: Storage, timing: IndexTiming, now = Date.now) {
  const indexes = [listOf(storage, CLIENT), listOf(storage, USER), userIndex(storage)]
  const keeper = new IndexKeeper({ storage, indexes, log: SILENT, now, timing })
  keeper.start()
  t.teardown(() => keeper.close())
  return keeper
}

const listed = async ({ records }: Storage, kind = USER) =>
  (await records.page(kind, { limit: 100 })).items.map(({ id }) => id)
const known = async ({ sign_ins }: Storage) => {
  const found = []
  for await (const { username } of sign_ins.inactiveSince(Number.POSITIVE_INFINITY)) found.push(username)
  return found.sort()
}

t.test(
  'a record that is written by hand is in its list within a second, and found by its names',
  async (t) => {
    const { storage, cli } = await open(t)
    keep(t, storage, REPORTS_ONLY)
    await until('changes are reported', async () => storage.changes.isLive(USER))
    await cli('HSET', 'user:alice', 'sub', 'a1', 'email', 'a@example.com', 'email_verified', 'true')
    await until('alice is listed', async () => (await listed(storage)).includes('alice'))
    await until('her sub is known', async () => (await usernamesOfSub(storage, 'a1')).includes('alice'))
    await until(
      'her address is known',
      async () => (await cli('HKEYS', 'sign-in-name:a@example.com')) === 'alice',
    )
    t.strictSame(await known(storage), ['alice'])
    await cli('HSET', 'user:alice', 'sub', 'a2')
    await until('the new sub is known', async () => (await usernamesOfSub(storage, 'a2')).includes('alice'))
    t.strictSame(await usernamesOfSub(storage, 'a1'), [], 'the record decides about the former one')
    await cli('SET', 'client:odd', 'no hash')
    const misfits: string[] = []
    const misfit = (id: string) => misfits.push(id)
    await until('a key of another type is listed, too', async () => {
      await storage.records.page(CLIENT, { limit: 1, misfit })
      return misfits.includes('odd')
    })
    await cli('DEL', 'user:alice')
    await until('alice is forgotten', async () => (await known(storage)).length === 0)
    await until('her list is empty', async () => (await cli('ZCARD', 'names:user')) === '0')
  },
)

t.test('one server repairs everything at start: what is missing, and what is left over', async (t) => {
  const { storage, cli } = await open(t)
  for (const i of Array.from({ length: 250 }).keys()) await cli('HSET', `user:u${i}`, 'sub', `s${i}`)
  await cli('ZADD', 'names:user', '0', 'gone')
  await cli('HSET', 'sign-in-name:sub:old', 'u0', '1')
  await cli('ZADD', 'last-sign-ins', '1', 'gone')
  t.equal(await fittedAt(storage), undefined)
  const before = []
  for await (const { id } of everyRecord(storage, USER)) before.push(id)
  t.equal(before.length, 250, 'until then, all are found by a scan')
  const keepers = [keep(t, storage, LOOKS_ONLY), keep(t, storage, LOOKS_ONLY)]
  await until('all is repaired', async () => (await fittedAt(storage)) !== undefined)
  await Promise.all(keepers.map((keeper) => keeper.close()))
  const after = []
  for await (const { id } of everyRecord(storage, USER)) after.push(id)
  t.strictSame(after, before.toSorted())
  t.equal(await cli('ZCARD', 'names:user'), '250')
  t.strictSame(await usernamesOfSub(storage, 's249'), ['u249'])
  t.equal(await cli('EXISTS', 'sign-in-name:sub:old'), '0')
  t.equal((await known(storage)).length, 250)
  t.equal(await cli('EXISTS', 'indexes:turn'), '0', 'the turn is given back')
})

t.test(
  'everything is repaired again after a day, and an hour after reports may have been lost',
  async (t) => {
    const { storage, cli } = await open(t)
    let now = Date.now()
    await noteFitted(storage, now)
    now += 1
    const keeper = keep(t, storage, LOOKS_ONLY, () => now)
    const repairedAt = () => fittedAt(storage)
    const first = await repairedAt()
    await cli('HSET', 'user:bob', 'sub', 'b')
    now += HOUR - 10
    await looks(t)
    t.equal(await repairedAt(), first, 'a server that has just started waits for the hour')
    now += 10
    await until('it does', async () => (await repairedAt()) === now)
    t.strictSame(await listed(storage), ['bob'])
    const second = now
    now += DAY - 1
    await looks(t)
    t.equal(await repairedAt(), second)
    now += 1
    await until('the day is over', async () => (await repairedAt()) === now)
    await keeper.close()
  },
)

t.test('another server waits while one repairs everything', async (t) => {
  const { storage, cli } = await open(t)
  await cli('HSET', 'indexes:turn', 'fitted_at', '1')
  keep(t, storage, LOOKS_ONLY)
  await looks(t)
  t.equal(await fittedAt(storage), undefined)
  await cli('DEL', 'indexes:turn')
  await until('its turn has come', async () => (await fittedAt(storage)) !== undefined)
})

/** Lets several looks pass. */
async function looks(t: Test) {
  const start = performance.now()
  await until('some looks have passed', async () => performance.now() - start > 200)
  t.pass()
}
