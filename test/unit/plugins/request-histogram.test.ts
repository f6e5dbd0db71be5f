import { Histogram, Registry } from 'prom-client'
import t from 'tap'
import { RequestHistogram } from '../../../plugins/request-histogram.ts'
import { TIME_BUCKETS } from '../../../src/service/request-times.ts'

t.test('requests are told as the histogram of prom-client tells them', async (t) => {
  const theirs = new Registry()
  const histogram = new Histogram({
    name: 'http_server_requests_seconds',
    help: 'Duration of HTTP requests in seconds',
    labelNames: ['method', 'uri', 'status'],
    buckets: [...TIME_BUCKETS],
    registers: [theirs],
  })
  const requests = new RequestHistogram()
  const registry = new Registry()
  registry.registerMetric(requests.metric)
  t.equal(await registry.metrics(), await theirs.metrics(), 'before the first')
  const all: [method: string, uri: string, status: number, seconds: number][] = [
    ['POST', '/oauth2/token', 200, 0.0004],
    ['POST', '/oauth2/token', 200, 0.001],
    ['POST', '/oauth2/token', 400, 0.0011],
    ['GET', '/oauth2/token', 405, 1],
    ['GET', 'a "quoted" \\ route', 200, 1.5],
  ]
  for (const [method, uri, status, seconds] of all) {
    requests.observe(method, uri, status, seconds)
    histogram.observe({ method, uri, status }, seconds)
  }
  const lines = async (of: Registry) => (await of.metrics()).split('\n').map(sorted).sort()
  t.strictSame(await lines(registry), await lines(theirs))
})

/** A line of a metric with its labels in the order of their names. */
function sorted(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`)
}
