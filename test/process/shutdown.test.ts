import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { startRedis } from '../support/redis-server.ts'
import { registerClient, startReady, visit } from '../support/server.ts'
import { basic, CLIENTS } from '../support/service.ts'
import { until } from '../support/until.ts'

const BODY = 'grant_type=client_credentials'
const IN_FLIGHT = 5

/** Sends a token request but for its last byte. */
function begin(address: string) {
  const sending = request(`${address}/oauth2/token`, {
    method: 'POST',
    agent: false,
    headers: {
      ...basic('service'),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': BODY.length,
    },
  })
  sending.write(BODY.slice(0, -1))
  return sending
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const refused = await once(socket, 'connect').then(
    () => false,
    () => true,
  )
  socket.destroy()
  return refused
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} closes the door, answers the requests that are in, and exits with 0`, async (t) => {
    const redis = await startRedis(t)
    await registerClient(redis, CLIENTS.service)
    const server = await startReady(t, { REDIS_URL: redis.url })
    // Leaves a connection open that has nothing to do: it must not hold the process up.
    t.equal((await visit(server.address).get('/health')).status, 200)

    const requests = Array.from({ length: IN_FLIGHT }, () => begin(server.address))
    const answers = requests.map(async (sending) => (await once(sending, 'response'))[0] as IncomingMessage)
    await server.prints(new RegExp(`("path":"/oauth2/token"[^]*){${IN_FLIGHT}}`))

    const exit = server.stop(signal)
    await until('nobody is let in', () => isRefused(server.port))
    for (const sending of requests) sending.end(BODY.slice(-1))

    for (const answer of await Promise.all(answers)) {
      t.equal(answer.statusCode, 200)
      t.match(await json(answer), { token_type: 'Bearer', access_token: String })
    }
    t.same(await exit, { code: 0, signal: null })
    t.equal(server.stderr, '')
  })
}
