// Warnings about a Redis whose configuration can lose records, and the refusal of a Redis replica.

import t from 'tap'
import { readClient } from '../../../../../support/records.ts'
import { startCluster, startRedis, startReplica, startSentinel } from '../../../../../support/redis-server.ts'
import { open, openAt, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

const EVICTS = 'maxmemory-policy is allkeys-lru'
const FORGETS = 'min-replicas-to-write is 0'
const warnings = (texts: string[]) => texts.filter((text) => text.startsWith('warn '))

t.test('a maxmemory-policy that evicts records is logged once as a warning', async (t) => {
  const redis = await startRedis(t, { args: ['--maxmemory-policy', 'allkeys-lru'] })
  const { storage, texts } = openAt(t, redis.url)
  await writable(storage)
  t.match(warnings(texts()), [`Redis at 127.0.0.1:${redis.port}: ${EVICTS}`])
  t.match(warnings(texts()), [/Set it to noeviction\.$/])
  await redis.cli('CLIENT', 'KILL', 'TYPE', 'normal')
  await until('connected again', () => texts().filter((text) => text.includes('is connected')).length > 1)
  await writable(storage)
  t.equal(texts().filter((text) => text.includes(EVICTS)).length, 1, 'not logged at each connection')
})

t.test('a master that accepts writes without its replicas is logged as a warning', async (t) => {
  const master = await startRedis(t, { args: ['--repl-diskless-sync-delay', '0'] })
  await startReplica(t, master)
  const first = openAt(t, master.url)
  await writable(first.storage)
  t.match(warnings(first.texts()), [`Redis at 127.0.0.1:${master.port}: ${FORGETS}`])
  await master.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
  const second = openAt(t, master.url)
  await writable(second.storage)
  // The first writes may be refused until the master has counted its replicas.
  const about = warnings(second.texts()).filter((text) => text.includes(FORGETS))
  t.strictSame(about, [], 'no warning if min-replicas-to-write is set')
})

t.test('a master behind Sentinels is checked even without a replica', async (t) => {
  const { name, watchers } = await startSentinel(t, { replicas: 0 })
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { storage, texts } = open(t, { kind: 'sentinel', sentinels, name })
  await writable(storage)
  t.match(warnings(texts()), [`Redis Sentinel ${name}: ${FORGETS}`])
})

t.test('no warning if Redis is configured well or does not show its configuration', async (t) => {
  const redis = await startRedis(t)
  const rights = ['on', '>hush', '~*', '&*', '+@all', '-info']
  await redis.cli('ACL', 'SETUSER', 'quiet', 'reset', ...rights)
  for (const url of [redis.url, redis.url.replace('//', '//quiet:hush@')]) {
    const { storage, texts } = openAt(t, url)
    await writable(storage)
    t.strictSame(texts(), [`info Redis at 127.0.0.1:${redis.port} is connected.`])
  }
})

t.test('each master of a Cluster is checked', async (t) => {
  const { masters } = await startCluster(t)
  for (const { cli } of masters) await cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { storage, texts } = open(t, { kind: 'cluster', nodes })
  await writable(storage)
  await until('all masters are logged', () => warnings(texts()).length === masters.length)
  for (const { port } of masters) {
    t.ok(
      warnings(texts()).some(
        (text) => text.includes(`127.0.0.1:${port} of Redis Cluster`) && text.includes(EVICTS),
      ),
    )
  }
})

t.test('a Redis replica is unavailable as storage until it becomes the master', async (t) => {
  const master = await startRedis(t, { args: ['--repl-diskless-sync-delay', '0'] })
  const replica = await startReplica(t, master)
  const { storage, texts } = openAt(t, replica.url)
  await unavailable(t, { probe: () => storage.probe(), readClient: () => readClient(storage, 'app') })
  await t.rejects(readClient(storage, 'app'), { message: 'it is a replica' })
  await replica.cli('REPLICAOF', 'NO', 'ONE')
  await writable(storage)
  t.equal(await readClient(storage, 'app'), undefined)
  const where = `Redis at 127.0.0.1:${replica.port}`
  t.strictSame(texts(), [
    `warn ${where} is there, but cannot be used: it is a replica. Name the master in REDIS_URL, or promote this server (REPLICAOF NO ONE).`,
    `info ${where} is connected.`,
  ])
})
