// What has arrived at the machine when the server closes is answered; test/proofs/system/process/shutdown.test.ts has the signal.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createInstance } from '../../../instance.ts'
import { openPeer } from '../../support/peer.ts'
import { until } from '../../support/until.ts'

const REQUEST = 'GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n'
const PEERS = 20

t.test('requests that were sent before the close are answered, on used and on new connections', async (t) => {
  const fastify = createInstance({ level: 'silent' })
  fastify.get('/here', async () => 'answered')
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = fastify.server.address() as { port: number }
  const used = await Promise.all(Array.from({ length: PEERS }, () => openPeer(t, port)))
  for (const { socket } of used) socket.write(REQUEST)
  await until('each connection was used once', () => used.every((peer) => peer.text.endsWith('answered')))
  for (const peer of used) {
    peer.text = ''
    peer.socket.write(REQUEST)
  }
  // The system accepts them in this turn of the event loop, Node one in each that follows.
  const fresh = Array.from({ length: PEERS }, () => connect(port, '127.0.0.1'))
  const answers = fresh.map((socket) => text(socket).catch((error: Error) => error.message))
  for (const socket of fresh) socket.write(REQUEST)
  await fastify.close()
  for (const answer of await Promise.all(answers)) t.match(answer, /^HTTP\/1\.1 200 .*answered$/s, 'new')
  await until('the others have ended', () => used.every(({ socket }) => socket.closed))
  for (const peer of used) t.match(peer.text, /^HTTP\/1\.1 200 .*answered$/s, 'used')
})

t.test('peers that go on connecting do not keep the server open', async (t) => {
  const fastify = createInstance({ level: 'silent' })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = fastify.server.address() as { port: number }
  let connects = true
  const again = () => {
    if (!connects) return
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.on('connect', again)
    t.teardown(() => socket.destroy())
  }
  again()
  await fastify.close()
  connects = false
  t.equal(fastify.server.listening, false)
})
