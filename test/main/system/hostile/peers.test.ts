// How many connections one peer may have.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Duplex, Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { createInstance } from '../../../../instance.ts'
import { until } from '../../../support/until.ts'

const MAX = 2

async function start(t: Test) {
  const log: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      log.push(String(line))
      done()
    },
  })
  const options = { max_connections_per_peer: MAX, trusted_proxies: ['127.0.0.9', '2001:db8:9::/48'] }
  const fastify = createInstance({ level: 'warn', stream, ...options })
  t.teardown(() => fastify.close())
  fastify.get('/health', async () => 'UP')
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo

  /** A connection from an address of the loopback network. */
  const open = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined)
    t.teardown(() => socket.destroy())
    let text = ''
    let closed = false
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data
    })
    socket.on('close', () => {
      closed = true
    })
    await once(socket, 'connect')
    return {
      socket,
      /** What the server says: nothing if it closes the connection. */
      async ask(): Promise<string> {
        text = ''
        socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
        await until('there is an answer', () => closed || text.endsWith('UP'))
        return text.slice(-2)
      },
    }
  }
  return { fastify, log, open }
}

t.test('connections of one peer above its maximum are closed at once', async (t) => {
  const { log, open } = await start(t)
  const [first, second] = [await open('127.0.0.1'), await open('127.0.0.1')]
  for (let refused = 0; refused < 3; refused += 1) t.equal(await (await open('127.0.0.1')).ask(), '')
  for (const peer of [first, second]) t.equal(await peer.ask(), 'UP')
  t.equal(await (await open('127.0.0.2')).ask(), 'UP', 'another peer is served')
  const said = log.filter((line) => line.includes('Connections of a peer are refused'))
  t.equal(said.length, 1, 'the log says so, once')
  t.match(said[0], /"peer":"127\.0\.0\.1".*TRUSTED_PROXIES/)

  first.socket.destroy()
  await until('another finds room', async () => (await (await open('127.0.0.1')).ask()) === 'UP')
})

t.test('a trusted proxy may have more', async (t) => {
  const { open } = await start(t)
  for (let i = 0; i < MAX + 3; i += 1) t.equal(await (await open('127.0.0.9')).ask(), 'UP')
})

t.test('the addresses of an IPv6 /64 network are one peer', async (t) => {
  const { fastify } = await start(t)
  /** Whether a connection from this address stays open. */
  const isServed = (remoteAddress: string) => {
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    t.teardown(() => stream.destroy())
    fastify.server.emit('connection', Object.assign(stream, { remoteAddress }))
    return !stream.destroyed
  }
  t.ok(isServed('2001:db8:1:2::1'))
  t.ok(isServed('2001:db8:1:2:ffff::9'))
  t.notOk(isServed('2001:0db8:1:2::3'))
  t.ok(isServed('2001:db8:1:3::1'), 'another network')
  for (let i = 0; i < MAX + 1; i += 1) t.ok(isServed('2001:db8:9::1'), 'a trusted proxy')
})
