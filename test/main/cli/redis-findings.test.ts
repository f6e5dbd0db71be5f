import t from 'tap'
import { redisFindings } from '../../../src/admin/doctor/redis.ts'

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

t.test('answers that are slow, and too slow', async (t) => {
  for (const [latency, level, finding] of [
    [{ p50: 19, p95: 299 }, 'ok', /up to 19\.0 ms, 95 of 100 up to 299\.0 ms$/],
    [{ p50: 20, p95: 20 }, 'warning', /up to 20\.0 ms/],
    [{ p50: 1, p95: 300 }, 'warning', /up to 300\.0 ms/],
    [{ p50: 300, p95: 310 }, 'problem', /commands fail after 600 ms/],
  ] as const) {
    const found = redisFindings({ ...SERVER, latency, info: new Map() }, false, 0)
    t.match(
      found.find(({ id }) => id === 'latency'),
      { level, finding },
    )
  }
})

t.test('a connection without TLS is warned of, unless it leaves the machine nowhere', async (t) => {
  for (const [remote, level, finding] of [
    [false, 'ok', /^none, and none is needed/],
    [true, 'warning', /whoever reads the network reads tokens/],
  ] as const) {
    const found = redisFindings({ ...SERVER, remote, info: new Map() }, false, 0)
    t.match(
      found.find(({ id }) => id === 'tls'),
      { level, finding },
    )
  }
})
