import type { Context } from '../context.ts'
import { StorageUnavailable } from '../storage/errors.ts'

/** Whether to send requests here: no end is near, storage takes a write, and the signing keys are fresh. */
export async function isReady({
  storage,
  keys,
  log,
  drain,
}: Pick<Context, 'storage' | 'keys' | 'log' | 'drain'>): Promise<boolean> {
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
