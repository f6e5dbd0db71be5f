import { Redis } from 'ioredis'
import t from 'tap'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { scanHashes } from '../../../../src/storage/redis/scan.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { SILENT } from '../../../system/contract/redis-subject.ts'
import { collect } from '../../../system/contract/subject.ts'

t.test('a prefix is no pattern', async (t) => {
  const redis = await startRedis(t)
  for (const prefix of ['a*:', 'a?:', '[ab]:', 'a\\:']) {
    const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys(prefix), SILENT)
    t.teardown(() => storage.close())
    for (const key of ['ab:client:other', 'a:client:other', 'a::client:other'])
      await redis.cli('HSET', key, 'a', '1')
    t.strictSame(await collect(storage.listClients()), [])
    await storage.createClient('mine', { client_name: 'Mine' })
    t.strictSame(await collect(storage.listClients()), [{ client_id: 'mine', hash: { client_name: 'Mine' } }])
  }
})

t.test('a key that SCAN comes upon twice is told once, and one that went away is not', async (t) => {
  const pages: Record<string, [string, string[]]> = {
    0: ['7', ['p:a', 'p:b']],
    7: ['9', ['p:b', 'p:gone']],
    9: ['0', []],
  }
  const client = new Redis({ lazyConnect: true })
  let asked: string[] = []
  Object.assign(client, {
    scan: async (cursor: string) => pages[cursor],
    pipeline: () => ({
      hgetall: (key: string) => asked.push(key),
      exec: async () => {
        const replies = asked.map((key) => [null, key === 'p:gone' ? {} : { key }])
        asked = []
        return replies
      },
    }),
  })
  t.strictSame(await collect(scanHashes(client, 'p:')), [
    { name: 'a', hash: { key: 'p:a' } },
    { name: 'b', hash: { key: 'p:b' } },
  ])
})
