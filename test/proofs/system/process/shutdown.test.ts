import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { beginTokenRequest, isRefused } from '../../../support/half-sent.ts'
import { openPeer } from '../../../support/peer.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { startWorkers, workersOf } from '../../../support/workers.ts'

const IN_FLIGHT = 5
const GET_HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

// Ctrl-C does not wait for a balancer.
for (const [signal, SHUTDOWN_DELAY] of [
  ['SIGTERM', '0'],
  ['SIGINT', '300'],
] as const) {
  t.test(`${signal} closes the listener, answers requests in progress and exits with 0`, async (t) => {
    const redis = await startRedis(t)
    await registerClient(redis, CLIENTS.service)
    const server = await startReady(t, { REDIS_URL: redis.url, SHUTDOWN_DELAY })
    // An idle connection that stays open must not delay the exit.
    t.equal((await visit(server.address).get('/health')).status, 200)

    const requests = Array.from({ length: IN_FLIGHT }, () => beginTokenRequest(server.address))
    const answers = requests.map(
      async ({ sending }) => (await once(sending, 'response'))[0] as IncomingMessage,
    )
    await Promise.all(requests.map(({ arrived }) => arrived))

    const exit = server.stop(signal)
    await until('the listener is closed', () => isRefused(server.port))
    for (const { finish } of requests) finish()

    for (const answer of await Promise.all(answers)) {
      t.equal(answer.statusCode, 200)
      t.equal(answer.headers.connection, 'close')
      t.match(await json(answer), { token_type: 'Bearer', access_token: String })
    }
    t.same(await exit, { code: 0, signal: null })
    t.equal(server.stderr, '')
  })
}

for (const WORKERS of ['1', '2']) {
  t.test(`WORKERS=${WORKERS}: requests that were not read yet at the signal are answered`, async (t) => {
    const server = await startWorkers(t, { WORKERS })
    const processes = [server.pid, ...workersOf(server)]
    const open = () => Promise.all(Array.from({ length: IN_FLIGHT }, () => openPeer(t, server.port)))
    const used = await open()
    for (const { socket } of used) socket.write(GET_HEALTH)
    await until('each connection was used once', () => used.every(({ text }) => text.endsWith('}')))

    // A stopped process reads nothing; the system accepts connections and bytes for it.
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    const fresh = await open()
    for (const peer of [...used, ...fresh]) {
      peer.text = ''
      peer.socket.write(GET_HEALTH)
    }
    const exit = server.stop()
    for (const pid of processes) process.kill(pid, 'SIGCONT')
    t.same(await exit, { code: 0, signal: null })
    for (const { text } of [...used, ...fresh]) {
      t.match(text, /^HTTP\/1\.1 200 OK\r\n.*\{"status":"UP"\}$/s)
    }
  })
}
