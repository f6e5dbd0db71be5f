import type { Redis } from 'ioredis'
import t from 'tap'
import { adviceFor, readServerInfo } from '../../../../../../src/storage/redis/connection/server-info.ts'

const serverWith = (...lines: string[]) =>
  ({ sendCommand: async () => ['# Server', ...lines, ''].join('\r\n') }) as unknown as Redis

t.test('a Sentinel is known by its mode, that of Valkey too', async (t) => {
  for (const [line, is_sentinel] of [
    ['redis_mode:sentinel', true],
    ['server_mode:sentinel', true],
    ['redis_mode:standalone', false],
    ['server_mode:cluster', false],
  ] as const) {
    t.match(await readServerInfo(serverWith(line)), { is_sentinel }, line)
  }
})

t.test('min-replicas-to-write protects scripts from Redis 7.0 on', async (t) => {
  const lines = ['role:master', 'connected_slaves:1', 'min_slaves_good_slaves:1']
  for (const [version, advice] of [
    ['redis_version:6.2.14', [/^Redis before 7\.0 does not apply min-replicas-to-write to scripts/]],
    ['redis_version:7.0.0', []],
    ['redis_version:10.1.0', []],
    ['managed:yes', []],
  ] as const) {
    const info = await readServerInfo(serverWith(version, ...lines))
    t.match(info && adviceFor(info, false), advice, version)
    t.equal(info && adviceFor(info, false).length, advice.length)
  }
  const alone = await readServerInfo(serverWith('redis_version:6.0.16', 'role:master', 'connected_slaves:0'))
  t.strictSame(alone && adviceFor(alone, false), [], 'a single server')
})
