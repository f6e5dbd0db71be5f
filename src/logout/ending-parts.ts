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
