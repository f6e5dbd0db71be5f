// Several processes behind one port: their start, their end, and what takes the place of one that dies.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { beginTokenRequest, isRefused } from '../../../support/half-sent.ts'
import { openPeer } from '../../../support/peer.ts'
import { type Program, runServer, type ServerProcess, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, visit } from '../../../support/server.ts'
import { CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { startWorkers, untilWorkers, workersOf } from '../../../support/workers.ts'

interface LogLine {
  level: number
  pid: number
  msg: string
  req?: { path: string }
}

function readLog({ stdout }: Program): LogLine[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  return lines.map((line) => JSON.parse(line))
}

/** Makes workers do something when they start. `id` is 1 in the first one, 2 in the second … */
function atStart(action: string) {
  const script = `import cluster from 'node:cluster'
    const { id } = cluster.worker ?? { id: 0 }
    ${action}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}

/** Requests on connections of their own until each worker has answered one; returns their number. */
async function askAll(t: Test, server: ServerProcess): Promise<number> {
  const answeredBy = () => new Set(readLog(server).flatMap(({ pid, req }) => (req ? [pid] : [])))
  let asked = 0
  await until('each worker has answered', async () => {
    asked++
    const { socket } = await openPeer(t, server.port)
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
    return answeredBy().size === 2
  })
  return asked
}

t.test('what is true of all workers is logged once, by the first worker', async (t) => {
  const server = await startWorkers(t, { ISUER: 'x', DEMO: 'true' })
  const log = readLog(server)
  const [first, second] = workersOf(server)
  t.equal(new Set([server.pid, first, second]).size, 3)
  const once = [/^Server listening/, /^redmint .*, 2 workers$/, /did you mean ISSUER/]
  for (const text of once)
    t.match(
      log.filter(({ msg }) => text.test(msg)),
      [{ pid: first }],
      String(text),
    )
  t.equal(server.stdout.match(/^# A token for a service/gm)?.length, 1, 'the commands of demo mode, too')
})

t.test('a worker whose successors die is replaced later and later, and the others serve', async (t) => {
  const { url } = await startRedis(t)
  const server = await startServer(t, {
    WORKERS: '2',
    REDIS_URL: url,
    ...atStart('if (id > 1) process.kill(process.pid, "SIGKILL")'),
  })
  await server.prints(/ended by SIGKILL.*at once.*ended by SIGKILL.*in 1 s.*ended by SIGKILL.*in 2 s/s)
  t.equal((await visit(server.address).get('/actuator/health/readiness')).status, 200)
  t.same(workersOf(server).length, 1)
  t.same(await server.stop(), { code: 0, signal: null }, 'the pause does not delay the exit')
})

t.test('if the first worker cannot start, the reason is said once', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  t.teardown(() => holder.close())
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const { url } = await startRedis(t)
  const environment = { WORKERS: '3', REDIS_URL: url, PORT: String(port) }

  const busy = runServer(t, environment)
  t.same(await busy.ended, { code: 1, signal: null })
  t.match(busy.stderr, new RegExp(`^redmint cannot start: PORT ${port} on \\S+ cannot be used: .*\n$`))

  const dead = runServer(t, {
    ...environment,
    ...atStart('if (id > 0) process.kill(process.pid, "SIGKILL")'),
  })
  t.same(await dead.ended, { code: 1, signal: null })
  t.match(dead.stderr, /^redmint cannot start: its first worker was ended by SIGKILL: if nobody .*\n$/)
})

t.test(
  'a worker that dies is replaced, the log says what to do, and no total of the metrics becomes smaller',
  async (t) => {
    const server = await startWorkers(t, { MANAGEMENT_PORT: '0' })
    const [, address = ''] = /"Management at (http:\/\/127\.0\.0\.1:\d+)"/.exec(server.stdout) ?? []
    const managed = visit(address)
    const count = async () => {
      const { text } = await managed.get('/actuator/prometheus')
      return Number(/^http_server_requests_seconds_count\{.*uri="\/health".*\} (\d+)$/m.exec(text)?.[1])
    }
    const asked = await askAll(t, server)
    await until('those of all workers are counted', async () => (await count()) === asked)

    const [first = 0] = workersOf(server)
    process.kill(first, 'SIGKILL')
    await untilWorkers(server, 3)
    const errors = readLog(server).filter(({ level }) => level > 40)
    const msg = `Worker ${first} was ended by SIGKILL: if nobody did that, see whether the system ran out of memory. It is replaced at once.`
    t.match(errors, [{ level: 50, pid: server.pid, worker: first, signal: 'SIGKILL', msg }])
    t.equal((await visit(server.address).get('/actuator/health/readiness')).status, 200)
    t.equal(await count(), asked)
    await visit(server.address).get('/health')
    await until('one more is counted', async () => (await count()) === asked + 1)
    t.same(await server.stop(), { code: 0, signal: null })
  },
)

t.test(
  'connections above the limit of each worker are closed, and without their primary the workers end',
  async (t) => {
    const server = await startWorkers(t, { MAX_CONNECTIONS: '1' })
    const peers = await Promise.all(Array.from({ length: 6 }, () => openPeer(t, server.port)))
    // Not answered with 408 after a while, as a connection that is held.
    await until('no more are held than two workers may have', () => {
      return peers.filter(({ closed, text }) => closed && text === '').length >= 4
    })
    t.same(await server.stop('SIGKILL'), { code: null, signal: 'SIGKILL' })
    await until('the port is free', () => isRefused(server.port))
  },
)

t.test(
  'a signal to the whole group, as Ctrl+C sends it, is one signal, and waits for no balancer',
  async (t) => {
    const redis = await startRedis(t)
    await registerClient(redis, CLIENTS.service)
    const server = await startWorkers(t, { SHUTDOWN_DELAY: '300' }, redis)
    const requests = Array.from({ length: 6 }, () => beginTokenRequest(server.address))
    const answers = requests.map(
      async ({ sending }) => (await once(sending, 'response'))[0] as IncomingMessage,
    )
    await Promise.all(requests.map(({ arrived }) => arrived))

    for (const pid of workersOf(server)) process.kill(pid, 'SIGINT')
    const exit = server.stop('SIGINT')
    await until('the listener is closed', () => isRefused(server.port))
    for (const { finish } of requests) finish()
    for (const { statusCode, headers } of await Promise.all(answers)) {
      t.equal(statusCode, 200)
      t.equal(headers.connection, 'close')
    }
    t.same(await exit, { code: 0, signal: null })
    t.equal(readLog(server).filter(({ msg }) => /^SIGINT: no longer ready/.test(msg)).length, 1)
  },
)

t.test('a worker that starts does not delay the exit', async (t) => {
  const { url } = await startRedis(t)
  const hang = atStart('if (id > 1) { console.log("hangs"); while (true); }')
  const server = await startServer(t, { WORKERS: '2', REDIS_URL: url, ...hang })
  t.ok(await server.prints(/hangs/))
  t.same(await server.stop(), { code: 0, signal: null })
  t.equal(server.stderr, '')
})

t.test('all workers drain, and a second signal ends all of them at once', async (t) => {
  const server = await startWorkers(t, { SHUTDOWN_DELAY: '300' })
  const { get } = visit(server.address)
  server.stop()
  await until('it is not ready', async () => (await get('/actuator/health/readiness')).status === 503)
  t.equal((await get('/health')).headers.get('connection'), 'close')
  // One that hangs does not hear that its primary is gone.
  process.kill(workersOf(server)[0] ?? 0, 'SIGSTOP')
  // Resolves when no process has the standard output any more.
  t.same(await server.stop(), { code: 1, signal: null })
  t.ok(await isRefused(server.port))
})
