import type { Redis } from 'ioredis'
import t from 'tap'
import { readServerInfo } from '../../../../src/storage/redis/server-info.ts'

t.test('a Sentinel is known by its mode, that of Valkey too', async (t) => {
  for (const [line, is_sentinel] of [
    ['redis_mode:sentinel', true],
    ['server_mode:sentinel', true],
    ['redis_mode:standalone', false],
    ['server_mode:cluster', false],
  ] as const) {
    const redis = { info: async () => `# Server\r\n${line}\r\n` } as unknown as Redis
    t.match(await readServerInfo(redis), { is_sentinel }, line)
  }
})
