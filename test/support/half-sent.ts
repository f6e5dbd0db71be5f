// Unfinished requests, and ports that are closed.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { basic } from './service.ts'

const BODY = 'grant_type=client_credentials'

/**
 * Sends a token request of the client `service` except for its last byte, with keep-alive; `finish` sends that byte.
 * `arrived` resolves when the server has read the headers (RFC 9110 §10.1.1).
 */
export function beginTokenRequest(address: string) {
  const sending = request(`${address}/oauth2/token`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: {
      ...basic('service'),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': BODY.length,
      expect: '100-continue',
    },
  })
  const arrived = once(sending, 'continue')
  sending.write(BODY.slice(0, -1))
  return { sending, arrived, finish: () => sending.end(BODY.slice(-1)) }
}

/** Whether nothing listens at a port of the loopback interface. */
export async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const refused = await once(socket, 'connect').then(
    () => false,
    () => true,
  )
  socket.destroy()
  return refused
}
