import type { EventEmitter } from 'node:events'
import type { Passwords } from './accounts/passwords.ts'
import type { ClientRegistry } from './clients/client-registry.ts'
import type { FailureLimit } from './clients/failure-limit.ts'
import type { Settings } from './config/config.ts'
import type { Log } from './core/log.ts'
import type { KeyRing } from './keys/ring.ts'
import type { Storage } from './storage/storage.ts'

/** What the protocol works with; made once when the service starts. */
export interface Context {
  readonly settings: Settings
  readonly storage: Storage
  readonly clients: ClientRegistry
  readonly failures: FailureLimit
  readonly passwords: Passwords
  readonly keys: KeyRing
  /** Says that notices of a logout were queued here, so that nobody has to look first. */
  readonly logouts: EventEmitter<{ queued: [] }>
  readonly log: Log
  /** Aborted when the process is told to stop. */
  readonly drain: AbortSignal | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}
