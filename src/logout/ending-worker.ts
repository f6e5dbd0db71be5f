import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { EndingsContext } from './ending-parts.ts'
import { workOffEndings } from './endings.ts'

// In milliseconds: how often a server looks for work that no event announced.
const POLL = 5000

/**
 * Ends in the background what operators ended at once by a mark. All replicas share the work. When it closes, it stops after
 * the part that is under way; another replica does the rest.
 */
export class EndingWorker extends PollingWorker {
  readonly closes_early = true

  /** @param notify called after each part: notices may have been queued */
  constructor(context: EndingsContext, notify: () => void) {
    super(
      async () => {
        try {
          await workOffEndings(context, () => {
            notify()
            return !this.closed
          })
        } catch (error) {
          // What is unfinished is due again when its lease is over.
          if (error instanceof StorageUnavailable) return
          context.log.error({ err: error }, 'Something that was ended could not be cleared away.')
        }
      },
      () => POLL,
    )
  }
}
