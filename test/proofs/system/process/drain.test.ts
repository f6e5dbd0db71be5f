import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { beginTokenRequest, isRefused } from '../../../support/half-sent.ts'
import type { ServerProcess } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

async function start(t: Test, shutdown_delay: number) {
  const redis = await startRedis(t)
  await registerClient(redis, CLIENTS.service)
  return startReady(t, { REDIS_URL: redis.url, SHUTDOWN_DELAY: String(shutdown_delay) })
}

async function untilNotReady({ address }: ServerProcess) {
  const { get } = visit(address)
  await until('it is not ready', async () => (await get('/actuator/health/readiness')).status === 503)
}

/** A peer that sends part of a request and then nothing. */
async function dawdle(t: Test, { port }: ServerProcess, bytes: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve))
}

t.test('a drain is not ready at once, serves during the delay and answers every request', async (t) => {
  const server = await start(t, 4)
  const { get, token } = visit(server.address)
  const before = beginTokenRequest(server.address)
  const answer = once(before.sending, 'response').then(([message]) => message as IncomingMessage)
  await before.arrived

  const exit = server.stop()
  await untilNotReady(server)
  t.match(await get('/actuator/health/readiness'), { json: { status: 'DOWN' } })
  for (const path of ['/health', '/actuator/health/liveness', '/nowhere']) {
    const { status, headers } = await get(path)
    t.equal(status, path === '/nowhere' ? 404 : 200, path)
    t.equal(headers.get('connection'), 'close', `${path} is the last of its connection`)
  }
  const served = await token({ grant_type: 'client_credentials' }, basic('service'))
  t.match(served, { status: 200, json: { access_token: String } }, 'requests are still served')
  await dawdle(t, server, '')
  await dawdle(t, server, 'GET /health HTTP/1.1\r\n')

  await until('the listener is closed', () => isRefused(server.port))
  before.finish()
  const { statusCode, headers } = await answer
  t.equal(statusCode, 200, 'a request from before the signal is answered after the listener is closed')
  t.equal(headers.connection, 'close')
  t.match(await json(await answer), { access_token: String })
  t.same(await exit, { code: 0, signal: null }, 'slow peers do not delay the exit')
  t.equal(server.stderr, '')
})

t.test('a second signal ends the process at once', async (t) => {
  const server = await start(t, 300)
  server.stop()
  await untilNotReady(server)
  t.same(await server.stop(), { code: 1, signal: null })
})
