import type { ReportEvent } from '../core/events.ts'
import type { EndingContext } from '../sessions/end-session.ts'
import type { Storage } from '../storage/storage.ts'

/** What it takes to end things. */
export interface EndingsContext extends EndingContext {
  readonly storage: EndingContext['storage'] & Pick<Storage, 'lists' | 'sign_ins'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** So many records are read and ended at a time. */
export const PART = 100

/**
 * Does the parts of a list one after the other. Yields after each.
 * @param end does the part that begins after an entry, and returns where the next one begins
 */
export async function* eachPart(
  end: (after: string | undefined) => Promise<string | undefined>,
): AsyncGenerator<void> {
  let after: string | undefined
  do {
    after = await end(after)
    yield
  } while (after !== undefined)
}
