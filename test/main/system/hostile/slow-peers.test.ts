// Slow peers and too many connections. The limits under test are short, the others disabled.
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createInstance } from '../../../../instance.ts'
import { MAX_UNANSWERED } from '../../../../plugins/turns.ts'
import { TIMEOUTS } from '../../../../timeouts.ts'
import { openPeer } from '../../../support/peer.ts'
import { request } from '../../../support/raw-http.ts'
import { until } from '../../../support/until.ts'

const SHORT_MS = 200
const LONG_MS = 200_000
const PATIENT = { headers: LONG_MS, request: LONG_MS, stalled: LONG_MS, check: 20 }
const DRIBBLE_EVERY_MS = 20
const KEPT = request('GET /health').replace('Connection: close\r\n', '')
const POST = 'POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n'
const BIG = 'x'.repeat(1_000_000)

/** A server on loopback that answers /health, reads forms at /form, and sends a large response at /big. */
async function start(t: Test, options: Partial<Parameters<typeof createInstance>[0]>) {
  const log: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      log.push(String(line))
      done()
    },
  })
  const fastify = createInstance({ level: 'warn', stream, timeouts: PATIENT, ...options })
  t.teardown(() => fastify.close())
  fastify.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  fastify.get('/health', async () => 'UP')
  fastify.get('/big', async () => BIG)
  fastify.post('/form', async () => 'read')
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  return { fastify, log, open: () => openPeer(t, port) }
}

/** Sends a beginning, then small pieces as long as the connection is open. */
function dribble(t: Test, socket: Socket, beginning: string, piece: string) {
  socket.write(beginning)
  const timer = setInterval(() => socket.write(piece), DRIBBLE_EVERY_MS)
  t.teardown(() => clearInterval(timer))
}

const connections = ({ server }: FastifyInstance) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

t.test('headers that never end are answered with 408', async (t) => {
  const { open } = await start(t, { timeouts: { ...PATIENT, headers: SHORT_MS } })
  const peer = await open()
  dribble(t, peer.socket, 'GET /health HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n')
  await until('the connection is closed', () => peer.closed)
  t.match(peer.text, /^HTTP\/1\.1 408 .*"The request took too long\."\}$/s)
})

t.test('a connection without a request is closed', async (t) => {
  const { open } = await start(t, { timeouts: { ...PATIENT, headers: SHORT_MS } })
  const peer = await open()
  await until('the connection is closed', () => peer.closed)
  t.match(peer.text, /^(HTTP\/1\.1 408 |$)/)
})

