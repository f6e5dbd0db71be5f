import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { LastOutcomes } from '../core/last-outcomes.ts'
import type { Log } from '../core/log.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { Sealer } from '../keys/sealer.ts'
import type { Storage } from '../storage/storage.ts'

/** What rooms that add ways to sign in work with. */
export interface MethodParts {
  readonly settings: Settings
  readonly storage: Storage
  readonly sealer: Sealer
  readonly keys: Pick<KeyRing, 'notBefore'>
  readonly log: Log
  readonly report: ReportEvent
  /** What last came of asking third parties. */
  readonly outcomes: LastOutcomes
  /** Milliseconds since 1970. */
  readonly now: () => number
}
