// The repair of all lists by counts: one walk in short steps, few commands for each record, and no write for what is listed.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { CLIENT } from '../../../../../../src/clients/record/client-kind.ts'
import { consentLists } from '../../../../../../src/interaction/consent.ts'
import { sessionLists } from '../../../../../../src/sessions/session-lists.ts'
import { fitAll, fitIndexes, listOf } from '../../../../../../src/storage/indexes.ts'
import { grantLists } from '../../../../../../src/tokens/grant-lists.ts'
import { grantsOf } from '../../../../../../src/tokens/listed-grants.ts'
import { userIndex } from '../../../../../../src/users/user-index.ts'
import { USER } from '../../../../../../src/users/user-kind.ts'
import {
  EVERYWHERE,
  fillGrants,
  fillUsers,
  PREFIX,
  putSessions,
} from '../../../../../support/proof/large-records.ts'
import { callsIn } from '../../../../../support/redis-calls.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { openAt, writable } from '../../../../../support/storage/redis/support.ts'

/** Users and grants, and a client for each tenth. */
const COUNT = 400

async function filled(t: Test, count = COUNT) {
  const redis = await startRedis(t)
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  await fillUsers(client, count)
  await fillGrants(client, count)
  await putSessions(client, 'user-0000002', count)
  const { storage } = openAt(t, redis.url)
  await writable(storage)
  const indexes = [
    listOf(storage, CLIENT),
    listOf(storage, USER),
    userIndex(storage),
    sessionLists(storage),
    grantLists(storage, Date.now),
    consentLists(storage, 60, Date.now),
  ]
  /** Runs a repair; returns what it found, and how often Redis ran which command for it. */
  const repair = async () => {
    await client.config('RESETSTAT')
    const fitted = await fitIndexes(storage, indexes)
    const stats = await client.info('commandstats')
    const calls = new Map(
      [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, count]) => [name, Number(count)]),
    )
    return { fitted, calls, all: await callsIn(client) }
  }
  return { client, storage, indexes, repair }
}

t.test('a repair that has nothing to do writes nothing', async (t) => {
  const { client, repair } = await filled(t)
  await repair()
  const { fitted, calls, all } = await repair()
  t.strictSame(fitted, { added: 0, removed: 0 })
  const keys = await client.dbsize()
  // SCAN may look at some more than it was asked for, or fewer.
  t.ok((calls.get('scan') ?? 0) <= keys / 50, `one walk: ${calls.get('scan')} SCAN for ${keys} keys`)
  for (const writes of ['evalsha', 'hset', 'zrem', 'hdel']) t.notOk(calls.has(writes), writes)
  // Last sign-ins, which are added if they are missing.
  t.ok((calls.get('zadd') ?? 0) <= (calls.get('scan') ?? 0))
  // A user: the record, two names by their records and by the user, and the places in the list and the words. A grant: its record and lists.
  t.ok(all < 16 * COUNT, `${all} commands`)
})

t.test('entries that are missing are added many at a time', async (t) => {
  const { client, storage, repair } = await filled(t)
  await client.del(`${PREFIX}grants-of-client:${EVERYWHERE}`, `${PREFIX}grants-of-user:user-0000001`)
  const { calls } = await repair()
  t.equal(await storage.lists.count(grantsOf({ client_id: EVERYWHERE })), COUNT)
  t.equal(await storage.lists.count(grantsOf({ username: 'user-0000001' })), COUNT)
  t.ok((calls.get('evalsha') ?? 0) < COUNT / 5, `${calls.get('evalsha')} scripts for ${2 * COUNT} entries`)
})

t.test('each step looks at few keys, also where it finds nothing', async (t) => {
  const { client, storage, indexes } = await filled(t, 0)
  const others = 5000
  const pipeline = client.pipeline()
  for (let i = 0; i < others; i++) pipeline.set(`${PREFIX}withdrawn:${i}`, '')
  await pipeline.exec()
  let steps = 0
  for await (const _ of fitAll(storage, indexes)) steps += 1
  t.ok(steps > others / 200, `${steps} steps`)
})
