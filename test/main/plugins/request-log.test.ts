import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import t, { type Test } from 'tap'
import { createInstance } from '../../../instance.ts'
import { openPeer } from '../../support/peer.ts'
import { until } from '../../support/until.ts'

async function start(t: Test, settings: { level?: string; request_log?: 'failed' } = {}) {
  const lines: Record<string, unknown>[] = []
  const texts: string[] = []
  const stream = {
    write(line: string) {
      texts.push(line)
      lines.push(JSON.parse(line))
    },
  }
  const fastify = createInstance({ level: 'info', stream, ...settings })
  t.teardown(() => fastify.close())
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  fastify.get('/answers', async (request, reply) => {
    request.log.info({ req: request, responseTime: 1.5, res: reply }, 'request completed')
  })
  fastify.get('/waits', () => finished)
  fastify.get('/fails', async (request) => {
    request.log.warn('something about this request')
    throw new Error('it fails')
  })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  const logged = async (count: number) => {
    await until(`${count} lines are logged`, () => lines.length >= count)
    return lines.splice(0)
  }
  if (settings.level === undefined) await logged(1)
  return { port, logged, finish, texts }
}

t.test('a request is logged in one line, without its query, and its own lines have its id', async (t) => {
  const { port, logged } = await start(t)
  await fetch(`http://127.0.0.1:${port}/unknown?token=secret`)
  const [line] = await logged(1)
  t.match(line, {
    level: 30,
    time: Number,
    pid: process.pid,
    hostname: hostname(),
    reqId: String,
    req: { method: 'GET', path: '/unknown', remoteAddress: '127.0.0.1' },
    res: { statusCode: 404 },
    responseTime: Number,
    msg: 'request completed',
  })
  t.notMatch(JSON.stringify(line), 'secret')
  await fetch(`http://127.0.0.1:${port}/fails`)
  const [own, end] = await logged(2)
  t.match(own, { msg: 'something about this request' })
  t.equal(own?.reqId, end?.reqId)
})

t.test('a request whose connection closes before the response is logged in one line', async (t) => {
  const { port, logged, finish } = await start(t)
  const peer = await openPeer(t, port)
  peer.socket.write('GET /waits?token=secret HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n')
  await once(peer.socket, 'data')
  peer.socket.destroy()
  t.match(await logged(1), [
    { reqId: String, req: { path: '/waits', remoteAddress: '127.0.0.1' }, msg: 'request aborted' },
  ])
  finish()
  await fetch(`http://127.0.0.1:${port}/unknown`)
  t.match(await logged(1), [{ req: { path: '/unknown' } }], 'its late response adds no line')
})

t.test('the line of a request is what pino writes of the same facts', async (t) => {
  const { port, logged, texts } = await start(t)
  await fetch(`http://127.0.0.1:${port}/answers`)
  await logged(2)
  const [by_pino, own] = texts
    .slice(-2)
    .map((line) => line.replace(/"(time|responseTime)":[\d.]+/g, '"$1":1'))
  t.match(by_pino, '"msg":"request completed"}\n')
  t.equal(own, by_pino)
})

t.test('only failed requests have a line if that is wanted, and none above the level', async (t) => {
  const failed = await start(t, { request_log: 'failed' })
  for (const path of ['answers', 'unknown', 'fails']) await fetch(`http://127.0.0.1:${failed.port}/${path}`)
  t.strictSame(
    (await failed.logged(4)).map(({ req, msg }) => [msg, (req as { path: string } | undefined)?.path]),
    [
      ['request completed', '/answers'],
      ['request completed', '/unknown'],
      ['something about this request', undefined],
      ['request completed', '/fails'],
    ],
    'the first is a line that the route writes itself',
  )
  const quiet = await start(t, { level: 'warn' })
  await fetch(`http://127.0.0.1:${quiet.port}/unknown`)
  await fetch(`http://127.0.0.1:${quiet.port}/fails`)
  t.match(await quiet.logged(1), [{ msg: 'something about this request' }])
})
