import { once } from 'node:events'
import { connect } from 'node:net'
import type { Test } from 'tap'

/** Opens a connection that collects the response. */
export async function openPeer(t: Test, port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  t.teardown(() => socket.destroy())
  const peer = { socket, text: '', closed: false }
  socket.setEncoding('latin1').on('data', (text: string) => {
    peer.text += text
  })
  socket.on('close', () => {
    peer.closed = true
  })
  await once(socket, 'connect')
  return peer
}
