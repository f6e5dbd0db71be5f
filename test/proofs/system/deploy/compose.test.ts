// The compose files of deploy/, checked against the service without a container engine.
import t from 'tap'
import { parse } from 'yaml'
import { readConfig } from '../../../../src/config/config.ts'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { CLOSE_WITHIN_MS } from '../../../../timeouts.ts'
import { imageEnvironment, noticeSeconds } from '../../../support/deploy/deployed.ts'
import { startBalancer } from '../../../support/haproxy.ts'
import { readText } from '../../../support/markdown.ts'
import { freePort, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { visit } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

interface Service {
  environment?: Record<string, string>
  stop_grace_period?: string
  command?: string[]
  ports?: string[]
  networks?: Record<string, { ipv4_address: string }>
}

const KEY_ENCRYPTION_KEY = Buffer.alloc(32).toString('base64')

/** A compose file with its variables filled in from the environment: `${NAME:-default}`, `${NAME:?message}`. */
async function readCompose(file: string) {
  const text = (await readText(`deploy/${file}`)).replace(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_, name: string, kind: string, rest: string) => {
      if (kind === '-') return rest
      t.equal(name, 'KEY_ENCRYPTION_KEY', 'the one secret has to be given')
      return KEY_ENCRYPTION_KEY
    },
  )
  return (parse(text, { merge: true }) as { services: Record<string, Service> }).services
}

const compose = await readCompose('compose.yaml')
const sentinel = await readCompose('compose.sentinel.yaml')
const REPLICAS = ['redmint-1', 'redmint-2', 'redmint-3']

t.test('three replicas trust the balancer and drain longer than its check takes', async (t) => {
  const known = Object.keys(ENVIRONMENT.properties)
  const fromImage = await imageEnvironment()
  const address = compose.haproxy?.networks?.front?.ipv4_address
  for (const name of REPLICAS) {
    const { environment = {}, stop_grace_period = '' } = compose[name] ?? {}
    for (const variable of Object.keys(environment)) t.ok(known.includes(variable), variable)
    const config = readConfig({ ...fromImage, ...environment })
    t.same(config.trusted_proxies, [address])
    t.match(config.redis, { kind: 'single', url: 'redis://redis:6379' })
    t.ok(config.settings.key_encryption_key)

    t.ok(config.shutdown_delay > (await noticeSeconds()), 'the balancer notices before the door is closed')
    const grace = Number(/^(\d+)s$/.exec(stop_grace_period)?.[1])
    t.ok(grace > config.shutdown_delay + CLOSE_WITHIN_MS / 1000, `${grace} s are enough`)
  }
})

t.test('the balancer does not reach metrics, information and the description', async (t) => {
  const redis = await startRedis(t)
  const port = await freePort()
  await startServer(t, {
    ...(await imageEnvironment()),
    ...compose['redmint-1']?.environment,
    HOST: '127.0.0.1',
    PORT: String(port),
    MANAGEMENT_PORT: '0',
    REDIS_URL: redis.url,
    SHUTDOWN_DELAY: '0',
  })
  const config = readConfig(compose['redmint-1']?.environment ?? {})
  t.ok(config.management_port, 'all replicas have the listener')
  const published = `127.0.0.1:${new URL(config.settings.console_origin ?? '').port}:${config.management_port}`
  t.strictSame(compose['redmint-1']?.ports, [published], 'the console is reached on this machine alone')
  const balancer = await startBalancer(t, [port, port, port])
  const { get } = visit(balancer.address)
  await until('requests are served', async () => (await get('/.well-known/jwks.json')).status === 200)
  for (const path of ['/actuator/prometheus', '/actuator/info', '/openapi.json', '/docs/']) {
    t.equal((await get(path)).status, 404, path)
  }
})

t.test('HAProxy queues connections above the maximum of a replica', async (t) => {
  const [, maxconn] =
    /^ {2}default-server .* maxconn (\d+) /m.exec(await readText('deploy/haproxy.cfg')) ?? []
  t.ok(Number(maxconn) < readConfig({}).max_connections)
})

t.test('HAProxy gets the addresses of the replicas', async (t) => {
  const text = await readText('deploy/haproxy.cfg')
  const optional = [...text.matchAll(/^\.if defined\((\w+)\)$/gm)].map(([, name]) => name)
  const used = [...text.matchAll(/"\$\{(\w+)(?:\[\*\])?\}"/g)].map(([, name]) => name)
  // Two replicas do; here there are three.
  const needed = [...new Set(used)].filter((name) => name === 'REPLICA_3' || !optional.includes(name))
  const { environment = {} } = compose.haproxy ?? {}
  t.same(Object.keys(environment).sort(), needed.sort())
  const { PORT } = await imageEnvironment()
  const replicas = Object.entries(environment).filter(([name]) => name.startsWith('REPLICA'))
  t.same(
    replicas.map(([, value]) => value),
    REPLICAS.map((name) => `${name}:${PORT}`),
  )
})

t.test('Redis does not evict records and persists its data', async (t) => {
  const single = await startRedis(t, { args: compose.redis?.command?.slice(1) ?? [] })
  const replicated = await startRedis(t, { config: await readText('deploy/sentinel/redis.conf') })
  for (const redis of [single, replicated]) {
    t.match(await redis.cli('CONFIG', 'GET', 'maxmemory-policy'), /\nnoeviction$/)
    t.notMatch(await redis.cli('CONFIG', 'GET', 'maxmemory'), /\n0$/)
    t.match(await redis.cli('CONFIG', 'GET', 'appendonly'), /\nyes$/)
    t.match(await redis.cli('CONFIG', 'GET', 'appendfsync'), /\nalways$/)
  }
  t.match(await replicated.cli('CONFIG', 'GET', 'min-replicas-to-write'), /\n1$/)
})

t.test('with Sentinel the same replicas use another storage', async (t) => {
  const text = await readText('deploy/sentinel/sentinel.conf')
  const [, name = '', master = ''] = /^sentinel monitor (\S+) (\S+) 6379 2$/m.exec(text) ?? []
  const known = Object.keys(ENVIRONMENT.properties)
  t.equal(sentinel.redis?.networks?.storage?.ipv4_address, master)
  for (const copy of ['redis-2', 'redis-3']) t.equal(sentinel[copy]?.environment?.MASTER, master)

  for (const replica of REPLICAS) {
    const environment = { ...compose[replica]?.environment, ...sentinel[replica]?.environment }
    for (const variable of Object.keys(environment)) t.ok(known.includes(variable), variable)
    const { redis } = readConfig({ ...(await imageEnvironment()), ...environment })
    t.match(redis, { kind: 'sentinel', name })
    const sentinels = redis?.kind === 'sentinel' ? redis.sentinels.map(({ host }) => host) : []
    t.same(sentinels, ['sentinel-1', 'sentinel-2', 'sentinel-3'])
    for (const host of sentinels) t.ok(sentinel[host], host)
  }

  const config = text.replaceAll(master, '127.0.0.1')
  const watcher = await startRedis(t, { config, args: ['--sentinel'] })
  t.match(await watcher.cli('SENTINEL', 'MASTER', name), /\nquorum\n2\n/)
})
