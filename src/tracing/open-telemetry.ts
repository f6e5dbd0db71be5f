import type { Context, Span, TextMapGetter, Tracer } from '@opentelemetry/api'
import type { RequestTrace, SpanAttributes, Tracing } from '../core/spans.ts'
import { VERSION } from '../core/version.ts'

/** Returns what makes spans with the SDK that the operator started. */
export async function openTelemetry(): Promise<Tracing> {
  const api = await import('@opentelemetry/api')
  const tracer = api.trace.getTracer('redmint', VERSION)
  const inSpan = <T>(name: string, attributes: SpanAttributes, work: () => T): T => {
    // Of what is not sampled no part is, and a span that nobody gets costs as much as one that somebody gets.
    if (api.trace.getActiveSpan()?.isRecording() === false) return work()
    return tracer.startActiveSpan(name, { attributes, kind: kindOf(api, attributes) }, (span) =>
      ended(span, api, work),
    )
  }
  return {
    inSpan,
    bind: (work) => api.context.bind(api.context.active(), work),
    headers() {
      const headers: Record<string, string> = {}
      api.propagation.inject(api.context.active(), headers)
      return headers
    },
    begin(method, headers) {
      const parent =
        headers === undefined ? api.ROOT_CONTEXT : api.propagation.extract(api.ROOT_CONTEXT, headers, TEXTS)
      return requestTrace(api, tracer, method, parent)
    },
  }
}

type Api = typeof import('@opentelemetry/api')

function requestTrace(api: Api, tracer: Tracer, method: string, parent: Context): RequestTrace {
  const attributes = { 'http.request.method': method }
  const span = tracer.startSpan(method, { kind: api.SpanKind.SERVER, attributes }, parent)
  const own = api.trace.setSpan(parent, span)
  return {
    trace_id: span.spanContext().traceId,
    run: (work) => api.context.with(own, work),
    end({ status, route, is_fault }) {
      if (route !== undefined) {
        span.updateName(`${method} ${route}`)
        span.setAttribute('http.route', route)
      }
      span.setAttribute('http.response.status_code', status)
      if (is_fault) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Runs work and ends its span. Of an error the span has the name alone: a message may have what a person typed. */
function ended<T>(span: Span, api: Api, work: () => T): T {
  const fail = (error: unknown): never => {
    span.setStatus({ code: api.SpanStatusCode.ERROR })
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
    span.end()
    throw error
  }
  try {
    const result = work()
    if (!(result instanceof Promise)) {
      span.end()
      return result
    }
    return result.then((value) => {
      span.end()
      return value
    }, fail) as T
  } catch (error) {
    return fail(error)
  }
}

// Semantic conventions: a call of a database or of another server has the kind of a client.
function kindOf({ SpanKind }: Api, attributes: SpanAttributes) {
  const is_call = 'db.system.name' in attributes || 'server.address' in attributes
  return is_call ? SpanKind.CLIENT : SpanKind.INTERNAL
}

/** Reads headers; one that is repeated does not count. */
const TEXTS: TextMapGetter<Readonly<Record<string, unknown>>> = {
  keys: (headers) => Object.keys(headers),
  get(headers, name) {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  },
}
