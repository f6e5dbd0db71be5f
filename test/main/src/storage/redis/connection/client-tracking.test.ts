// The change notices that decide whether client records may be cached.

import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { SESSION } from '../../../../../../src/sessions/session-record.ts'
import { ChangeTracking } from '../../../../../../src/storage/redis/connection/change-tracking.ts'
import { SUBSCRIBER_OPTIONS } from '../../../../../../src/storage/redis/connection/options.ts'
import { USER } from '../../../../../../src/users/user-kind.ts'
import { watcher } from '../../../../../support/contract/subject.ts'
import { createClient, isWatching, readClient, watchClients } from '../../../../../support/records.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { stopwatch } from '../../../../../support/stopwatch.ts'
import { openAt, PREFIX, recordingLog, startSwitch } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

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

t.test('a watcher is told to clear its cache when watching starts', async (t) => {
  const { told } = await watched(t)
  t.equal(told.all, 1)
  t.strictSame(told.changed, [])
})

t.test('a second watcher gets the same notices', async (t) => {
  const { storage } = await watched(t)
  const { told, watch } = watcher()
  watchClients(storage, watch)
  t.ok(isWatching(storage))
  await createClient(storage, 'app', { client_name: 'App' })
  await until('both watchers are notified', () => told.changed.includes('app'))
})

t.test(
  'while Redis is down nothing may be cached, and after reconnecting the cache is cleared',
  async (t) => {
    const { redis, told, dead, live } = await watched(t)
    let before = told.all
    await redis.stop()
    await dead()
    t.ok(told.all > before, 'cleared at once, because notices may be missed')
    before = told.all
    await redis.restart()
    await redis.cli('HSET', `${PREFIX}client:app`, 'client_name', 'written meanwhile')
    await live()
    t.ok(told.all > before, 'cleared again when notices resume')
    await redis.cli('HSET', `${PREFIX}client:app`, 'client_name', 'changed')
    await until('changes are reported again', () => told.changed.includes('app'))
  },
)

t.test('a suspended Redis is detected in about a second', async (t) => {
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

t.test('a tracking connection that was killed is opened again', async (t) => {
  const { redis, told, live } = await watched(t)
  for (let round = 1; round <= 3; round += 1) {
    const before = told.all
    await redis.cli('CLIENT', 'KILL', 'TYPE', 'pubsub')
    // It may be open again before redis-cli has ended.
    await until('cleared when it ended and when it was opened', () => told.all >= before + 2)
    await live()
    told.changed.length = 0
    await redis.cli('HSET', `${PREFIX}client:app`, 'round', String(round))
    await until('changes are reported again', () => told.changed.includes('app'))
  }
  t.equal((await redis.cli('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n').length, 1, 'there is only one')
})

t.test(
  'without permission for CLIENT TRACKING nothing is cached, and a warning is logged once',
  async (t) => {
    const redis = await startRedis(t)
    const rights = ['on', '>hush', '~*', '&*', '+@all', '-client|tracking']
    await redis.cli('ACL', 'SETUSER', 'narrow', ...rights)
    const { storage, texts } = openAt(t, redis.url.replace('//', '//narrow:hush@'))
    const { told, watch } = watcher()
    watchClients(storage, watch)
    const refusals = () =>
      texts().filter((text) => text.includes('key tracking, so records are not cached: NOPERM'))
    await until('the warning is logged', () => refusals().length > 0)
    t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
    t.strictSame(await readClient(storage, 'app'), { client_name: 'App' })
    await redis.cli('CONFIG', 'RESETSTAT')
    await until('tracking was tried again', async () =>
      /client\|id:calls=([3-9]|\d\d)/.test(await redis.cli('INFO', 'commandstats')),
    )
    t.notOk(isWatching(storage))
    t.strictSame(told, { changed: [], all: 0 })
    t.equal(refusals().length, 1, 'once')

    await redis.cli('ACL', 'SETUSER', 'narrow', '+client|tracking')
    await until('changes are reported', () => isWatching(storage))
  },
)

t.test('changes count as reported only by the server that commands go to', async (t) => {
  const old = await startRedis(t)
  const next = await startRedis(t)
  const place = await startSwitch(t, old)
  const { storage } = openAt(t, place.url)
  const { told, watch } = watcher()
  watchClients(storage, watch)
  await until('changes are reported', () => isWatching(storage))

  // Only the connection for commands is led to the new server, which reports no changes.
  await next.cli('ACL', 'SETUSER', 'default', '-client|tracking')
  await next.cli('HSET', `${PREFIX}client:app`, 'client_name', 'Next')
  place.to(next)
  const before = told.all
  await old.cli('CLIENT', 'KILL', 'TYPE', 'normal')
  await until('commands go to the new server', async () => {
    const found = await readClient(storage, 'app').catch(() => undefined)
    return found?.client_name === 'Next'
  })
  t.notOk(isWatching(storage), 'nothing may be cached')
  t.ok(told.all > before, 'and what was cached is forgotten')

  await next.cli('ACL', 'SETUSER', 'default', '+client|tracking')
  await until('changes are reported', () => isWatching(storage))
  await next.cli('HSET', `${PREFIX}client:app`, 'client_name', 'Changed')
  await until('the change is reported', () => told.changed.includes('app'))
})

t.test('all kinds share one connection, and each watcher is told of changes of its own kind', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  const clients = watcher()
  const users = watcher()
  watchClients(storage, clients.watch)
  await until('clients are watched', () => isWatching(storage))
  storage.changes.watch(USER, users.watch)
  await until('users are watched, too', () => storage.changes.isLive(USER) && isWatching(storage))
  t.notOk(storage.changes.isLive(SESSION), 'no kind is live that nobody watches')
  await redis.cli('HSET', `${PREFIX}user:alice`, 'sub', '1')
  await redis.cli('HSET', `${PREFIX}client:app`, 'client_name', 'App')
  await until('both are told', () => users.told.changed.length > 0 && clients.told.changed.length > 0)
  t.strictSame([users.told.changed, clients.told.changed], [['alice'], ['app']])
  t.equal((await redis.cli('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n').length, 1, 'one connection')
})

t.test('without the right to INFO, servers are told apart by their address', async (t) => {
  const redis = await startRedis(t)
  await redis.cli('ACL', 'SETUSER', 'quiet', 'on', '>hush', '~*', '&*', '+@all', '-info')
  const { storage } = openAt(t, redis.url.replace('//', '//quiet:hush@'))
  watchClients(storage, watcher().watch)
  await until('changes are reported', () => isWatching(storage))
})

t.test('in a Cluster every master that commands go to must report changes', async (t) => {
  const redis = await startRedis(t)
  const client = new Redis(redis.url)
  const place = { host: '127.0.0.1', port: redis.port }
  const known = `${place.host}:${place.port}`
  let servers = [known]
  const connection = {
    client,
    isCluster: true,
    get servers() {
      return servers
    },
    sendsOnlyTo: (passes: (server: string) => boolean) => servers.every(passes),
    keyPlaces: async () => [place],
    subscriber: () => new Redis({ ...SUBSCRIBER_OPTIONS, ...place }),
    refused: () => false,
    accepted() {},
  }
  const tracking = new ChangeTracking(connection, recordingLog().log)
  t.teardown(async () => {
    await tracking.close()
    client.disconnect()
  })
  tracking.watch('client:', watcher().watch)
  await until('changes are reported', () => tracking.isLive('client:'))
  // The driver was redirected to a master that the tracking has not heard of.
  servers = [known, '127.0.0.1:1']
  t.notOk(tracking.isLive('client:'))
  servers = [known]
  t.ok(tracking.isLive('client:'))
})
