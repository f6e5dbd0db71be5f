import type { Asker } from '../accounts/fair-queue.ts'
import { directoryAway } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Directory } from './directory.ts'
import { DirectoryFailure, faultOf } from './failure.ts'

/**
 * Works with the directory for somebody who signs in.
 * @throws OAuthError `temporarily_unavailable` (503) if it is of no use, or too many wait; an error of `work`
 */
export async function ask<T>(
  directory: Directory,
  log: Log,
  asker: Asker,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await directory.inTurn(work, asker)
  } catch (error) {
    if (!(error instanceof DirectoryFailure)) throw error
    const { problem, detail } = error
    log.warn({ problem, detail }, 'The directory cannot be used: see redmint directory test.')
    throw directoryAway(error, faultOf(error))
  }
}
