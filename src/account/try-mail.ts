import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'

/** Makes a mail after the answer to who asked for it: it never rejects. */
export async function tryMail({ log }: { readonly log: Log }, make: () => Promise<void>): Promise<void> {
  try {
    await make()
  } catch (error) {
    // Storage logs why it is unavailable.
    if (!(error instanceof StorageUnavailable)) log.error({ err: error }, 'A mail could not be made.')
  }
}
