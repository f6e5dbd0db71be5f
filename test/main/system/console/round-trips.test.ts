// What the pages of the console cost in Redis: at most ten round trips; and eleven commands, and some for each row of a list that
// is shown, which are sent together.

import t, { type Test } from 'tap'
import { CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { noteFitted } from '../../../../src/storage/indexes.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { entriesIn } from '../../../support/audited.ts'
import { countCommands } from '../../../support/command-counter.ts'
import { reportsOf, watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { storeCrowd } from '../../../support/scene/crowd.ts'
import { operatorCookie, placeOf, withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'

const MOST = 10
const MOST_COMMANDS = 11
/** For each row that is shown: its record, and who the people in it are today. */
const EACH = 7
/** They read a page of clients, of which they show groups, or those that use what the page is about: of very many as few as of these. */
const CLIENTS_READ: Readonly<Record<string, number>> = {
  '/groups': 50,
  ...{
    '/details/:detail_type': 80,
    '/apis/:resource': 80,
    '/providers/:provider': 80,
    '/issuers/:issuer': 80,
  },
}
/** It has what were pages of their own: sessions, access, history. */
const WHOLE_PERSON = { path: '/people/:username', most: 25 }
/** It examines each server of Redis, as redmint doctor does: an operator asks for it. */
const EXAMINES = '/server'

/** What a page took in commands and round trips, and how many rows it showed. */
interface Cost {
  readonly count: number
  readonly trips: number
  readonly rows: number
}

const redis = await startRedis(t)
let services = 0

function mostCommands(path: string, rows: number): number {
  const most = path === WHOLE_PERSON.path ? WHOLE_PERSON.most : MOST_COMMANDS
  return most + (CLIENTS_READ[path] ?? 0) + EACH * rows
}

async function costs(test: Test, is_crowd: boolean): Promise<Record<string, Cost>> {
  const counter = await countCommands(test, redis.port)
  const storage = redisStorage(test, counter, `s${services++}:`)
  const { operator } = await scene(test, { with: ['console'], storage })
  await withRecords(storage)
  if (is_crowd) await storeCrowd(storage)
  await until('the cached records are watched', () => watchesAll(storage))
  for (const username of ['ada', 'alice', 'ben', 'bob']) await indexUser(storage, username)
  await noteFitted(storage, Date.now())
  const ada = await operator()
  // That somebody is looked at is written soon after the first page.
  await ada.page(placeOf('/people/:username'))
  await until('it is written', async () =>
    (await entriesIn(storage)).some(({ event }) => event === 'user_viewed'),
  )
  const allReported = reportsOf(storage)
  const taken: Record<string, Cost> = {}
  for (const { path } of CONSOLE_PAGES) {
    if (path === EXAMINES) continue
    // The first one loads scripts, and caches records.
    await ada.page(placeOf(path))
    await allReported()
    counter.take()
    counter.takeTrips()
    const { status, text } = await ada.page(placeOf(path))
    test.equal(status, 200)
    const rows = text.split(/<th scope="row">|<time class="quiet nowrap"|<div class="grow">/).length - 1
    let count = counter.take().length
    let trips = counter.takeTrips()
    // On a busy machine what is sent together may arrive in parts, and what servers write now and then falls in between.
    for (let i = 0; i < 3 && (trips > MOST || count > mostCommands(path, rows)); i += 1) {
      await ada.page(placeOf(path))
      count = Math.min(count, counter.take().length)
      trips = Math.min(trips, counter.takeTrips())
    }
    taken[path] = { count, trips, rows }
  }
  return taken
}

t.test(
  'a page takes at most ten round trips, and eleven commands besides its rows, for few people and applications and for many',
  async (t) => {
    for (const is_crowd of [false, true])
      for (const [path, { count, trips, rows }] of Object.entries(await costs(t, is_crowd))) {
        t.ok(trips <= MOST, `${path}: ${trips} round trips`)
        t.ok(count <= mostCommands(path, rows), `${path}: ${count} for ${rows} rows`)
      }
  },
)

t.test('what the console keeps ends by itself, and holds no token', async (t) => {
  const prefix = `s${services++}:`
  const storage = redisStorage(t, redis, prefix)
  const { operator } = await scene(t, { with: ['console'], storage })
  const ada = await operator()
  await ada.submit(await ada.page('/console/people/bob/end-sessions'), {})
  const kept = async (kind: string) => {
    const [key = ''] = (await redis.cli('--raw', 'KEYS', `${prefix}${kind}:*`)).trim().split('\n')
    return { ttl: Number(await redis.cli('TTL', key)), hash: await redis.cli('HGETALL', key), key }
  }
  const session = await kept('console-session')
  t.ok(session.ttl > 1700 && session.ttl <= 1800, `${session.ttl}`)
  t.notMatch(session.hash, /[\w-]{16}\.[\w-]{43}/, 'the token is sealed')
  t.notMatch(session.key, operatorCookie(ada), 'nor is there a cookie')
  const form = await kept('challenge')
  t.ok(form.ttl > 28_000 && form.ttl <= 28_900, `${form.ttl}`)
})
