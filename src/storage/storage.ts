import type { Changes } from './changes.ts'
import type { Counters } from './counters.ts'
import type { TokenFamilies } from './families.ts'
import type { Queue } from './queue.ts'
import type { Records } from './records.ts'
import type { SigningKeyStore } from './signing-keys.ts'

/** Whatever works on records alone. */
export type RecordStore = Pick<Storage, 'records'>

/**
 * What redmint keeps, in parts. A call is one atomic step unless it says otherwise: it happens whole or not at all, and
 * calls at the same moment behave as if one ran after the other. Times to live are set in the same step as the record.
 */
export interface Storage {
  /** Where this storage is, for the line at start-up: "memory", "Redis at host:port". Holds no password. */
  readonly description: string
  readonly records: Records
  readonly changes: Changes
  readonly families: TokenFamilies
  readonly queue: Queue
  readonly counters: Counters
  readonly signing_keys: SigningKeyStore
  /** Resolves if storage can be written to; throws StorageUnavailable if not. */
  probe(): Promise<void>
  /** Ends the connections. Calls afterwards throw StorageUnavailable. */
  close(): Promise<void>
}
