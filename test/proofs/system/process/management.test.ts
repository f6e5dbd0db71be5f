// The listener for operators.
import t, { type Test } from 'tap'
import { isRefused } from '../../../support/half-sent.ts'
import type { ServerProcess } from '../../../support/process.ts'
import { startReady, visit } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const OPERATORS = ['/actuator/info', '/actuator/prometheus', '/openapi.json']
const HEALTH = ['/health', '/actuator/health', '/actuator/health/liveness', '/actuator/health/readiness']
const SERVICE = [
  '/.well-known/openid-configuration',
  '/oauth2/authorize',
  '/oauth2/token',
  '/userinfo',
  '/api/x',
]

async function start(t: Test, environment: Record<string, string> = {}) {
  const server = await startReady(t, { MANAGEMENT_PORT: '0', ...environment })
  await server.prints(/demo mode/)
  const address = managementOf(server)
  return { server, address, open: visit(server.address), managed: visit(address) }
}

/** The address that the log names. */
function managementOf({ stdout }: ServerProcess): string {
  const [, address = ''] = /"Management at (http:\/\/127\.0\.0\.1:\d+)"/.exec(stdout) ?? []
  return address
}

t.test('what only operators need is answered at MANAGEMENT_PORT, and not at PORT', async (t) => {
  const { server, address, open, managed } = await start(t, { DEMO: 'true' })
  for (const path of [...OPERATORS, '/docs/']) {
    t.equal((await managed.get(path)).status, 200, `management ${path}`)
    t.equal((await open.get(path)).status, 404, path)
    const posted = await fetch(server.address + path, { method: 'POST' })
    t.equal(posted.status, 404, `POST ${path}`)
  }
  for (const path of HEALTH) {
    // Readiness names a Node without fixes, to operators alone.
    const { notice: _, ...found } = (await managed.get(path)).json as { notice?: string }
    t.same((await open.get(path)).json, found, path)
    t.match(found, { status: 'UP' })
  }
  for (const path of SERVICE) t.equal((await managed.get(path)).status, 404, `management ${path}`)
  t.match(server.stdout, `demo mode on, management at ${address}"`, 'the log names both addresses')

  const home = await fetch(server.address, { headers: { accept: 'text/html' } }).then((page) => page.text())
  t.match(home, 'href="/demo"')
  t.notMatch(home, 'href="/docs"', 'no link to what is not here')

  await until('the metrics are those of the service', async () =>
    (await managed.get('/actuator/prometheus')).text.includes('uri="/health"'),
  )
  const { paths } = (await managed.get('/openapi.json')).json as { paths: object }
  t.ok('/oauth2/token' in paths, 'the description is that of the service')
  t.notOk('/actuator/prometheus' in paths, 'and of nothing else')
  t.same((await managed.get('/docs/json')).json, (await managed.get('/openapi.json')).json)
})

t.test('both listeners drain and close', async (t) => {
  const { server, address, managed } = await start(t, { SHUTDOWN_DELAY: '4' })
  const exit = server.stop()
  await until('it is not ready', async () => (await managed.get('/actuator/health/readiness')).status === 503)
  const { status, headers } = await managed.get('/actuator/health/liveness')
  t.equal(status, 200, 'it lives')
  t.equal(headers.get('connection'), 'close')
  t.equal((await managed.get('/actuator/prometheus')).status, 200, 'metrics can be read until the end')
  t.same(await exit, { code: 0, signal: null })
  t.ok(await isRefused(Number(new URL(address).port)))
  t.equal(server.stderr, '')
})

t.test('MANAGEMENT_HOST is another address', async (t) => {
  const { server } = await start(t, { MANAGEMENT_HOST: '127.0.0.2' })
  t.match(server.stdout, /"Management at http:\/\/127\.0\.0\.2:\d+"/)
})
