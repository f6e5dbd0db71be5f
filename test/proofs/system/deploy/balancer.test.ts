// How the HAProxy of deploy/ handles requests, seen by test servers in the place of replicas.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { assertAwayPages } from '../../../support/away-page.ts'
import { startBalancer } from '../../../support/haproxy.ts'
import { readText } from '../../../support/markdown.ts'
import { until } from '../../../support/until.ts'

const READINESS = '/actuator/health/readiness'
const LIVENESS = '/actuator/health/liveness'

interface Replica {
  port: number
  /** Its requests, without health checks. */
  asked: IncomingMessage[]
  ready: boolean
  lives: boolean
  close(): Promise<void>
}

/** A server that is ready and handles every other request as given. */
async function startReplica(t: Test, deal: (request: IncomingMessage, response: ServerResponse) => void) {
  const replica: Replica = { port: 0, asked: [], ready: true, lives: true, close }
  const server = createServer((request, response) => {
    const is_check = request.headers.host === 'redmint'
    if (is_check && request.url === READINESS) return response.writeHead(replica.ready ? 200 : 503).end()
    if (is_check && request.url === LIVENESS) return response.writeHead(replica.lives ? 200 : 503).end()
    replica.asked.push(request)
    return deal(request, response)
  })
  async function close() {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  replica.port = (server.address() as AddressInfo).port
  return replica
}

/** Three servers that handle requests in the same way. */
async function start(t: Test, deal: Parameters<typeof startReplica>[1]) {
  const replicas = await Promise.all(Array.from({ length: 3 }, () => startReplica(t, deal)))
  const balancer = await startBalancer(
    t,
    replicas.map(({ port }) => port),
  )
  const asked = () => replicas.flatMap((replica) => replica.asked)
  return { replicas, balancer, asked }
}

const answer = (request: IncomingMessage, response: ServerResponse) =>
  void request.resume().on('end', () => response.end('answered'))
/** Ends like a killed process. */
const vanish = (request: IncomingMessage) => void request.resume().on('end', () => request.socket.destroy())

const post = ({ address }: { address: string }, path = '/oauth2/token') =>
  fetch(address + path, { method: 'POST', body: 'grant_type=x' })

t.test('a POST that a replica has received is not sent to another one', async (t) => {
  const { balancer, asked } = await start(t, vanish)
  const response = await post(balancer)
  t.equal(response.status, 502)
  t.equal(response.headers.get('retry-after'), '1')
  t.match(await response.json(), { error: 'temporarily_unavailable' })
  t.equal(asked().length, 1)

  t.equal((await fetch(`${balancer.address}/api/resource`)).status, 502)
  t.equal(asked().length, 4, 'what only reads is tried three times')
})

t.test('a GET is repeated until a replica answers', async (t) => {
  const { balancer, replicas } = await start(t, (request, response) =>
    request.socket.localPort === replicas[2]?.port ? answer(request, response) : vanish(request),
  )
  for (let count = 0; count < 3; count += 1) {
    t.equal((await fetch(`${balancer.address}/api/resource`)).status, 200)
  }
})

t.test('a request that a replica cannot have received is sent to another one', async (t) => {
  const { balancer, replicas } = await start(t, answer)
  await replicas[0]?.close()
  const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await post(balancer)).status))
  t.same([...new Set(statuses)], [200])

  await Promise.all([replicas[1]?.close(), replicas[2]?.close()])
  const response = await post(balancer)
  t.equal(response.status, 503)
  t.match(await response.json(), { error: 'temporarily_unavailable' })
})

t.test('a replica gets no requests while it is not ready', async (t) => {
  const { balancer, replicas } = await start(t, answer)
  const [replica] = replicas as [Replica]
  const statuses = new Set<number>()
  const takesPart = async () => {
    const { length } = replica.asked
    for (let count = 0; count < 3; count += 1) statuses.add((await post(balancer)).status)
    return replica.asked.length > length
  }
  await until('it takes part', takesPart)
  replica.ready = false
  await until('it is left alone', async () => !(await takesPart()))
  replica.ready = true
  await until('it takes part again', takesPart)
  t.same([...statuses], [200])
})

