import { setTracing, type Tracing } from '../core/spans.ts'
import type { Storage } from '../storage/storage.ts'

/** What the service needs to make spans; empty if nobody would get them. */
export interface LoadedTracing {
  readonly telemetry?: Tracing
  readonly trace_storage?: (storage: Storage) => Storage
}

/** Where an SDK of OpenTelemetry registers itself for every copy of version 1 of the API. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

/**
 * Turns spans on if the operator started an SDK in this process before redmint; without one, nothing is loaded.
 */
export async function loadTracing(): Promise<LoadedTracing> {
  const registered = (globalThis as { [REGISTRY]?: { readonly trace?: unknown } })[REGISTRY]
  if (registered?.trace === undefined) return {}
  const [{ openTelemetry }, { tracedStorage }] = await Promise.all([
    import('./open-telemetry.ts'),
    import('./traced-storage.ts'),
  ])
  const telemetry = await openTelemetry()
  setTracing(telemetry)
  return { telemetry, trace_storage: tracedStorage }
}
