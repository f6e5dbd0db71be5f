// Spans of a trace, for the rooms that do what an operator wants to see in one. Only src/tracing/ knows OpenTelemetry. A
// trace belongs to the process, as the SDK does, and so do these functions.

/** What a span says besides its name. Names are of the semantic conventions of OpenTelemetry; no value is of a request. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** How a request is traced. */
export interface RequestTrace {
  readonly trace_id: string
  /** Continues the request in its span. */
  run(work: () => void): void
  /** Ends the span. `status` is that of the answer; `route` the path as it was registered. */
  end(answer: {
    readonly status: number
    readonly route: string | undefined
    readonly is_fault: boolean
  }): void
}

/** What makes spans. */
export interface Tracing {
  /** Begins the span of a request. `headers`: those of a caller whose trace is continued; absent: a trace of its own. */
  begin(method: string, headers?: Readonly<Record<string, unknown>>): RequestTrace
  /** Runs work in a span, which ends with it. */
  inSpan<T>(name: string, attributes: SpanAttributes, work: () => T): T
  /** Returns work that belongs to the present span, wherever it is called. */
  bind<T>(work: () => T): () => T
  /** Returns the headers that tell another server of the present span (W3C Trace Context). */
  headers(): Readonly<Record<string, string>>
}

let tracing: Tracing | undefined

/** Turns spans on; undefined: off. */
export function setTracing(given: Tracing | undefined): void {
  tracing = given
}

/** Runs work in a span, if there is tracing. The span ends with the promise of the work, if it returns one. */
export function inSpan<T>(name: string, attributes: SpanAttributes, work: () => T): T {
  return tracing === undefined ? work() : tracing.inSpan(name, attributes, work)
}

/** Runs a request to another server in a span, which has its host and nothing else of its address. */
export function fetchSpan<T>(method: string, { hostname }: URL, work: () => T): T {
  return inSpan(method, { 'http.request.method': method, 'server.address': hostname }, work)
}

/** Returns work that belongs to the present span: it waits for another request, which calls it. */
export function keepSpan<T>(work: () => T): () => T {
  return tracing === undefined ? work : tracing.bind(work)
}

/**
 * Returns the headers for a request to another server, so that its spans belong to the same trace; empty without
 * tracing.
 */
export function traceHeaders(): Readonly<Record<string, string>> {
  return tracing === undefined ? {} : tracing.headers()
}
