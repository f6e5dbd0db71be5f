import fp from 'fastify-plugin'
import { collectorOf } from './registered-metrics.ts'
import { RequestHistogram } from './request-histogram.ts'

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

/** Counts and times requests by route and status. */
export default fp<MetricsOptions>(
  async (fastify, { gather }) => {
    const requests = new RequestHistogram()
    fastify.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
      requests.observe(method, routeOptions.url ?? 'unknown', statusCode, elapsedTime / 1000)
      done()
    })
    let collector: ReturnType<typeof collectorOf> | undefined
    const own = async () => {
      collector ??= collectorOf(fastify.redmint, requests.metric)
      return (await collector)()
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
