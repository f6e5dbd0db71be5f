import type { Metric, MetricValueWithName } from 'prom-client'
import { RequestTimes, TIME_BUCKETS } from '../src/service/request-times.ts'

type Value = MetricValueWithName<string>

/** The metric name of Spring Boot. */
const NAME = 'http_server_requests_seconds'
const HELP = 'Duration of HTTP requests in seconds'

/**
 * Times requests by route, method and status. prom-client's histogram makes a name of the labels for each request;
 * here it reads what was counted when metrics are collected.
 */
export class RequestHistogram {
  // They change with new routes, not with requests.
  readonly #series = new Map<string, Map<string, Map<number, RequestTimes>>>()

  /** @param uri the pattern of the route, not the path, so that callers cannot create labels */
  observe(method: string, uri: string, status: number, seconds: number): void {
    const times = this.#series.get(uri)?.get(method)?.get(status) ?? this.#add(method, uri, status)
    times.note(seconds)
  }

  /** Returns the histogram as prom-client's registry collects it. */
  get metric(): Metric {
    const get = async () => ({ name: NAME, help: HELP, type: 'histogram', values: [...this.#values()] })
    // A registry asks a metric for its name and its values only; the type names prom-client's own classes.
    return { name: NAME, get } as unknown as Metric
  }

  #add(method: string, uri: string, status: number): RequestTimes {
    const of_route = this.#series.get(uri) ?? new Map<string, Map<number, RequestTimes>>()
    const of_method = of_route.get(method) ?? new Map<number, RequestTimes>()
    const times = new RequestTimes()
    this.#series.set(uri, of_route.set(method, of_method.set(status, times)))
    return times
  }

  *#values() {
    for (const [uri, of_route] of this.#series)
      for (const [method, of_method] of of_route)
        for (const [status, times] of of_method) yield* valuesOf(times, { method, uri, status })
  }
}

// Buckets of Prometheus contain those before them.
function* valuesOf({ counts, sum }: RequestTimes, labels: Value['labels']): Generator<Value> {
  let value = 0
  for (const [bucket, added] of counts.entries()) {
    value += added
    const le = TIME_BUCKETS[bucket] ?? '+Inf'
    yield { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value }
  }
  yield { metricName: `${NAME}_sum`, labels, value: sum }
  yield { metricName: `${NAME}_count`, labels, value }
}
