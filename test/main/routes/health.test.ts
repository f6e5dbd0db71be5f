import Fastify from 'fastify'
import t from 'tap'
import { METRICS_MAX_AGE } from '../../../plugins/metrics.ts'
import { nodeNotice } from '../../../src/core/node-floor.ts'
import { readinessForOperators } from '../../../src/service/health.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { spyOn } from '../../support/matrix.ts'
import { bearer, startService } from '../../support/service.ts'

const OPEN = [
  '/health',
  '/actuator/health',
  '/actuator/health/liveness',
  '/actuator/health/readiness',
  '/actuator/info',
  '/actuator/prometheus',
  '/openapi.json',
  '/.well-known/openid-configuration',
  '/.well-known/jwks.json',
]

t.test('the health and metrics paths need no authentication', async (t) => {
  const { get } = await startService(t)

  for (const path of OPEN) {
    t.equal((await get(path)).status, 200, `${path} needs no authentication`)
    t.equal((await get(path, bearer('nonsense'))).status, 200, `${path} ignores an invalid token`)
    t.equal((await get(path, { authorization: 'Basic !' })).status, 200, `${path} ignores an invalid header`)
  }
  for (const path of ['/actuator/', '/actuator/nothing', '/actuator', '/nothing', '/apis', '/ap']) {
    const { status, json } = await get(path)
    t.equal(status, 404, `${path} needs no authentication and does not exist`)
    t.equal(json.error, 'not_found')
  }
  for (const path of ['/health', '/actuator/health/liveness'])
    t.same((await get(path)).json, { status: 'UP' })
  t.match((await get('/actuator/health/readiness')).json, { status: 'UP' })
  t.same((await get('/actuator/health')).json, { status: 'UP', groups: ['liveness', 'readiness'] })
  t.match((await get('/actuator/info')).json, { app: { name: 'redmint', version: /^\d+\.\d+\.\d+$/ } })
})

t.test('readiness names what operators should change, to them alone', async (t) => {
  const notice = nodeNotice(process.versions.node)
  const expected = { status: 'UP', ...(notice !== undefined && { notice }) }
  const path = '/actuator/health/readiness'
  t.strictSame((await (await startService(t)).get(path)).json, expected)

  const management = Fastify()
  const { fastify, get } = await startService(t, { management })
  t.strictSame((await management.inject(path)).json(), expected)
  t.strictSame((await get(path)).json, { status: 'UP' }, 'strangers need not know')
  const said = await readinessForOperators(fastify.redmint, nodeNotice('20.20.2'))
  t.match(said, { status: 'UP', notice: /^Node 20\.20\.2 gets no fixes any more\. Run 22/ })
  await management.close()
})

t.test('metrics are labelled with routes, never with requested paths', async (t) => {
  const { get } = await startService(t)
  await get('/api/guess-me?token=guess-me')
  await get('/guess-me')
  const { headers, text } = await get('/actuator/prometheus')
  t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  t.match(text, 'http_server_requests_seconds_count{method="GET",uri="/api/*",status="401"} 1')
  t.notMatch(text, 'guess-me')
})

t.test('metrics are collected at most once a second', async (t) => {
  let ahead = 0
  const { get } = await startService(t, { now: () => ahead })
  const metrics = async () => (await get('/actuator/prometheus')).text
  const first = await metrics()
  await get('/health')
  ahead += METRICS_MAX_AGE - 1
  t.equal(await metrics(), first, 'the same text')
  ahead += 1
  t.match(await metrics(), 'uri="/health"')
  await get('/actuator/info')
  ahead = 0
  t.match(await metrics(), 'uri="/actuator/info"', 'also when the clock was set back')
})

t.test('without storage the process is live but not ready', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { get } = await startService(t, { storage: spy.storage })

  spy.fault = new StorageUnavailable('a fault for the test')
  spy.calls.length = 0
  for (const path of ['/health', '/actuator/health/liveness']) {
    t.same((await get(path)).json, { status: 'UP' }, `${path} does not depend on storage`)
  }
  t.same(spy.calls, [], 'liveness makes no call')
  const down = await get('/actuator/health/readiness')
  t.equal(down.status, 503)
  t.match(down.json, { status: 'DOWN' })
  t.same(spy.calls, ['probe'])
  const aggregate = await get('/actuator/health')
  t.equal(aggregate.status, 503)
  t.same(aggregate.json, { status: 'DOWN', groups: ['liveness', 'readiness'] })

  spy.fault = undefined
  t.equal((await get('/actuator/health/readiness')).status, 200, 'ready again')
  t.equal((await get('/actuator/health')).status, 200)
})

t.test('if the signing keys could not be read for too long, the process is not ready', async (t) => {
  let ahead = 0
  const { get } = await startService(t, { now: () => Date.now() + ahead })
  t.equal((await get('/actuator/health/readiness')).status, 200)
  ahead = 301_000
  t.equal((await get('/actuator/health/readiness')).status, 503)
  t.equal((await get('/.well-known/jwks.json')).status, 503, 'no key set is published')
  t.equal((await get('/health')).status, 200)
})
