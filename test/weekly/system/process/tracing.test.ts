// The example of examples/opentelemetry/ with the real SDK, and a collector that keeps what it gets.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type CollectedSpan, startCollector } from '../../../support/collector.ts'
import { nodeArgs, ROOT, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { bearer, CLIENTS, codeRequest, SECRET, VERIFIER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`
const ENTRY = {
  args: ['--import', join(ROOT, 'examples/opentelemetry/tracing.mjs'), ...nodeArgs('server.ts')],
  cwd: ROOT,
}

async function start(t: Test, environment: Record<string, string> = {}) {
  const collector = await startCollector(t)
  const redis = await startRedis(t)
  await registerClient(redis, CLIENTS.app)
  const server = await startReady(
    t,
    {
      REDIS_URL: redis.url,
      DEMO: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...environment,
    },
    ENTRY,
  )
  return { collector, server, redis, ...visit(server.address) }
}

const attribute = ({ attributes }: CollectedSpan, key: string) =>
  attributes.find((one) => one.key === key)?.value

t.test('a request, its steps in Redis and its signatures are spans of one trace', async (t) => {
  const { collector, authorize, token } = await start(t)
  const code = (await authorize({ client_id: 'app' })).get('code') ?? ''
  await token(codeRequest(code))
  const named = (name: string) => collector.spans.find((span) => span.name === name)
  await until('the spans arrive', async () => named('POST /oauth2/token') !== undefined)
  const request = named('POST /oauth2/token')
  const steps = collector.spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
  t.same([...new Set(steps.map(({ name }) => name))].sort(), ['families.redeemCode', 'sign'])
  t.same(new Set(steps.map(({ traceId }) => traceId)), new Set([request?.traceId]))
  t.match(request && attribute(request, 'http.response.status_code'), { intValue: 200 })
  const [redeemed] = steps.filter(({ name }) => name === 'families.redeemCode')
  t.match(redeemed && attribute(redeemed, 'db.system.name'), { stringValue: 'redis' })
})

t.test('spans have no code, token, secret, verifier, name or address (K1)', async (t) => {
  const { collector, authorize, token, api, get } = await start(t)
  const code = (await authorize({ client_id: 'app' })).get('code') ?? ''
  const { json } = await token(codeRequest(code))
  await token({ grant_type: 'client_credentials', client_id: 'nobody-here', client_secret: SECRET })
  await api(String(json.access_token))
  await get('/userinfo', bearer(String(json.access_token)))
  await get('/a-path-that-somebody-typed?password=planted')
  await until('the spans arrive', async () => collector.spans.some(({ name }) => name === 'GET /userinfo'))
  const all = collector.received.join('\n')
  const planted = [
    code,
    SECRET,
    VERIFIER,
    json.access_token,
    json.refresh_token,
    json.id_token,
    'nobody-here',
  ]
  for (const secret of [...planted, 'a-path-that-somebody-typed', 'planted', 'app.example']) {
    t.notMatch(all, String(secret))
  }
})

t.test('only a trusted proxy continues a trace and demands a sample (K4)', async (t) => {
  const given = { traceparent: TRACEPARENT }
  const by_proxy = { ...given, 'x-forwarded-for': '198.51.100.7' }
  const rows: [string, Record<string, string>, Record<string, string>, boolean][] = [
    ['nobody is trusted', {}, by_proxy, false],
    ['a proxy', { TRUSTED_PROXIES: '127.0.0.1' }, by_proxy, true],
    ['everybody', { TRACE_CONTEXT: 'all' }, given, true],
    ['nobody at all', { TRUSTED_PROXIES: '127.0.0.1', TRACE_CONTEXT: 'off' }, by_proxy, false],
  ]
  for (const [name, environment, headers, is_continued] of rows) {
    const { collector, server, get } = await start(t, environment)
    await get('/.well-known/openid-configuration', headers)
    const request = () =>
      collector.spans.find((span) => span.name === 'GET /.well-known/openid-configuration')
    await until('the span arrives', async () => request() !== undefined)
    t.equal(request()?.traceId === TRACE_ID, is_continued, name)
    const logged = `"trace_id":"${request()?.traceId}"`
    await until('the log has the same trace', async () => server.stdout.includes(logged))
  }
})

t.test('without an SDK the log has the trace id of the proxy, and nothing is loaded (K5)', async (t) => {
  // Demo mode refuses what comes by a proxy.
  const server = await startServer(t, { TRUSTED_PROXIES: '127.0.0.1', DEMO: 'false' })
  const { get } = visit(server.address)
  await get('/.well-known/jwks.json', { traceparent: TRACEPARENT, 'x-forwarded-for': '198.51.100.7' })
  await get('/.well-known/jwks.json', { traceparent: TRACEPARENT })
  const lines = () => server.stdout.split('\n').filter((line) => line.includes('jwks.json'))
  await until('both lines are there', async () => lines().length === 2)
  t.same(
    lines().map((line) => JSON.parse(line).trace_id),
    [TRACE_ID, undefined],
  )
})

t.test('a collector that does not answer holds no request up, and is said once (K3)', async (t) => {
  const { get, server } = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  })
  const lines = () => server.stderr.match(/Spans are lost/g)?.length ?? 0
  const answers = await Promise.all(Array.from({ length: 20 }, () => get('/.well-known/jwks.json')))
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
  await until('it is said', async () => lines() > 0)
  // The spans of these are dropped later, too.
  for (let i = 0; i < 5; i++) t.match(await get('/health'), { status: 200 })
  await server.stop()
  t.equal(lines(), 1)
  t.notMatch(server.stderr, /Unhandled|uncaught/i)
})
