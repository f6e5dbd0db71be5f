// The proxy itself: the effect of each fault on a command, and that nothing else is affected.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { sendTo } from '../../../../src/storage/redis/connection/driver.ts'
import { DRIVER_OPTIONS, SUBSCRIBER_OPTIONS } from '../../../../src/storage/redis/connection/options.ts'
import { FAULTS, type Fault, FaultProxy } from '../../../support/proof/fault-proxy.ts'
import { readCommand, readReply } from '../../../support/proof/resp.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

const server = await startRedis(t)
const direct = new Redis(server.url)
t.teardown(() => direct.disconnect())

async function through(t: Test) {
  const proxy = await FaultProxy.open(t, server.port)
  return { proxy, client: await connect(t, proxy, DRIVER_OPTIONS) }
}

async function connect(t: Test, proxy: FaultProxy, options: typeof DRIVER_OPTIONS) {
  const client = new Redis(proxy.url, options)
  client.on('error', () => {})
  t.teardown(() => client.disconnect())
  await until('the client is connected', () => client.status === 'ready')
  return client
}

interface Effect {
  /** The outcome for the client: the result of the command, or an error. */
  answer: RegExp
  /** Whether it has run before and after release(). */
  ran: boolean
  runs: boolean
}
const NOTHING = /timed out|closed|MaxRetries/
const EFFECTS: Record<Fault, Effect> = {
  'reply lost': { answer: NOTHING, ran: true, runs: true },
  'reply lost, connection cut': { answer: NOTHING, ran: true, runs: true },
  'reply late': { answer: NOTHING, ran: true, runs: true },
  'command late': { answer: NOTHING, ran: false, runs: true },
  'cut before': { answer: NOTHING, ran: false, runs: false },
  'cut after': { answer: NOTHING, ran: true, runs: true },
  READONLY: { answer: /READONLY/, ran: false, runs: false },
}

for (const fault of FAULTS) {
  t.test(fault, async (t) => {
    const { proxy, client } = await through(t)
    const { answer, ran, runs } = EFFECTS[fault]
    await direct.set('count', '0')
    const count = async () => (await direct.get('count')) === '1'

    proxy.arm(fault, 2)
    t.equal(await client.echo('the first one'), 'the first one')
    const told = await sendTo(client, 'incr', ['count']).then(String, String)
    t.match(told, answer)
    t.strictSame(proxy.hit, [['incr', 'count']])
    if (ran) await until('it has run', count)
    else t.notOk(await count(), 'it has not run')
    proxy.release()
    if (runs) await until('it has run', count)
    await until('the client is connected again', () => client.status === 'ready')
    const later = () =>
      sendTo(client, 'echo', ['a later one']).then(
        (text) => text === 'a later one',
        () => false,
      )
    await until('a later one is answered', later)
    t.equal(await count(), runs)
  })
}

t.test('a delayed command runs even if its connection is cut', async (t) => {
  const { proxy, client } = await through(t)
  await direct.set('count', '0')
  proxy.arm('command late', 1)
  await t.rejects(client.incr('count'))
  client.disconnect()
  await until('it has hung up', () => client.status !== 'ready')
  t.equal(await direct.get('count'), '0')
  proxy.release()
  await until('it has run', async () => (await direct.get('count')) === '1')
})

t.test(
  'other connections, background commands, and commands before and after are not affected',
  async (t) => {
    const { proxy, client } = await through(t)
    const other = await connect(t, proxy, SUBSCRIBER_OPTIONS)
    proxy.arm('cut before', 1, Number.POSITIVE_INFINITY)
    await client.set('redmint:probe:1', '1')
    t.equal(await other.echo('unharmed'), 'unharmed')
    await other.subscribe('news')
    const heard: string[] = []
    other.on('message', (_channel, text) => heard.push(text))
    await until('it has been heard', async () => {
      await direct.publish('news', 'some')
      return heard.includes('some')
    })
    proxy.disarm()
    const large = 'x'.repeat(300_000)
    const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => client.echo(`${i}${large}`)))
    t.ok(
      replies.every((reply, i) => reply === `${i}${large}`),
      'large messages in many pieces',
    )
    t.same(await client.hgetall('nothing'), {})
  },
)

t.test('messages are parsed in any fragmentation', async (t) => {
  const command = Buffer.from('*2\r\n$4\r\nECHO\r\n$2\r\n\r\n\r\n')
  const replies = [
    '+OK\r\n',
    ':1\r\n',
    '$-1\r\n',
    '$2\r\n\r\n\r\n',
    '*-1\r\n',
    '*2\r\n*1\r\n:1\r\n$1\r\na\r\n',
    '%1\r\n+a\r\n~1\r\n#t\r\n',
    '|1\r\n+ttl\r\n:1\r\n_\r\n',
    '=5\r\ntxt:a\r\n',
  ].map((text) => Buffer.from(text))
  for (let cut = 0; cut < command.length; cut++) t.equal(readCommand(command.subarray(0, cut)), undefined)
  t.same(readCommand(Buffer.concat([command, command])), { value: ['ECHO', '\r\n'], end: command.length })
  for (const reply of replies) {
    for (let cut = 0; cut < reply.length; cut++) t.equal(readReply(reply.subarray(0, cut)), undefined)
    t.same(readReply(Buffer.concat([reply, reply])), { value: 'reply', end: reply.length })
  }
  t.same(readReply(Buffer.from('>1\r\n+a\r\n')), { value: 'push', end: 8 })
})
