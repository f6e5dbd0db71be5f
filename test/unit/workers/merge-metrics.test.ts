import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import t from 'tap'
import { mergeMetrics, totalsOf } from '../../../workers/merge-metrics.ts'

/** What each process reads from Redis, or has like all others. */
const SHARED = [
  'redmint_ending_queue_length',
  'redmint_mail_queue_length',
  'redmint_mail_request_queue_length',
  'redmint_lockouts',
  'redmint_redis_memory_bytes',
  'redmint_signing_key_rotation_seconds',
  'redmint_build_info',
  'redmint_ready',
]

/** A process that has answered requests in these times, in seconds. */
function processWith(times: Record<string, number[]>, heap: number, lag: number) {
  const registry = new Registry()
  const registers = [registry]
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'CPU time', registers })
  cpu.inc(heap / 100)
  new Gauge({ name: 'nodejs_heap_size_used_bytes', help: 'Heap, \\ used', registers }).set(heap)
  new Gauge({ name: 'nodejs_eventloop_lag_mean_seconds', help: 'Lag', registers }).set(lag)
  const labelNames = ['uri', 'status']
  const buckets = [0.01, 0.1]
  const requests = new Histogram({ name: 'requests_seconds', help: 'Times', labelNames, buckets, registers })
  for (const [uri, seconds] of Object.entries(times)) {
    for (const time of seconds) requests.observe({ uri, status: 200 }, time)
  }
  return registry.metrics()
}

t.test('a page of one process is unchanged', async (t) => {
  const page = await processWith({ '/a b "c"\n\\': [0.001, 5] }, 100, 0.5)
  t.equal(mergeMetrics([page]), page)
  t.equal(mergeMetrics(['', page]), page)
})

t.test(
  'merged metrics are those of one process that did all, with the worst of what is no amount',
  async (t) => {
    const one = await processWith({ '/a': [0.001, 5], '/b': [0.05] }, 100, 0.5)
    const other = await processWith({ '/a': [0.002], '/c': [0.05, 0.06] }, 200, 0.25)
    const both = await processWith({ '/a': [0.001, 5, 0.002], '/b': [0.05], '/c': [0.05, 0.06] }, 300, 0.5)
    t.same(mergeMetrics([one, other]).split('\n').sort(), both.split('\n').sort())
  },
)

t.test('what every process knows of all counts once', async (t) => {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({ name: 'redmint_logout_queue_length', help: 'Queue', registers }).set(7)
  const age = { name: 'redmint_signing_key_age_seconds', help: 'Age', labelNames: ['alg'], registers }
  new Gauge(age).set({ alg: 'ES256' }, 60)
  for (const name of SHARED) new Gauge({ name, help: 'Shared', registers }).set(1)
  const page = await registry.metrics()
  t.equal(mergeMetrics([page, page]), page)
})

t.test('a lag that is no number yet does not hide that of another process', async (t) => {
  const none = await processWith({}, 100, Number.NaN)
  const some = await processWith({}, 100, 0.25)
  for (const pages of [
    [none, some],
    [some, none],
  ]) {
    t.match(mergeMetrics(pages), 'nodejs_eventloop_lag_mean_seconds 0.25\n')
  }
})

t.test('one process that is not ready shows', async (t) => {
  const pages = [1, 0, 1].map(
    (value) => `# HELP redmint_ready Ready\n# TYPE redmint_ready gauge\nredmint_ready ${value}\n`,
  )
  t.match(mergeMetrics(pages), 'redmint_ready 0\n')
})

t.test('passwords that wait in each process are added', async (t) => {
  const page =
    '# HELP redmint_password_queue_length Wait\n# TYPE redmint_password_queue_length gauge\nredmint_password_queue_length 2\n'
  t.match(mergeMetrics([page, page]), 'redmint_password_queue_length 4\n')
})

t.test('of a process that has ended, counters and histograms stay', async (t) => {
  const totals = totalsOf(await processWith({ '/a': [0.001] }, 100, 0.5))
  t.match(totals, 'process_cpu_seconds_total 1\n')
  t.match(totals, 'requests_seconds_bucket{le="+Inf",uri="/a",status="200"} 1\n')
  t.notMatch(totals, 'nodejs_')
  t.equal(totalsOf(''), '')
})
