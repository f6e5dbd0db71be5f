import type { Context } from './context.ts'
import { StorageUnavailable } from './storage/storage.ts'

/** Whether requests can be served now: storage takes a write, and the signing keys are fresh. */
export async function isReady({
  storage,
  keys,
  log,
}: Pick<Context, 'storage' | 'keys' | 'log'>): Promise<boolean> {
  try {
    await storage.probe()
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn({ err: error }, 'Not ready: storage does not answer.')
    return false
  }
  return keys.fresh
}
