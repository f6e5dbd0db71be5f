import type { Config } from '../src/config/config.ts'
import type { ReportEvent } from '../src/core/events.ts'
import type { Storage } from '../src/storage/storage.ts'

/** What a command uses: the opened storage and the configuration. */
export interface CommandContext {
  storage: Storage
  config: Config
  /** Opens the same storage for codes and tokens in the other form of TOKENS_AT_REST. */
  openOtherForm(): Storage
  /** Whether the issuer is only the default: neither ISSUER nor a record of the servers says it. */
  guesses_issuer: boolean
  /** The issuers of servers that disagree, where nothing says which one is meant; absent: there is one, or none. */
  disputed_issuers?: readonly string[]
  /** Logs what the command changed, if it concerns security. */
  report: ReportEvent
  /** Milliseconds since 1970, at this moment: a command may run for minutes. */
  now(): number
}