t.test('a body that never ends is answered with 408', async (t) => {
  // Node refuses a timeout for headers that is longer than the one for the request.
  const timeouts = { ...PATIENT, headers: SHORT_MS, request: SHORT_MS }
  const { open } = await start(t, { timeouts })
  const byLength = await open()
  dribble(t, byLength.socket, `${POST}Content-Length: 10000\r\n\r\n`, 'x')
  const byChunks = await open()
  dribble(t, byChunks.socket, `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n')
  for (const peer of [byLength, byChunks]) {
    await until('the connection is closed', () => peer.closed)
    t.match(peer.text, /^HTTP\/1\.1 408 /)
  }
})

t.test('a connection whose response is not read is closed', async (t) => {
  const { fastify, open } = await start(t, { timeouts: { ...PATIENT, stalled: SHORT_MS } })
  const { socket } = await open()
  socket.pause()
  socket.write(KEPT.replace('/health', '/big').repeat(MAX_UNANSWERED))
  await until('the connection is closed', async () => (await connections(fastify)) === 0)
  t.ok(socket.bytesRead < MAX_UNANSWERED * BIG.length, 'it was not read to the end')
})

t.test('an idle keep-alive connection is closed', async (t) => {
  const { open } = await start(t, { keep_alive_timeout: SHORT_MS / 1000 })
  const peer = await open()
  peer.socket.write(KEPT)
  await until('the connection is closed', () => peer.closed)
  t.match(peer.text, /^HTTP\/1\.1 200 .*UP$/s)
})

t.test('requests within the limits are served on one connection', async (t) => {
  const { open } = await start(t, {})
  const peer = await open()
  dribble(t, peer.socket, KEPT + KEPT, `${POST}Content-Length: 1\r\n\r\nx`)
  await until('all are answered', () => (peer.text.match(/HTTP\/1\.1 200 /g)?.length ?? 0) > 4)
  t.notOk(peer.closed)
})

t.test('connections above the maximum are closed at once', async (t) => {
  const { log, open } = await start(t, { max_connections: 2 })
  const [first, second] = [await open(), await open()]
  for (let refused = 0; refused < 3; refused += 1) {
    const third = await open()
    third.socket.write(KEPT)
    await until('the third is closed', () => third.closed)
    t.equal(third.text, '')
  }
  for (const peer of [first, second]) {
    peer.socket.write(KEPT)
    await until('it is served', () => peer.text.endsWith('UP'))
  }
  t.equal(log.filter((line) => line.includes('Connections are refused')).length, 1, 'the log says so, once')

  first.socket.end()
  await until('another finds room', async () => {
    const peer = await open()
    peer.socket.write(KEPT)
    await until('there is an answer', () => peer.closed || peer.text !== '')
    return peer.text.endsWith('UP')
  })
})

t.test('close waits for requests in progress and for new ones on open connections', async (t) => {
  const { fastify, open } = await start(t, {})
  const accepted: Socket[] = []
  fastify.server.on('connection', (socket) => accepted.push(socket))
  const [inBody, inHeaders] = [await open(), await open()]
  const begun = once(fastify.server, 'request')
  inHeaders.socket.write(KEPT.slice(0, -2))
  inBody.socket.write(`${POST}Content-Length: 2\r\n\r\nx`)
  await begun
  await until('the headers have begun, too', () => accepted.every(({ bytesRead }) => bytesRead > 0))
  const closed = fastify.close()
  await until('the door is closed', () => !fastify.server.listening)
  inHeaders.socket.write('\r\n')
  await until('the one is served', () => inHeaders.closed)
  inBody.socket.write('x')
  await until('the other is served', () => inBody.closed)
  for (const { text } of [inBody, inHeaders]) t.match(text, /^HTTP\/1\.1 200 .*(UP|read)$/s)
  await closed
})

t.test('close does not wait for connections without a request', async (t) => {
  const { fastify, open } = await start(t, {})
  const [silent, inHeaders, idle] = [await open(), await open(), await open()]
  inHeaders.socket.write('GET /health HTTP/1.1\r\n')
  idle.socket.write(KEPT)
  await until('the last one is answered', () => idle.text !== '')
  await fastify.close()
  for (const peer of [silent, inHeaders, idle]) await until('the connection is closed', () => peer.closed)
})

t.test('close waits for an incomplete request until its timeout', async (t) => {
  const timeouts = { ...PATIENT, headers: SHORT_MS, request: SHORT_MS, check: LONG_MS }
  const { fastify, open } = await start(t, { timeouts })
  const peer = await open()
  const begun = once(fastify.server, 'request')
  peer.socket.write(`${POST}Content-Length: 2\r\n\r\nx`)
  await begun
  await fastify.close()
  await until('the connection is closed', () => peer.closed)
  t.equal(peer.text, '')
})

t.test('the limits of the production server', async (t) => {
  const { server } = createInstance({ level: 'silent' })
  t.equal(server.headersTimeout, TIMEOUTS.headers)
  t.equal(server.requestTimeout, TIMEOUTS.request)
  t.equal(server.timeout, TIMEOUTS.stalled)
  t.ok(TIMEOUTS.headers < TIMEOUTS.request && TIMEOUTS.request < TIMEOUTS.stalled)
  t.ok(TIMEOUTS.check <= TIMEOUTS.headers, 'they are looked after often enough to act')
  t.equal(server.keepAliveTimeout, 75_000)
})
