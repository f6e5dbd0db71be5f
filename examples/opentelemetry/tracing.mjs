// Starts the SDK before redmint: node --import ./tracing.mjs. The standard variables of OpenTelemetry configure it, such as
// OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and OTEL_BSP_SCHEDULE_DELAY.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

process.env.OTEL_SERVICE_NAME ??= 'redmint'

const exporter = new OTLPTraceExporter()
const send = exporter.export.bind(exporter)
let is_said = false
// Spans that the collector does not take are lost, and nothing waits for it. It is said once, until it takes some again.
exporter.export = (spans, done) =>
  send(spans, (result) => {
    const { error } = result
    if (error !== undefined && !is_said) console.error(`Spans are lost: ${error.message}`)
    is_said = error !== undefined
    done(result)
  })

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
provider.register()

// The last spans leave before the process ends.
process.once('beforeExit', () => provider.shutdown())
