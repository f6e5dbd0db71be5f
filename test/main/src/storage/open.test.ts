import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { openStorage } from '../../../../src/service/open-storage.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { isWatching } from '../../../support/records.ts'

const open = (environment: Record<string, string>) => openStorage(readConfig(environment), SILENT)

t.test('without a Redis URL, storage is in memory', async (t) => {
  const storage = open({})
  t.type(storage, MemoryStorage)
  t.equal(storage.description, 'memory')
  t.ok(isWatching(storage))
})

t.test('opening a storage does not wait for Redis', async (t) => {
  for (const [environment, description] of [
    [{ REDIS_URL: 'redis://me:hush@127.0.0.1:1/3' }, 'Redis at 127.0.0.1:1'],
    [{ REDIS_CLUSTER_NODES: '127.0.0.1:1,127.0.0.1:2' }, 'Redis Cluster (2 nodes)'],
    [{ REDIS_SENTINELS: '127.0.0.1:1', REDIS_SENTINEL_NAME: 'main' }, 'Redis Sentinel main'],
  ] as const) {
    const storage = open(environment)
    t.equal(storage.description, description)
    await storage.close()
  }
})

t.test('a URL that REDIS_URL cannot be is refused, without its password', (t) => {
  for (const [url, reason] of [
    ['localhost:6380', /must begin with redis:\/\//],
    ['https://:hush@127.0.0.1:1', /must begin with redis:\/\//],
    ['redis://:hush@127.0.0.1:1?db=3', /must end with the port or a database number/],
    ['redis://:hush%@127.0.0.1:1', /not percent-encoded/],
    ['redis://:hush@127.0.0.1:99999', /not a valid URL/],
    ['unix:///run/redis.sock?user=hush', /only a database number as parameter/],
  ] as const) {
    const open = () => openStorage({ redis: { kind: 'single', url } }, SILENT)
    t.throws(open, { name: 'TypeError', message: reason }, url)
    t.throws(open, { message: /^(?!.*hush)the URL of Redis / }, 'no password')
  }
  t.end()
})
