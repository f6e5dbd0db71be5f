import type { Log } from '../core/log.ts'
import type { KeyRing } from '../keys/ring.ts'
import { type Storage, StorageUnavailable } from '../storage/storage.ts'

interface ReadinessContext {
  readonly storage: Pick<Storage, 'probe'>
  readonly keys: Pick<KeyRing, 'fresh'>
  readonly log: Log
  readonly drain: AbortSignal | undefined
}

/** Whether to send requests here: the process is not stopping, storage takes a write, and the signing keys are fresh. */
export async function isReady({ storage, keys, log, drain }: ReadinessContext): Promise<boolean> {
  if (drain?.aborted) return false
  try {
    await storage.probe()
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn({ err: error }, 'Not ready: storage does not answer.')
    return false
  }
  return keys.fresh
}
