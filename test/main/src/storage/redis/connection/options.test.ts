import { inspect } from 'node:util'
import type { Cluster, Redis } from 'ioredis'
import t from 'tap'
import type { RedisLocation } from '../../../../../../src/config/redis-location.ts'
import { RedisConnection } from '../../../../../../src/storage/redis/connection/connect.ts'
import { end } from '../../../../../../src/storage/redis/connection/lifecycle.ts'
import { DRIVER_OPTIONS, describe, endpoint } from '../../../../../../src/storage/redis/connection/options.ts'
import { SILENT } from '../../../../../support/contract/redis-subject.ts'

const at = (url: string) => endpoint({ kind: 'single', url })
const NOWHERE = { host: '127.0.0.1', port: 1 }

t.test('the connection options that come from a URL', async (t) => {
  t.strictSame(at('redis://redis.example'), { host: 'redis.example', port: 6379, db: 0 })
  t.strictSame(at('redis://redis.example:6380/12'), { host: 'redis.example', port: 6380, db: 12 })
  t.strictSame(at('redis://:p%40ss%2F@[::1]/'), { host: '::1', port: 6379, db: 0, password: 'p@ss/' })
  t.strictSame(at('redis://me:p:w@h'), { host: 'h', port: 6379, db: 0, username: 'me', password: 'p:w' })
  t.strictSame(at('redis://h?db=3&enableOfflineQueue=true&tls=1'), { host: 'h', port: 6379, db: 0 })
  t.strictSame(at('unix:///run/redis%20x.sock?db=2'), { path: '/run/redis x.sock', db: 2 })
  t.match(at('unix://:hush@localhost/run/redis.sock'), { path: '/run/redis.sock', password: 'hush' })
})

t.test('TLS is used for rediss:// only', async (t) => {
  t.strictSame(at('rediss://redis.example').tls, {})
  t.equal(at('redis://redis.example').tls, undefined)
})

t.test('a malformed URL is refused without showing its password', async (t) => {
  for (const url of [
    'redis://:hush@host:99999',
    'redis://:hush%@host',
    'redis://:hush@host/first',
    'redis://:hush@',
  ]) {
    try {
      at(url)
      t.fail(`${url} is malformed`)
    } catch (error) {
      t.ok(error instanceof TypeError)
      t.notMatch(inspect(error, { showHidden: true, depth: 9 }), 'hush')
    }
  }
})

t.test('a location is described without its password', async (t) => {
  const locations: [RedisLocation, string][] = [
    [{ kind: 'single', url: 'rediss://me:hush@redis.example:6380/1' }, 'Redis at redis.example:6380'],
    [{ kind: 'single', url: 'redis://localhost' }, 'Redis at localhost:6379'],
    [{ kind: 'single', url: 'unix:///run/redis.sock' }, 'Redis at /run/redis.sock'],
    [{ kind: 'cluster', nodes: [NOWHERE] }, 'Redis Cluster (1 node)'],
    [{ kind: 'cluster', nodes: [NOWHERE, NOWHERE] }, 'Redis Cluster (2 nodes)'],
    [{ kind: 'sentinel', sentinels: [NOWHERE], name: 'main' }, 'Redis Sentinel main'],
  ]
  for (const [location, description] of locations) t.equal(describe(location), description)
})

t.test('a client leaves a replica once, however many replies say that it is one', async (t) => {
  const [one, other] = [{ ...DRIVER_OPTIONS }, { ...DRIVER_OPTIONS }]
  const refused = new Error("READONLY You can't write against a read only replica.")
  t.notOk(one.reconnectOnError(new Error('OOM command not allowed')))
  t.same(
    Array.from({ length: 20 }, () => one.reconnectOnError(refused)),
    Array.from({ length: 20 }, (_, i) => i === 0),
  )
  t.ok(other.reconnectOnError(refused), 'another client')
})

// With the driver's defaults, a command whose reply is lost runs twice.
const NEVER_TWICE = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  failoverDetector: false,
}

t.test('no connection resends or queues commands, or waits for more than a second', async (t) => {
  const locations: RedisLocation[] = [
    { kind: 'single', url: 'redis://127.0.0.1:1' },
    { kind: 'sentinel', sentinels: [NOWHERE], name: 'main' },
  ]
  for (const location of locations) {
    const connection = new RedisConnection(location, SILENT, '')
    const subscriber = connection.subscriber()
    subscriber.on('error', () => {})
    for (const { options } of [connection.client as Redis, subscriber]) {
      t.match(options, NEVER_TWICE)
      inTime(options)
      t.type(options.retryStrategy?.(1_000_000), 'number', 'reconnects without limit')
    }
    t.match(subscriber.options, { protocol: 2, autoResubscribe: false, socketTimeout: 600 })
    await Promise.all([end(subscriber), connection.close()])
  }

  const connection = new RedisConnection({ kind: 'cluster', nodes: [NOWHERE] }, SILENT, '')
  const { options } = connection.client as Cluster
  t.match(options, { enableOfflineQueue: false, retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 })
  t.ok(Number(options.maxRedirections) < 10)
  t.type(options.clusterRetryStrategy?.(1_000_000), 'number', 'reconnects without limit')
  t.match(options.redisOptions, { maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false })
  inTime(options.redisOptions ?? {})
  await connection.close()

  function inTime({ commandTimeout, connectTimeout }: Partial<Redis['options']>) {
    for (const limit of [commandTimeout, connectTimeout]) t.ok(limit && limit < 1000, `${limit} ms`)
  }
})

t.test('a connection that ended is opened again', async (t) => {
  const locations: RedisLocation[] = [
    { kind: 'single', url: 'redis://127.0.0.1:1' },
    { kind: 'sentinel', sentinels: [NOWHERE], name: 'main' },
  ]
  for (const location of locations) {
    const connection = new RedisConnection(location, SILENT, '')
    t.teardown(() => connection.close())
    await new Promise((resolve) => {
      connection.client.once('end', resolve)
      connection.client.disconnect()
    })
    await new Promise((resolve) => connection.client.once('connecting', resolve))
    t.pass(location.kind)
  }
})
