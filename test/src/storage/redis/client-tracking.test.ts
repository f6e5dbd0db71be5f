// Whether a cache of client records may be believed.

import t, { type Test } from 'tap'
import { createClient, isWatching, readClient, watchClients } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { stopwatch } from '../../../support/stopwatch.ts'
import { until } from '../../../support/until.ts'
import { watcher } from '../../../system/contract/subject.ts'
import { openAt, PREFIX } from './support.ts'

async function watched(t: Test) {
  const redis = await startRedis(t)
  const { storage, texts } = openAt(t, redis.url)
  const { told, watch } = watcher()
  watchClients(storage, watch)
  const live = () => until('changes are reported', () => isWatching(storage))
  const dead = () => until('changes are not reported', () => !isWatching(storage))
  await live()
  return { redis, storage, texts, told, live, dead }
}

t.test('watchers start with a clean slate', async (t) => {
  const { told } = await watched(t)
  t.equal(told.all, 1)
  t.strictSame(told.changed, [])
})

t.test('a watcher that joins later is told the same', async (t) => {
  const { storage } = await watched(t)
  const { told, watch } = watcher()
  watchClients(storage, watch)
  t.ok(isWatching(storage))
  await createClient(storage, 'app', { client_name: 'App' })
  await until('both are told', () => told.changed.includes('app'))
})

t.test('while the server is gone nothing may be cached, and afterwards all is new', async (t) => {
  const { redis, told, dead, live } = await watched(t)
  let before = told.all
  await redis.stop()
  await dead()
  t.ok(told.all > before, 'told at once, because notices may be missed')
  before = told.all
  await redis.restart()
  await redis.cli('HSET', `${PREFIX}client:app`, 'client_name', 'written meanwhile')
  await live()
  t.ok(told.all > before, 'and told again when notices come in')
  await redis.cli('HSET', `${PREFIX}client:app`, 'client_name', 'changed')
  await until('changes are reported again', () => told.changed.includes('app'))
})

t.test('a server that hangs is found out within a second or so', async (t) => {
  const { redis, storage, told, dead, live } = await watched(t)
  const before = told.all
  const elapsed = stopwatch()
  process.kill(redis.pid, 'SIGSTOP')
  await dead()
  const took = elapsed()
  t.ok(took < 1300, `after ${took} ms`)
  t.ok(told.all > before)
  process.kill(redis.pid, 'SIGCONT')
  await live()
  await createClient(storage, 'app', { client_name: 'App' })
  await until('changes are reported again', () => told.changed.includes('app'))
})

t.test('a connection that somebody ends is made anew', async (t) => {
  const { redis, told, live, dead } = await watched(t)
  for (let round = 1; round <= 3; round += 1) {
    const before = told.all
    await redis.cli('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await dead()
    await live()
    t.ok(told.all >= before + 2)
    told.changed.length = 0
    await redis.cli('HSET', `${PREFIX}client:app`, 'round', String(round))
    await until('changes are reported again', () => told.changed.includes('app'))
  }
  t.equal((await redis.cli('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n').length, 1, 'and there is but one')
})

t.test(
  'a Redis that grants no tracking: everything works, nothing is cached, and the log says so',
  async (t) => {
    const redis = await startRedis(t)
    const rights = ['on', '>hush', '~*', '&*', '+@all', '-client|tracking']
    await redis.cli('ACL', 'SETUSER', 'narrow', ...rights)
    const { storage, texts } = openAt(t, redis.url.replace('//', '//narrow:hush@'))
    const { told, watch } = watcher()
    watchClients(storage, watch)
    const refusal =
      'warn Client records are not cached, because Redis reports no changes: Redis answered NOPERM.'
    await until('it is told', () => texts().includes(refusal))
    t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
    t.strictSame(await readClient(storage, 'app'), { client_name: 'App' })
    await redis.cli('CONFIG', 'RESETSTAT')
    await until('it was tried again', async () =>
      /client\|id:calls=([3-9]|\d\d)/.test(await redis.cli('INFO', 'commandstats')),
    )
    t.notOk(isWatching(storage))
    t.strictSame(told, { changed: [], all: 0 })
    t.equal(texts().filter((text) => text === refusal).length, 1, 'once')

    await redis.cli('ACL', 'SETUSER', 'narrow', '+client|tracking')
    await until('changes are reported', () => isWatching(storage))
  },
)
