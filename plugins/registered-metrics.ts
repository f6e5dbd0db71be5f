import { setTimeout as pause } from 'node:timers/promises'
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Context } from '../src/context.ts'
import { registerServiceMetrics } from './service-metrics.ts'

/** Milliseconds within which the timer of prom-client that samples the delay of the event loop has run again. */
const SAMPLE_MS = 20

// Shared by all instances in the process.
let processMetrics: Promise<Registry> | undefined

/**
 * Registers the metrics of the process, and of a service. Returns a function that collects their text with
 * `requests`.
 */
export async function collectorOf(context: Context, requests: Metric): Promise<() => Promise<string>> {
  processMetrics ??= registerProcessMetrics()
  const registry = new Registry()
  registry.registerMetric(requests)
  registerServiceMetrics(registry, context)
  const all = Registry.merge([await processMetrics, registry])
  return () => all.metrics()
}

async function registerProcessMetrics(): Promise<Registry> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // When it runs for the second time, there is a first sample; without one the lag would be NaN.
  await pause(SAMPLE_MS)
  await pause(SAMPLE_MS)
  return registry
}
