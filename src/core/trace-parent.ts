// W3C Trace Context §3.2: version, trace id, parent id and flags. Later versions may have more fields.
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/** Returns the trace id of a header `traceparent`; undefined if it has none. */
export function traceIdIn(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACE_PARENT.exec(traceparent)?.[1] : undefined
}
