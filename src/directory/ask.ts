import { directoryAway } from '../core/errors.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import type { Asker } from '../users/fair-queue.ts'
import type { Directory } from './directory.ts'
import { DirectoryFailure, faultOf } from './failure.ts'

/**
 * Works with the directory for somebody who signs in.
 * @throws OAuthError `temporarily_unavailable` (503) if it is of no use, or too many wait; an error of `work`
 */
export async function ask<T>(
  directory: Directory,
  { log, outcomes, now }: Pick<MethodParts, 'log' | 'outcomes' | 'now'>,
  asker: Asker,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await directory.inTurn(work, asker)
    outcomes.recovered({ party: 'directory' }, now())
    return result
  } catch (error) {
    if (!(error instanceof DirectoryFailure)) throw error
    const { problem, detail } = error
    log.warn({ problem, detail }, 'The directory cannot be used: see redmint directory test.')
    throw directoryAway(error, faultOf(error))
  }
}
