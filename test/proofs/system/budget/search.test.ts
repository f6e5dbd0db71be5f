// What one search costs in Redis, by the admin API and in the console: the same among few people and among many.
import t, { type Test } from 'tap'
import { noteFitted } from '../../../../src/storage/indexes.ts'
import { countCommands } from '../../../support/command-counter.ts'
import { createClient, createUser, reportsOf, watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'

/** One command for the words, and those around it: the caller, his rights, what is exactly this, whether lists are whole. */
const API = { commands: 6, trips: 6 }
/** Users, clients, groups and providers at once, and the session of the operator. */
const CONSOLE = { commands: 15, trips: 7 }
/** For each record that is found: its hash, and of a person the last sign-in. */
const EACH = 2

const redis = await startRedis(t)

for (const others of [0, 500])
  t.test(`a search among ${others} others`, async (t) => {
    const { counter, call, tokenOf, operator, allReported } = await start(t, others)
    const measured = async (work: () => Promise<unknown>) => {
      // The first one loads scripts, and caches records.
      await work()
      await allReported()
      let least = { commands: Number.POSITIVE_INFINITY, trips: Number.POSITIVE_INFINITY }
      for (let i = 0; i < 3; i += 1) {
        counter.take()
        counter.takeTrips()
        await work()
        const [commands, trips] = [counter.take().length, counter.takeTrips()]
        least = { commands: Math.min(least.commands, commands), trips: Math.min(least.trips, trips) }
      }
      return least
    }
    const token = await tokenOf('redmint:users:read', 'redmint:clients:read')
    for (const [path, found] of [
      ['/users?q=kowalski', 1],
      ['/users?q=anna', 2],
      ['/users?q=nobody', 0],
      ['/users?q=anna.garcia362@example.com', 1],
      ['/clients?q=savanna', 1],
    ] as const) {
      const { json } = await call('GET', path, { token })
      t.equal((json.items as unknown[]).length, found, path)
      const { commands, trips } = await measured(() => call('GET', path, { token }))
      t.ok(commands <= API.commands + EACH * found, `${path}: ${commands} commands`)
      t.ok(trips <= API.trips, `${path}: ${trips} round trips`)
    }
    const ada = await operator()
    for (const [q, found] of [
      ['anna', 3],
      ['nobody', 0],
    ] as const) {
      const { commands, trips } = await measured(() => ada.page(`/console/search?q=${q}`))
      t.ok(commands <= CONSOLE.commands + EACH * found, `console, ${q}: ${commands} commands`)
      t.ok(trips <= CONSOLE.trips, `console, ${q}: ${trips} round trips`)
    }
  })

async function start(t: Test, others: number) {
  const counter = await countCommands(t, redis.port)
  const storage = redisStorage(t, counter, `others-${others}:`)
  const service = await scene(t, { with: ['console'], storage })
  const people = [
    ['anna', { name: 'Anna Kowalski', email: 'anna.garcia362@example.com' }],
    ['hannah', { name: 'Hanna Annaberg' }],
    ...Array.from({ length: others }, (_, i) => [`other-${i}`, { name: `Other ${i}` }] as const),
  ] as const
  for (const [username, claims] of people) await createUser(storage, username, { sub: username, ...claims })
  await createClient(storage, 'planner', { client_name: 'Savanna', redirect_uris: 'https://a.example/cb' })
  await until('the cached records are watched', () => watchesAll(storage))
  await noteFitted(storage, Date.now())
  return { ...service, counter, allReported: reportsOf(storage) }
}
