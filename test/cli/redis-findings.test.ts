import t from 'tap'
import { redisFindings } from '../../src/admin/doctor/redis.ts'

const SERVER = {
  name: 'redis:6379',
  remote: false,
  save: '',
  latency: { p50: 0.1, p95: 0.3 },
  clock_ahead: 0,
  certificate_until: undefined,
  missing_rights: [],
}

t.test('the version of Redis, or of Valkey', async (t) => {
  for (const [lines, level, finding] of [
    [{ redis_version: '5.0.14' }, 'problem', 'version 5.0.14'],
    [{ redis_version: '6.0.16' }, 'ok', 'version 6.0.16'],
    [
      { redis_version: '7.2.4', server_name: 'valkey', valkey_version: '8.1.1' },
      'ok',
      'Valkey 8.1.1, compatible with Redis 7.2.4',
    ],
  ] as const) {
    const [first] = redisFindings({ ...SERVER, info: new Map(Object.entries(lines)) }, false, 0)
    t.match(first, { level, check: 'Redis (redis:6379)', finding })
  }
})

t.test('min-replicas-to-write is enough from Redis 7.0 on', async (t) => {
  const lines = { connected_slaves: '1', min_slaves_good_slaves: '1' }
  for (const [redis_version, level] of [
    ['6.2.14', 'warning'],
    ['7.0.15', 'ok'],
  ] as const) {
    const info = new Map(Object.entries({ ...lines, redis_version }))
    const found = redisFindings({ ...SERVER, info }, true, 0).find(({ check }) =>
      check.startsWith('replicas'),
    )
    t.match(found, { level, finding: /^1, and .*min-replicas-to-write/ }, redis_version)
  }
})
