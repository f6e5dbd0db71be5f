import { type Static, Type } from '@sinclair/typebox'
import type { Settings } from '../config/settings.ts'
import { nodeNotice } from '../core/node-floor.ts'
import { VERSION } from '../core/version.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { Sealer } from '../keys/sealer.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'

const status = Type.Unsafe<'UP' | 'DOWN'>({ type: 'string', enum: ['UP', 'DOWN'] })

/** The body of a health check, in the format of Spring Boot Actuator. */
export const Status = Type.Object({ status }, { $id: 'redmint:Status', description: 'A health check' })
export type Status = Static<typeof Status>

/** The same for readiness. */
export const Readiness = Type.Object(
  {
    status,
    notice: Type.Optional(
      Type.String({ description: 'What an operator should change although requests can be served' }),
    ),
  },
  { $id: 'redmint:Readiness', description: 'Whether requests can be served' },
)
export type Readiness = Static<typeof Readiness>

/** The body of the aggregate health check, with the names of the checks below its path. */
export const Health = Type.Object(
  { status, groups: Type.Array(Type.String()) },
  { $id: 'redmint:Health', description: 'The aggregate of all health checks' },
)
export type Health = Static<typeof Health>

/** The name and version of the service. */
export const Info = Type.Object(
  { app: Type.Object({ name: Type.String(), version: Type.String() }) },
  { $id: 'redmint:Info', description: 'Name and version' },
)
export type Info = Static<typeof Info>

interface HealthContext {
  readonly storage: Pick<Storage, 'probe'>
  readonly settings: Pick<Settings, 'access_token_alg'>
  readonly keys: Pick<KeyRing, 'fresh' | 'awaitsFirstKey'>
  readonly sealer: Pick<Sealer, 'fresh'>
  /** Aborted when the process gets the signal to stop. */
  readonly drain: AbortSignal | undefined
}

const NODE_NOTICE = nodeNotice(process.versions.node)

/** What readiness needs of others than the process itself. */
export type ReadinessCheck = 'storage' | 'keys'

/** Returns `UP`: a process that answers is live. Storage does not matter, because a restart would not repair it. */
export function liveness(): Status {
  return { status: 'UP' }
}

/**
 * Returns `UP` if the process is not stopping, storage accepts a write, the shared keys are up to date, and the first
 * key of ACCESS_TOKEN_ALG is there.
 */
export async function readiness(context: HealthContext): Promise<Status> {
  return { status: (await isReady(context)) ? 'UP' : 'DOWN' }
}

/** Returns the same with what is wrong with the version of Node, which makes no process unready: for operators alone. */
export async function readinessForOperators(
  context: HealthContext,
  notice: string | undefined = NODE_NOTICE,
): Promise<Readiness> {
  const found = await readiness(context)
  return notice === undefined ? found : { ...found, notice }
}

/** Returns whether each check of readiness holds. A process that is stopping is not ready, whatever they say. */
export async function readinessChecks({
  settings,
  storage,
  keys,
  sealer,
}: Omit<HealthContext, 'drain'>): Promise<Record<ReadinessCheck, boolean>> {
  return {
    storage: await isWritable(storage),
    keys: keys.fresh && !keys.awaitsFirstKey(settings.access_token_alg) && sealer.fresh,
  }
}

/** Returns the aggregate of liveness and readiness. */
export async function health(context: HealthContext): Promise<Health> {
  const statuses = [liveness(), await readiness(context)]
  const status = statuses.every(({ status }) => status === 'UP') ? 'UP' : 'DOWN'
  return { status, groups: ['liveness', 'readiness'] }
}

/** Returns the name and version of the service. */
export function info(): Info {
  return { app: { name: 'redmint', version: VERSION } }
}

async function isReady(context: HealthContext): Promise<boolean> {
  if (context.drain?.aborted) return false
  return Object.values(await readinessChecks(context)).every(Boolean)
}

async function isWritable(storage: HealthContext['storage']): Promise<boolean> {
  try {
    await storage.probe()
    return true
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    // Storage logs the cause itself, and when it is over.
    return false
  }
}
