import { Histogram, Registry } from 'prom-client'
import t from 'tap'
import { RequestTimes } from '../../plugins/request-times.ts'

t.test('requests are counted as the histogram of prom-client counts them', async (t) => {
  const registry = new Registry()
  const reference = new Histogram({
    name: 'http_server_requests_seconds',
    help: 'Duration of HTTP requests in seconds',
    labelNames: ['method', 'uri', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers: [registry],
  })
  const times = new RequestTimes()
  t.equal(times.text(), await registry.metrics(), 'without requests')
  const places = [
    ['GET', '/health', 200],
    ['POST', '/oauth2/token', 200],
    ['POST', '/oauth2/token', 401],
    ['GET', String.raw`/of-a-host/:id(^[\d"]+$)`, 200],
    ['GET', 'two\nlines', 404],
  ] as const
  for (const seconds of [0, 0.0004, 0.001, 0.0011, 0.25, 0.9999, 1, 1.5, 70]) {
    for (const [method, uri, status] of places) {
      times.observe(method, uri, status, seconds)
      reference.observe({ method, uri, status }, seconds)
    }
  }
  t.equal(times.text(), await registry.metrics())
})
