import t from 'tap'
import { redisFindings } from '../../cli/doctor/redis.ts'

const SERVER = {
  name: 'redis:6379',
  remote: false,
  save: '',
  latency: 1,
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