t.test("a replica gets the client's address from the balancer only", async (t) => {
  const { balancer, asked } = await start(t, answer)
  const headers = {
    'X-Forwarded-For': ['6.6.6.6', '127.0.0.1'],
    'X-FORWARDED-HOST': 'evil.example',
    'x-forwarded-proto': 'http',
    Forwarded: 'for=6.6.6.6',
    'X-Request-Id': 'evil-evil-evil',
    traceparent: '00-evil',
    'Client-Cert': ':evil:',
    'Client-Cert-Verified': 'evil',
  }
  const sending = request(`${balancer.address}/health`, { localAddress: '127.0.0.2', headers })
  await new Promise((resolve) => sending.on('response', (said) => said.resume().on('end', resolve)).end())
  const [seen] = asked()
  t.equal(seen?.headers['x-forwarded-for'], '127.0.0.2')
  t.notMatch(JSON.stringify(seen?.rawHeaders), /evil|6\.6\.6\.6|proto/)
})

t.test('a replica gets a request only when it is complete', async (t) => {
  const { balancer, asked } = await start(t, answer)
  const sending = request(`${balancer.address}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-length': 2 },
  })
  const answered = new Promise<IncomingMessage>((resolve) => sending.on('response', resolve))
  sending.write('x')
  t.equal((await post(balancer)).status, 200, 'one that began later')
  t.equal(asked().length, 1)
  sending.end('x')
  t.equal((await answered).resume().statusCode, 200)
  t.equal(asked().length, 2)
})

t.test('clients keep their connection; replicas get a new one for each request', async (t) => {
  const { balancer, asked } = await start(t, answer)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  for (const reused of [false, true, true, true]) {
    const sending = request(`${balancer.address}/health`, { agent })
    await new Promise((resolve) => sending.on('response', (said) => said.resume().on('end', resolve)).end())
    t.equal(sending.reusedSocket, reused)
  }
  t.equal(new Set(asked().map(({ socket }) => socket)).size, 4)
})

t.test('a peer gets no more than its share of the connections', async (t) => {
  const { balancer } = await start(t, answer)
  const { port } = new URL(balancer.address)
  const config = await readText('deploy/haproxy.cfg')
  const share = Number(/sc0_conn_cur gt (\d+) /.exec(config)?.[1])
  t.equal(share, Number(/^ {2}maxconn (\d+)$/m.exec(config)?.[1]) / 4)

  let closed = 0
  const peers = Array.from({ length: share + 5 }, () =>
    connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.3' })
      .on('error', () => undefined)
      .on('close', () => {
        closed += 1
      }),
  )
  t.teardown(() => peers.forEach((peer) => void peer.destroy()))
  await until('the excess is closed', () => closed >= 5)
  t.equal(closed, 5)
  t.equal((await fetch(`${balancer.address}/health`)).status, 200, 'another peer is served')
})

t.test('the log has paths without queries', async (t) => {
  const { balancer } = await start(t, answer)
  await fetch(`${balancer.address}/callback?code=hush`)
  t.ok(await balancer.prints(/ 200 .* GET \/callback\n/))
  t.notMatch(balancer.stdout, 'hush')
})

t.test('while no replica is ready, one that lives gets the requests, and refuses by itself', async (t) => {
  const { balancer, replicas } = await start(t, answer)
  for (const replica of replicas) replica.ready = false
  await until('none is ready', () => balancer.lacks('redmint'))
  t.equal((await fetch(`${balancer.address}/.well-known/jwks.json`)).status, 200)
  t.equal((await post(balancer)).status, 200)
  for (const replica of replicas) replica.lives = false
  await until('none lives', () => balancer.lacks('last-resort'))
  t.equal((await post(balancer)).status, 503)
})

t.test(
  'without a replica, browsers get a page in their language, with the id of the request in the log',
  async (t) => {
    const { balancer, replicas } = await start(t, answer)
    for (const replica of replicas) await replica.close()
    const id = await assertAwayPages(t, balancer.address)
    t.ok(await balancer.prints(new RegExp(` 503 .* ${id} GET /account\\n`)))
  },
)

t.test('metrics and information are not for those who come by the balancer', async (t) => {
  const { balancer, asked } = await start(t, answer)
  for (const path of [
    '/actuator/prometheus',
    '/actuator/info',
    '/%61ctuator/prometheus',
    '/auth/actuator/info',
  ])
    t.equal((await fetch(balancer.address + path)).status, 404, path)
  t.same(asked(), [])
  for (const path of ['/health', '/actuator/health/liveness'])
    t.equal((await fetch(balancer.address + path)).status, 200, path)
})
