import type { Log } from '../core/log.ts'
import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { PublishedLists } from './published.ts'
import type { ListWriter } from './writer.ts'

/** How often the lists are written and looked for, in milliseconds. */
export interface ListTiming {
  readonly written_every: number
  readonly read_every: number
}

/**
 * With LIST_TTL, an API knows 25 seconds after the end of a token, and some for the way, that it ended: the rest of the 30
 * seconds is for the look at the tokens, and for servers that end while they write.
 */
export const LIST_TIMING: ListTiming = { written_every: 8000, read_every: 2000 }

/** Writes and reads the status lists while the server runs. */
export class ListWorker extends PollingWorker {
  readonly closes_early = true

  constructor(writer: ListWriter, published: PublishedLists, log: Log, { read_every }: ListTiming) {
    super(
      async () => {
        try {
          await writer.write()
          await published.read()
        } catch (error) {
          // Storage logs the cause itself, and APIs refuse the tokens of a list that is too old.
          if (error instanceof StorageUnavailable) return
          log.error({ err: error }, 'The status lists could not be written.')
        }
      },
      () => read_every,
    )
  }
}
