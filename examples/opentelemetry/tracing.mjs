// Starts the SDK before redmint: node --import ./tracing.mjs. The standard variables of OpenTelemetry configure it, such as
// OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and OTEL_BSP_SCHEDULE_DELAY.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

process.env.OTEL_SERVICE_NAME ??= 'redmint'

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
provider.register()

// The last spans leave before the process ends.
process.once('beforeExit', () => provider.shutdown())
