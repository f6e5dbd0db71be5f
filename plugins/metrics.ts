import fp from 'fastify-plugin'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

declare module 'fastify' {
  interface FastifyInstance {
    /** All metrics in Prometheus' text format. */
    metrics(): Promise<string>
  }
}

// Shared by all instances in the process.
let processMetrics: Registry | undefined

function processRegistry(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry()
    collectDefaultMetrics({ register: processMetrics })
  }
  return processMetrics
}

/** Counts and times requests by route and status, with the metric name of Spring Boot. */
export default fp(
  async (fastify) => {
    const registry = new Registry()
    const requests = new Histogram({
      name: 'http_server_requests_seconds',
      help: 'Duration of HTTP requests in seconds',
      labelNames: ['method', 'uri', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
      registers: [registry],
    })
    fastify.addHook('onResponse', (request, reply, done) => {
      // The route's pattern, not the path, so that callers cannot create labels.
      const uri = request.routeOptions.url ?? 'unknown'
      requests.observe({ method: request.method, uri, status: reply.statusCode }, reply.elapsedTime / 1000)
      done()
    })
    fastify.decorate('metrics', () => Registry.merge([processRegistry(), registry]).metrics())
  },
  { name: 'redmint-metrics' },
)
