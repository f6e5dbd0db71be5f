import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { type Environment, problemsOf } from '../../../support/config/problems.ts'

t.test('the variables that locate Redis', async (t) => {
  const table: [environment: Environment, redis: object][] = [
    [{ REDIS_URL: 'redis://r:6379/1' }, { kind: 'single', url: 'redis://r:6379/1' }],
    [{ REDIS_URL: 'rediss://user:p%40ss@r' }, { kind: 'single', url: 'rediss://user:p%40ss@r' }],
    [{ REDIS_URL: 'unix:///run/redis.sock' }, { kind: 'single', url: 'unix:///run/redis.sock' }],
    [{ REDIS_URL: 'unix:///run/redis.sock?db=2' }, { kind: 'single', url: 'unix:///run/redis.sock?db=2' }],
    [{ REDIS_CLUSTER_NODES: 'a:1' }, { kind: 'cluster', nodes: [{ host: 'a', port: 1 }] }],
    [
      { REDIS_CLUSTER_NODES: '10.0.0.1:7000,[::1]:7001' },
      {
        kind: 'cluster',
        nodes: [
          { host: '10.0.0.1', port: 7000 },
          { host: '::1', port: 7001 },
        ],
      },
    ],
    [
      { REDIS_SENTINELS: 'a:26379,b:26379', REDIS_SENTINEL_NAME: 'main' },
      {
        kind: 'sentinel',
        name: 'main',
        sentinels: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 26379 },
        ],
      },
    ],
    [
      { REDIS_CLUSTER_NODES: 'a:1', REDIS_USERNAME: 'me', REDIS_PASSWORD: 'p@ss', REDIS_TLS: 'true' },
      { kind: 'cluster', nodes: [{ host: 'a', port: 1 }], username: 'me', password: 'p@ss', tls: true },
    ],
    [
      {
        REDIS_SENTINELS: 'a:1',
        REDIS_SENTINEL_NAME: 'main',
        REDIS_SENTINEL_PASSWORD: 'watch',
        REDIS_PASSWORD: 'p',
      },
      {
        kind: 'sentinel',
        name: 'main',
        sentinels: [{ host: 'a', port: 1 }],
        sentinel_password: 'watch',
        password: 'p',
      },
    ],
  ]
  for (const [environment, redis] of table) {
    const config = readConfig(environment)
    t.same(config.redis, redis, JSON.stringify(environment))
    t.equal(config.settings.demo, false, 'demo mode is off by default')
    t.equal(readConfig({ ...environment, DEMO: 'true' }).settings.demo, true)
  }
})

t.test('variables that exclude or require each other', async (t) => {
  const exclude = /exclude each other/
  const need = /need each other/
  t.match(problemsOf({ REDIS_URL: 'redis://r', REDIS_CLUSTER_NODES: 'r:1' }), [exclude])
  t.match(problemsOf({ REDIS_URL: 'redis://r', REDIS_SENTINELS: 'r:1', REDIS_SENTINEL_NAME: 'x' }), [exclude])
  t.match(problemsOf({ REDIS_SENTINELS: 'r:1' }), [need])
  t.match(problemsOf({ REDIS_SENTINEL_NAME: 'x' }), [need])
  for (const access of [{ REDIS_PASSWORD: 'x' }, { REDIS_TLS: 'true' }]) {
    t.match(problemsOf({ REDIS_URL: 'redis://r', ...access }), [/go with REDIS_CLUSTER_NODES/])
    t.match(problemsOf(access), [/go with REDIS_CLUSTER_NODES/])
  }
  t.match(problemsOf({ REDIS_CLUSTER_NODES: 'r:1', REDIS_USERNAME: 'x' }), [/REDIS_PASSWORD must be set/])
  const watched = { REDIS_CLUSTER_NODES: 'r:1', REDIS_SENTINEL_PASSWORD: 'x' }
  t.match(problemsOf(watched), [/goes with REDIS_SENTINELS/])
  for (const port of ['0', '65536']) {
    t.match(problemsOf({ REDIS_CLUSTER_NODES: `r:1,r:${port}` }), [/ports are 1 to 65535/])
  }
})
