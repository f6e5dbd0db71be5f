import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { RequestTrace } from '../src/core/spans.ts'
import { traceIdIn } from '../src/core/trace-parent.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace that the request belongs to, for log lines and records; undefined: none. */
    trace_id: string | undefined
    /** The span of the request; undefined: there is no SDK. */
    trace: RequestTrace | undefined
  }
}

/** The status of a request whose connection closed before its answer, as in the logs of nginx. */
const CLOSED = 499

/** Takes part in traces (W3C Trace Context): a request has a trace id in its log lines, and with an SDK spans. */
export default fp(
  async (fastify) => {
    const { telemetry, settings } = fastify.redmint
    const { trace_context } = settings
    if (telemetry === undefined && trace_context === 'off') return
    fastify.decorateRequest('trace_id', undefined)
    fastify.decorateRequest('trace', undefined)
    fastify.addHook('onRequest', (request, reply, done) => {
      // Anybody could demand that a request is sampled, or put it into a trace of others.
      const counts = trace_context === 'all' || (trace_context === 'proxy' && cameByProxy(request))
      const headers = counts ? request.headers : undefined
      request.trace = telemetry?.begin(request.method, headers)
      request.trace_id = request.trace?.trace_id ?? traceIdIn(headers?.traceparent)
      if (request.trace_id !== undefined) logTrace(request, reply, request.trace_id)
      continueIn(request, done)
    })
    if (telemetry === undefined) return
    // What comes after the body was read is in the context of the connection.
    fastify.addHook('preValidation', (request, _reply, done) => continueIn(request, done))
    fastify.addHook('onResponse', async (request, { statusCode }) => endTrace(request, statusCode))
    fastify.addHook('onRequestAbort', async (request) => endTrace(request, CLOSED))
  },
  { name: 'redmint-tracing' },
)

/** Whether a trusted proxy sent the request: Fastify lists more than the peer only behind one. */
const cameByProxy = ({ ips }: FastifyRequest) => (ips?.length ?? 0) > 1

/** What a logger of pino can do, and that of a host application need not. */
interface Bindable {
  setBindings(bindings: object): void
}

function logTrace(request: FastifyRequest, reply: FastifyReply, trace_id: string): void {
  const { log } = request
  // A request has a logger of its own already. Another child costs more than all that the SDK does.
  if (log !== request.server.log && 'setBindings' in log)
    (log as typeof log & Bindable).setBindings({ trace_id })
  else {
    request.log = log.child({ trace_id })
    reply.log = request.log
  }
}

function continueIn({ trace }: FastifyRequest, done: () => void): void {
  if (trace === undefined) done()
  else trace.run(done)
}

// Semantic conventions of HTTP: only a 5xx is a fault of the server.
function endTrace({ trace, routeOptions }: FastifyRequest, status: number): void {
  trace?.end({ status, route: routeOptions.url, is_fault: status >= 500 })
}
