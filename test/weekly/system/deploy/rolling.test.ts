// Three replicas behind the HAProxy of deploy/, while they are replaced and killed.
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { type Balancer, startBalancer } from '../../../support/haproxy.ts'
import { startLoad } from '../../../support/load.ts'
import { freePort, type Program, runServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, visit } from '../../../support/server.ts'
import { CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

/** The number of requests during which a replica starts or stops. */
const MANY = 100
const NAMES = ['replica-1', 'replica-2', 'replica-3'] as const
type Name = (typeof NAMES)[number]

const countIn = (log: string, name: Name) => log.split(` redmint/${name} `).length - 1

/** Waits until the balancer has sent this replica a request that was answered. */
async function untilServes(balancer: Balancer, name: Name) {
  const since = balancer.stdout.length
  const answered = new RegExp(` redmint/${name} \\S+ 200 `)
  await until(`${name} serves`, () => answered.test(balancer.stdout.slice(since)))
}

async function startService(t: Test) {
  const redis = await startRedis(t)
  await registerClient(redis, CLIENTS.service)
  const ports = [await freePort(), await freePort(), await freePort()]
  const start = async (index: number) => {
    const replica = runServer(t, {
      NODE_ENV: 'production',
      ISSUER: 'https://auth.example.com',
      PORT: String(ports[index]),
      REDIS_URL: redis.url,
      SHUTDOWN_DELAY: '4',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    if (!(await replica.prints(/Server listening/)))
      throw new Error(`a replica does not start: ${replica.stderr}`)
    return replica
  }
  const replicas = await Promise.all(ports.map((_, index) => start(index)))
  const balancer = await startBalancer(t, ports)
  const { get } = visit(balancer.address)
  await until('a request is served', async () => (await get('/.well-known/jwks.json')).status === 200)
  return { ports, replicas, start, balancer }
}

const { ports, replicas, start, balancer } = await startService(t)

t.test('replacing every replica under load loses no request', async (t) => {
  // On an empty Redis the key set answers 503 until the first keys are made.
  const since = balancer.stdout.length
  const load = startLoad(t, balancer.address)
  for (const name of NAMES) await untilServes(balancer, name)

  for (const [index, name] of NAMES.entries()) {
    const served = load.served
    const replica = replicas[index] as Program
    t.same(await replica.stop(), { code: 0, signal: null })
    t.ok(load.served - served > MANY, `${load.served - served} were served while ${name} went`)
    const before = [load.served, countIn(balancer.stdout, name)] as const
    await until('the others go on', () => load.served - before[0] > MANY)
    t.equal(countIn(balancer.stdout, name), before[1], 'without it')

    const another = await start(index)
    t.not(another.pid, replica.pid)
    replicas[index] = another
    await untilServes(balancer, name)
    await until('it takes its part', () => countIn(balancer.stdout, name) > before[1] + MANY / 10)
    t.same(load.failures, [])
  }
  await load.stop()
  t.same(load.failures, [])
  t.notMatch(
    balancer.stdout.slice(since),
    / (redmint\/\S+|clients\/<NOSRV>) \S+ [345]\d\d /,
    'and the balancer says so too',
  )
})

t.test('a killed replica loses only its requests in progress', async (t) => {
  const load = startLoad(t, balancer.address)
  await untilServes(balancer, 'replica-1')
  await replicas[0]?.stop('SIGKILL')

  const { served } = load
  await until('the others go on', () => load.served - served > MANY)
  const lost = load.failures.length
  t.ok(lost <= load.clients, `${lost} requests were lost: ${load.failures}`)
  for (const failure of load.failures) t.match(failure, /: (502 |socket hang up|read ECONNRESET)/)

  replicas[0] = await start(0)
  await untilServes(balancer, 'replica-1')
  await load.stop()
  t.equal(load.failures.length, lost)
})

t.test("the log has the client's address, regardless of its headers", async (t) => {
  const path = '/of-the-client'
  for (const forged of ['6.6.6.6', ['6.6.6.6', '127.0.0.1'], '127.0.0.2, 127.0.0.1']) {
    const sending = request(balancer.address + path, {
      localAddress: '127.0.0.2',
      headers: { 'x-forwarded-for': forged, 'x-real-ip': '6.6.6.6', forwarded: 'for=6.6.6.6' },
    })
    await new Promise((resolve) =>
      sending.on('response', (answer) => answer.resume().on('end', resolve)).end(),
    )
  }
  const direct = `http://127.0.0.1:${ports[0]}${path}`
  const sending = request(direct, { localAddress: '127.0.0.3', headers: { 'x-forwarded-for': '6.6.6.6' } })
  await new Promise((resolve) => sending.on('response', (answer) => answer.resume().on('end', resolve)).end())

  const lines = () =>
    replicas.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line.includes(path)))
  await until('all are logged', () => lines().length === 4)
  const addresses = lines().map((line) => JSON.parse(line).req.remoteAddress)
  t.same(addresses.sort(), ['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3'])
})
