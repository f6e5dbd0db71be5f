import { context, propagation, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import type { Test } from 'tap'
import { setTracing } from '../../src/core/spans.ts'

/**
 * Starts the real SDK in this process until the test ends, and returns where its spans are. The SDK belongs to the process,
 * and another test file in it starts its own.
 */
export function recordSpans(t: Test, sampler?: Sampler): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  new NodeTracerProvider({ spanProcessors, ...(sampler && { sampler }) }).register()
  t.teardown(() => {
    setTracing(undefined)
    for (const api of [trace, context, propagation]) api.disable()
  })
  return exporter
}
