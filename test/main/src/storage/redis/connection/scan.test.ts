import { Redis } from 'ioredis'
import t from 'tap'
import { CLIENT } from '../../../../../../src/clients/record/client-kind.ts'
import { scanHashes } from '../../../../../../src/storage/redis/connection/scan.ts'
import { RedisKeys } from '../../../../../../src/storage/redis/keys.ts'
import type { RedisAccess } from '../../../../../../src/storage/redis/parts/access.ts'
import { RedisRecords } from '../../../../../../src/storage/redis/parts/records.ts'
import { collect } from '../../../../../support/contract/subject.ts'
import { createClient, listClients } from '../../../../../support/records.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { redisStorage } from '../../../../../support/redis-storage.ts'

t.test('glob characters in the key prefix match literally', async (t) => {
  const redis = await startRedis(t)
  for (const prefix of ['a*:', 'a?:', '[ab]:', 'a\\:']) {
    const storage = redisStorage(t, redis, prefix)
    for (const key of ['ab:client:other', 'a:client:other', 'a::client:other'])
      await redis.cli('HSET', key, 'a', '1')
    t.strictSame(await collect(listClients(storage)), [])
    await createClient(storage, 'mine', { client_name: 'Mine' })
    t.strictSame(await collect(listClients(storage)), [{ client_id: 'mine', hash: { client_name: 'Mine' } }])
  }
})

t.test('a key that SCAN returns twice is listed once; a key that disappeared is not listed', async (t) => {
  const pages: Record<string, [string, string[]]> = {
    0: ['7', ['p:client:a', 'p:client:b']],
    7: ['9', ['p:client:b', 'p:client:gone']],
    9: ['0', []],
  }
  const client = new Redis({ lazyConnect: true })
  Object.assign(client, {
    sendCommand: async ({ name, args: [subject] }: { name: string; args: string[] }) => {
      if (name === 'scan') return pages[subject ?? '']
      return subject === 'p:client:gone' ? {} : { key: subject }
    },
  })
  const scan = (prefix: string) => scanHashes(client, prefix)
  const records = new RedisRecords({ keys: new RedisKeys('p:'), scan } as unknown as RedisAccess)
  const [a, b] = ['a', 'b'].map((id) => ({ id, hash: { key: `p:client:${id}` } }))
  t.strictSame(await collect(records.list(CLIENT)), [a, b])
  t.strictSame(await collect(records.scan(CLIENT)), [a, b, b], 'a scan keeps no state for the next one')
})
