import { EventEmitter } from 'node:events'
import t from 'tap'
import type { Order, WorkerReport } from '../../../workers/messages.ts'
import { MetricsPool } from '../../../workers/metrics-pool.ts'
import { until } from '../../support/until.ts'

/** A worker that has counted some requests, and answers the pool unless it hangs. */
class FakeWorker extends EventEmitter {
  readonly pages: string[] = []
  asked = 0
  requests: number
  hangs = false

  constructor(requests: number) {
    super()
    this.requests = requests
  }

  send(order: Order): boolean {
    if (order.kind === 'page') this.pages.push(order.text)
    if (order.kind === 'count' && !this.hangs) queueMicrotask(() => this.count())
    if (order.kind === 'count') this.asked++
    return true
  }

  count() {
    const [help, type] = ['# HELP requests_total Requests', '# TYPE requests_total counter']
    const gauge = '# HELP heap Heap\n# TYPE heap gauge\nheap 1\n'
    this.report({ kind: 'counted', text: `${help}\n${type}\nrequests_total ${this.requests}\n\n${gauge}` })
  }

  report(report: WorkerReport) {
    this.emit('message', report)
  }

  /** The page that it gets when it asks. */
  async ask(): Promise<string> {
    const before = this.pages.length
    this.report({ kind: 'ask' })
    await until('it has the page', () => this.pages.length > before)
    return this.pages.at(-1) ?? ''
  }
}

function startPool(within?: number) {
  const pool = new MetricsPool(within)
  const workers = [new FakeWorker(5), new FakeWorker(7)] as const
  for (const worker of workers) {
    pool.add(worker)
    worker.report({ kind: 'ready' })
  }
  return { pool, workers }
}

t.test('each worker that asks gets the metrics of all', async (t) => {
  const { workers } = startPool()
  for (const worker of workers) t.match(await worker.ask(), /^requests_total 12\n.*^heap 2$/ms)
})

t.test('a caller who asks while the metrics are collected gets the same page', async (t) => {
  const { workers } = startPool()
  const pages = await Promise.all([...workers, ...workers].map((worker) => worker.ask()))
  t.equal(new Set(pages).size, 1)
  t.same(
    workers.map(({ asked }) => asked),
    [1, 1],
  )
})

t.test('what workers that have ended counted stays, what they used does not', async (t) => {
  const { pool, workers } = startPool()
  const [first, second] = workers
  await first.ask()
  second.emit('exit', null, 'SIGKILL')
  t.match(await first.ask(), /^requests_total 12\n.*^heap 1$/ms)

  const third = new FakeWorker(1)
  pool.add(third)
  t.match(await first.ask(), /^requests_total 12$/m, 'a worker that starts is not waited for')
  third.report({ kind: 'ready' })
  t.match(await first.ask(), /^requests_total 13$/m)
  first.emit('exit', 1, null)
  t.match(await third.ask(), /^requests_total 13$/m)
})

t.test('a worker that hangs or ends does not keep the others waiting', async (t) => {
  const { workers } = startPool(1)
  const [first, second] = workers
  await first.ask()
  second.hangs = true
  second.requests = 100
  first.requests = 6
  t.match(await first.ask(), /^requests_total 13$/m, 'its last known metrics are used')

  const { workers: others } = startPool(2 ** 30)
  others[1].hangs = true
  const page = others[0].ask()
  await until('it was asked', () => others[1].asked === 1)
  others[1].emit('exit', null, 'SIGKILL')
  t.match(await page, /^requests_total 5$/m)
})
