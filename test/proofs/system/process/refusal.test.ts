import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { runServer, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

/** The output of a server that does not start, line by line. */
async function refusal(t: Test, environment: Record<string, string>): Promise<string[]> {
  const server = runServer(t, environment)
  t.notOk(await server.prints(/Server listening/), 'it does not start')
  t.same(await server.stop(), { code: 1, signal: null })
  t.notMatch(server.stderr, /\n +at /, 'no stack trace')
  return server.stderr.trimEnd().split('\n')
}

t.test('all configuration problems are reported together', async (t) => {
  const [title, ...problems] = await refusal(t, {
    PORT: '70000',
    ISSUER: 'http://auth.example.com',
    REDIS_URL: 'redis://:hunter2@127.0.0.1:port',
    REDIS_SENTINELS: '127.0.0.1',
    REDIS_KEY_PREFIX: 'red{mint}',
    ACCESS_TOKEN_FORMAT: 'paseto',
    CODE_TTL: '0',
    ACCESS_TOKEN_TTL: 'soon',
    KEY_ENCRYPTION_KEY: 'hunter3',
    NODE_ENV: 'production',
    DEMO: 'true',
  })

  t.equal(title, `The configuration has ${problems.length} problems:`)
  const names = problems.map((problem) => /^ {2}([A-Z_]+) /.exec(problem)?.[1])
  t.same(names.sort(), [
    'ACCESS_TOKEN_FORMAT',
    'ACCESS_TOKEN_TTL',
    'CODE_TTL',
    'DEMO',
    'ISSUER',
    'KEY_ENCRYPTION_KEY',
    'PORT',
    'REDIS_KEY_PREFIX',
    'REDIS_SENTINELS',
    'REDIS_URL',
  ])
  t.notMatch(problems.join(), 'hunter', 'and no secret is repeated')
})

t.test('a port in use is reported', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  t.teardown(() => holder.close())
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo

  const said = await refusal(t, { PORT: String(port), DEMO: 'false' })
  t.equal(said.length, 1)
  t.ok(said[0]?.startsWith(`redmint cannot start: PORT ${port} on 127.0.0.1 cannot be used: another program`))
  t.match(said[0], /Set PORT to a free port, or stop that program/)

  const management = { MANAGEMENT_PORT: String(port), MANAGEMENT_HOST: '127.0.0.1' }
  const [problem = '', ...more] = await refusal(t, { PORT: '0', ISSUER: 'http://localhost', ...management })
  t.match(problem, `redmint cannot start: MANAGEMENT_PORT ${port} on 127.0.0.1 cannot be used: `)
  t.match(problem, /another program listens there\. Set MANAGEMENT_PORT to a free port/)
  t.same(more, [])
})

t.test('a key of a wrong Redis type is named, with what to do', async (t) => {
  const redis = await startRedis(t)
  const environment = { PORT: '0', ISSUER: 'http://localhost', REDIS_URL: redis.url, DEMO: 'false' }
  for (const name of ['restore:mark', 'signing-keys', 'sealing-keys']) {
    await redis.cli('SET', `redmint:${name}`, 'text')
    t.same(await refusal(t, environment), [
      `redmint cannot start: Redis answered WRONGTYPE about ${name}: look at the key with TYPE, and remove it with DEL`,
    ])
    await redis.cli('DEL', `redmint:${name}`)
  }
})

t.test('private keys in Redis are encrypted, and a server without the key does not start', async (t) => {
  const redis = await startRedis(t)
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64')
  const environment = { REDIS_URL: redis.url, DEMO: 'false' }
  await startServer(t, { ...environment, KEY_ENCRYPTION_KEY })

  let stored = ''
  await until('all keys are made', async () => {
    stored = await redis.cli('HGETALL', 'redmint:signing-keys')
    return stored.match(/"public_jwk":/g)?.length === 8
  })
  t.equal(stored.match(/"private_jwe":/g)?.length, 8)
  t.notMatch(stored, /"(d|p|q|dp|dq|qi|k)":|private_jwk/)

  const another = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const said = await refusal(t, { PORT: '0', ISSUER: 'http://localhost', ...environment, ...another })
  t.equal(said.length, 1)
  t.match(said[0], /wrapped with another KEY_ENCRYPTION_KEY/)

  const saidWithout = await refusal(t, { PORT: '0', ISSUER: 'http://localhost', ...environment })
  t.equal(saidWithout.length, 1)
  t.match(saidWithout[0], /set KEY_ENCRYPTION_KEY/)

  t.equal(await redis.cli('HGETALL', 'redmint:signing-keys'), stored, 'and the keys are as before')
  await startServer(t, { ...environment, KEY_ENCRYPTION_KEY })
})
