// A collector of OpenTelemetry on loopback: keeps the spans that it receives by OTLP over HTTP, in JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

/** A span as it was exported. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly Attribute[]
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
  }[]
}

/** Starts a collector. `spans` and `received`, all bodies as text, grow. */
export async function startCollector(t: Test) {
  const spans: CollectedSpan[] = []
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push(body)
    const { resourceSpans } = JSON.parse(body) as Exported
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, received }
}
