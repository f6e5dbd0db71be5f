// Redis is full, or away: what the delivered balancer and real replicas still answer, to browsers and to programs.
import t, { type Test } from 'tap'
import { startBalancer } from '../../../support/haproxy.ts'
import { startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, visit } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const READINESS = '/actuator/health/readiness'
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** What is answered while Redis takes no write. */
async function assertLastResort(t: Test, address: string, how: string) {
  const get = (path: string, headers = {}) => fetch(address + path, { headers, redirect: 'manual' })
  for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
    const response = await get(path)
    t.equal(response.status, 200, `${how}: ${path}`)
    t.match(await response.text(), /^\{"(issuer|keys)":/)
  }
  const cookie = `__Host-redmint-session=${'a'.repeat(43)}; redmint-session=${'a'.repeat(43)}`
  for (const path of ['/account', '/oauth2/authorize?client_id=web', '/oauth2/interaction?transaction=x']) {
    const response = await get(path, { ...BROWSER, cookie })
    if (response.status < 400) continue
    t.match(response.headers.get('content-type'), 'text/html', `${how}: ${path} ${response.status}`)
    t.match(await response.text(), /<h1/)
  }
  const body = new URLSearchParams({ grant_type: 'client_credentials' })
  const token = await fetch(`${address}/oauth2/token`, { method: 'POST', headers: basic('service'), body })
  t.equal(token.status, 503, how)
  t.match(token.headers.get('retry-after'), /^[1-9]/)
  t.match(await token.json(), { error: 'temporarily_unavailable' })
}

t.test('discovery and keys stay, people get pages, programs errors of OAuth', async (t) => {
  const redis = await startRedis(t)
  const environment = { REDIS_URL: redis.url, ISSUER: 'http://localhost:8080', TRUSTED_PROXIES: '127.0.0.1' }
  const replicas = await Promise.all([1, 2].map(() => startServer(t, environment)))
  const ports = replicas.map(({ address }) => Number(new URL(address).port))
  await registerClient(redis, CLIENTS.service)
  const [first] = replicas
  if (first === undefined) throw new Error('There are two.')
  const { get } = visit(first.address)
  const isReady = async () => (await get(READINESS)).status === 200
  for (const { address } of replicas)
    await until('the keys of all algorithms are there', async () => {
      const { get } = visit(address)
      return (await get('/.well-known/jwks.json')).status === 200 && (await get(READINESS)).status === 200
    })
  const balancer = await startBalancer(t, [...ports, ports[0] ?? 0])
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.cli('INFO', 'memory'))?.[1])
  await redis.cli('CONFIG', 'SET', 'maxmemory', String(Math.round(used / 2)))
  const noneReady = () => balancer.lacks('redmint')
  await until('no replica is ready', noneReady)
  await assertLastResort(t, balancer.address, 'full')
  await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
  await until('a replica is ready again', isReady)
  await redis.stop()
  await until('no replica is ready again', async () => !(await isReady()))
  await assertLastResort(t, balancer.address, 'away')
  t.notOk(balancer.lacks('last-resort'))
})
