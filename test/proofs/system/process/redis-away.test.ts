import t, { type Test } from 'tap'
import { OLD_NODE } from '../../../support/old-node.ts'
import { startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { type Answer, registerClient, visit } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'
import { stopwatch } from '../../../support/stopwatch.ts'
import { until } from '../../../support/until.ts'

const READINESS = '/actuator/health/readiness'
/** Milliseconds; the promise is about a second. */
const ANSWER_WITHIN = 1500

type Server = ReturnType<typeof visit>

const askForToken = ({ token }: Server) => token({ grant_type: 'client_credentials' }, basic('service'))

/** Asserts that the server is alive and not ready, and answers 503 without delay. */
async function assertAway(t: Test, server: Server, others: (() => Promise<Answer>)[] = []) {
  t.equal((await server.get('/health')).status, 200)
  t.equal((await server.get(READINESS)).status, 503)
  for (const ask of [() => askForToken(server), ...others]) {
    const elapsed = stopwatch()
    const { status, headers, json } = await ask()
    const took = elapsed()
    t.equal(status, 503)
    t.equal(json.error, 'temporarily_unavailable')
    t.match(headers.get('retry-after'), /^[1-9]\d*$/)
    t.ok(took < ANSWER_WITHIN, `answered after ${took} ms`)
  }
}

async function assertBack(t: Test, server: Server) {
  await until('it is ready', async () => (await server.get(READINESS)).status === 200)
  t.equal((await askForToken(server)).status, 200)
}

t.test('a server starts without Redis and recovers from each outage', async (t) => {
  const redis = await startRedis(t)
  await redis.stop()
  const program = await startServer(t, { REDIS_URL: redis.url })
  const server = visit(program.address)
  await assertAway(t, server, [() => server.get('/.well-known/jwks.json')])

  await redis.restart()
  await registerClient(redis, CLIENTS.service)
  await assertBack(t, server)

  const { json } = await askForToken(server)
  await redis.stop()
  await assertAway(t, server, [() => server.api(String(json.access_token))])

  await redis.restart()
  await registerClient(redis, CLIENTS.service)
  await assertBack(t, server)

  const lines = program.stdout.trim().split('\n')
  t.strictSame(
    lines.filter((line) => /"stack"|"level":[56]0/.test(line)),
    [],
    'no stack is logged, and no error',
  )
  const told = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  t.strictSame(
    told.filter((text) => /^Redis at/.test(text)).map((text) => / is (\w+)/.exec(text)?.[1]),
    ['away', 'connected', 'away', 'connected'],
    'a line when an outage begins, and one when it is over',
  )
})

t.test(
  'wrong credentials: one line when they begin, whatever fails, also while the server runs',
  async (t) => {
    const redis = await startRedis(t, { args: ['--requirepass', 'right'] })
    const admin = async (password: string, ...args: string[]) =>
      redis.cli('-a', password, '--no-auth-warning', ...args)
    const program = await startServer(t, { REDIS_URL: redis.url.replace('//', '//:wrong@') })
    const server = visit(program.address)
    const told = () =>
      program.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { level: number; msg: string })
        .filter(({ level, msg }) => level >= 40 || /^Redis at/.test(msg))
        .map(({ msg }) => msg.replace(/^Redis at \S+ /, ''))
        // A busy machine is late.
        .filter((msg) => !msg.includes('no answer in time') && !OLD_NODE.test(msg))
    const wrong =
      'is there, but cannot be used: Redis answered WRONGPASS. It refuses the password: correct REDIS_URL.'
    await assertAway(t, server, [() => server.get('/.well-known/jwks.json')])
    t.strictSame(told(), [wrong])

    await admin('right', 'CONFIG', 'SET', 'requirepass', 'wrong')
    await until('it is ready', async () => (await server.get(READINESS)).status === 200)
    t.strictSame(told(), [wrong, 'is connected.'])

    await admin('wrong', 'CONFIG', 'SET', 'requirepass', 'changed')
    for (const type of ['pubsub', 'normal']) await admin('changed', 'CLIENT', 'KILL', 'TYPE', type)
    await until('it is not ready', async () => (await server.get(READINESS)).status === 503)
    await assertAway(t, server)
    await until('it says why', () => told().length === 3)
    await admin('changed', 'CONFIG', 'SET', 'requirepass', 'wrong')
    await until('it is ready', async () => (await server.get(READINESS)).status === 200)
    t.strictSame(told(), [wrong, 'is connected.', wrong, 'is connected.'])

    await admin('wrong', 'ACL', 'SETUSER', 'default', '-@all', '+ping', '+acl')
    await assertAway(t, server)
    // What is refused first depends on what runs first.
    t.strictSame(
      told()
        .slice(4)
        .map((msg) =>
          msg.replace(/^refuses (commands|scripts|key tracking, so records are not cached)/, 'refuses it'),
        ),
      [
        'refuses it: NOPERM. Its user lacks a right. Grant the rights that docs/keyspace.md lists under “Who may write”.',
      ],
    )
    t.equal(program.stderr, '')
  },
)

t.test('a server starts while Redis accepts connections but does not answer', async (t) => {
  const redis = await startRedis(t)
  await registerClient(redis, CLIENTS.service)
  process.kill(redis.pid, 'SIGSTOP')
  const server = visit((await startServer(t, { REDIS_URL: redis.url })).address)
  await assertAway(t, server)

  process.kill(redis.pid, 'SIGCONT')
  await assertBack(t, server)
})
