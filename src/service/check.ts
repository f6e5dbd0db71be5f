import type { Settings } from '../config/settings.ts'
import type { Storage } from '../storage/storage.ts'

/** What is examined. */
export interface ExaminedInstallation {
  readonly storage: Storage
  readonly settings: Settings
  /** Whether the issuer is only the default: nothing says it. */
  readonly guesses_issuer: boolean
  /** Milliseconds since 1970, at this moment: what is read may take minutes. */
  readonly now: () => number
}
