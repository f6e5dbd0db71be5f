import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createInstance } from '../../../../instance.ts'
import { MAX_UNANSWERED } from '../../../../plugins/turns.ts'
import { openPeer } from '../../../support/peer.ts'
import { until } from '../../../support/until.ts'

const BIG = 'x'.repeat(1_000_000)

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A server whose answers wait for `answer`: it notes which requests were handled, and how many at the same time. */
async function start(t: Test, options: Partial<Parameters<typeof createInstance>[0]> = {}) {
  const log: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      log.push(String(line))
      done()
    },
  })
  const fastify = createInstance({ level: 'warn', stream, ...options })
  t.teardown(() => fastify.close())
  const handled: string[] = []
  const held: (() => void)[] = []
  let unread = 0
  let most = 0
  fastify.addHook('onRequest', async ({ url }, reply) => {
    handled.push(url)
    unread += 1
    most = Math.max(most, unread)
    reply.raw.prependOnceListener('close', () => {
      unread -= 1
    })
  })
  fastify.get('/now/:name', async ({ url }) => url)
  fastify.get('/big/:name', async () => BIG)
  fastify.get('/held/:name', async ({ url }) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return url
  })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  return {
    fastify,
    log,
    handled,
    /** The largest number of answers that were not sent yet, of all connections together. */
    most: () => most,
    /** Answers the first request that is held. */
    answer: () => held.shift()?.(),
    open: () => openPeer(t, port),
  }
}

const connections = ({ server }: FastifyInstance) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

const bodies = (text: string) => [...text.matchAll(/\r\n\r\n(\/\w+\/\d+)/g)].map(([, body]) => body)

t.test('pipelined requests are handled one after the other and answered in order', async (t) => {
  const { handled, most, answer, open } = await start(t)
  const paths = Array.from({ length: MAX_UNANSWERED }, (_, i) => `/${i % 3 === 0 ? 'held' : 'now'}/${i}`)
  const peer = await open()
  peer.socket.write(paths.map((path) => get(path)).join(''))
  for (const [i, path] of paths.entries()) {
    await until(`${path} is handled`, () => handled.length > i)
    if (path.startsWith('/held')) t.equal(handled.length, i + 1, `none is handled before ${path} is answered`)
    answer()
  }
  await until('all are answered', () => bodies(peer.text).length === paths.length)
  t.same(bodies(peer.text), paths)
  t.equal(most(), 1)
  t.notOk(peer.closed)
  peer.socket.write(get('/now/99'))
  await until('one more is answered', () => bodies(peer.text).includes('/now/99'))
})

t.test('more unanswered requests than the limit close the connection', async (t) => {
  const { log, handled, open } = await start(t)
  for (const count of [MAX_UNANSWERED + 1, 2000]) {
    const peer = await open()
    peer.socket.write(get('/held/1').repeat(count))
    await until('it is closed', () => peer.closed)
    t.equal(peer.text, '')
  }
  t.same(handled, ['/held/1', '/held/1'], 'nothing else was done for them')
  const said = log.filter((line) => line.includes('too many unanswered requests'))
  t.equal(said.length, 1, 'the log says so, once')
})

t.test('the next answer is prepared when the one before it was sent', async (t) => {
  const { handled, most, open } = await start(t)
  const peer = await open()
  peer.socket.pause()
  for (let i = 0; i < MAX_UNANSWERED; i += 1) peer.socket.write(get(`/big/${i}`))
  await until('the first is handled', () => handled.length > 0)
  peer.socket.resume()
  await until('all are read', () => peer.text.length > MAX_UNANSWERED * BIG.length)
  t.equal(most(), 1)
})

t.test('other connections have their turn between the requests of one', async (t) => {
  const { handled, open } = await start(t)
  const [busy, other] = [await open(), await open()]
  busy.socket.write(Array.from({ length: MAX_UNANSWERED }, (_, i) => get(`/now/${i}`)).join(''))
  other.socket.write(get('/now/99'))
  await until('all are answered', () => bodies(busy.text + other.text).length === MAX_UNANSWERED + 1)
  t.not(handled.at(-1), '/now/99')
})

t.test('the requests of a peer that has gone are not handled, and do not delay closing', async (t) => {
  const { fastify, handled, answer, open } = await start(t)
  const peer = await open()
  peer.socket.write(get('/held/1') + get('/held/2').repeat(5))
  await until('the first is handled', () => handled.length > 0)
  peer.socket.destroy()
  await until('the server has noticed', async () => (await connections(fastify)) === 0)
  answer()
  await fastify.close()
  t.same(handled, ['/held/1'])
})

t.test('a drain answers the request in progress and closes; those that wait are not handled', async (t) => {
  const drain = new AbortController()
  const { handled, answer, open } = await start(t, { drain: drain.signal })
  const peer = await open()
  peer.socket.write(get('/held/1') + get('/now/2'))
  await until('the first is handled', () => handled.length > 0)
  drain.abort()
  answer()
  await until('it is closed', () => peer.closed)
  t.match(peer.text, /^HTTP\/1\.1 200 .*connection: close.*\/held\/1$/is)
  t.same(handled, ['/held/1'])
})
