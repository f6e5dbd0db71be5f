import fp from 'fastify-plugin'
import type { Context } from '../src/context.ts'
import { RequestTimes } from './request-times.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** All metrics in Prometheus' text format, at most METRICS_MAX_AGE milliseconds old. */
    metrics(): Promise<Buffer>
  }
}

export interface MetricsOptions {
  /** Makes a function that gathers the metrics of several processes, of which this one's are `own`; absent: there is one. */
  gather?: (own: () => Promise<string>) => () => Promise<string>
}

/** Milliseconds in which metrics are not collected again, so that requests for them cost little. */
export const METRICS_MAX_AGE = 1000

// prom-client takes a tenth of the time of a start: the first request for metrics loads it. Not in the plugin below,
// because tsc leaves the path of an import() in an exported expression as it is.
async function register(context: Context) {
  const { collectorOf } = await import('./registered-metrics.ts')
  return collectorOf(context)
}

/** Counts and times requests by route and status, with the metric name of Spring Boot. */
export default fp<MetricsOptions>(
  async (fastify, { gather }) => {
    const times = new RequestTimes()
    fastify.addHook('onResponse', (request, reply, done) => {
      const uri = request.routeOptions.url ?? 'unknown'
      times.observe(request.method, uri, reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
    let registered: ReturnType<typeof register> | undefined
    const own = async () => {
      registered ??= register(fastify.redmint)
      const collect = await registered
      return `${await collect()}\n${times.text()}`
    }
    const collect = gather?.(own) ?? own
    const { now } = fastify.redmint
    let last: { at: number; text: Promise<Buffer> } | undefined
    fastify.decorate('metrics', () => {
      const at = now()
      // A clock may also be set back.
      if (last === undefined || Math.abs(at - last.at) >= METRICS_MAX_AGE) {
        last = { at, text: collect().then((text) => Buffer.from(text)) }
      }
      return last.text
    })
  },
  { name: 'redmint-metrics', dependencies: ['redmint-context'] },
)
