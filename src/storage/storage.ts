import type { TokensAtRest } from '../config/environment.ts'
import type { BoundedLists } from './bounded-lists.ts'
import type { Changes } from './changes.ts'
import type { Counters } from './counters.ts'
import type { EvidenceStore } from './evidence.ts'
import type { ExaminedServer } from './examined-server.ts'
import type { TokenFamilies } from './families.ts'
import type { Lists } from './lists.ts'
import type { NotedJwts } from './noted-jwts.ts'
import type { Outboxes } from './outboxes.ts'
import type { Queue } from './queue.ts'
import type { Records } from './records.ts'
import type { Registrations } from './registrations.ts'
import type { SharedHash } from './shared-hash.ts'
import type { SignIns } from './sign-ins.ts'
import type { Trail } from './trail.ts'

/** The part of the storage that has the records. */
export type RecordStore = Pick<Storage, 'records'>

/** How often storage was asked for one thing, and the seconds until it had answered or failed, in all. */
export interface Timing {
  calls: number
  seconds: number
}

/** The memory of the server that has the least room. */
export interface Memory {
  /** In bytes. */
  readonly used: number
  /** In bytes; 0: it has no limit. */
  readonly max: number
}

/**
 * The storage of redmint, in memory or in Redis. A call is one atomic step unless its description says otherwise:
 * concurrent calls behave as if one ran after the other. Times to live are set in the same step as the record.
 */
export interface Storage {
  /** Where the data is, for the log: "memory", "Redis at host:port". It contains no password. */
  readonly description: string
  /** In which form it keeps codes and tokens. */
  readonly tokens_at_rest: TokensAtRest
  readonly records: Records
  readonly changes: Changes
  readonly families: TokenFamilies
  readonly lists: Lists
  readonly queue: Queue
  readonly outboxes: Outboxes
  readonly counters: Counters
  readonly registrations: Registrations
  readonly sign_ins: SignIns
  readonly bounded: BoundedLists
  readonly evidence: EvidenceStore
  readonly trail: Trail
  readonly noted_jwts: NotedJwts
  /** Records of signing keys by kid. */
  readonly signing_keys: SharedHash
  /** Records of sealing keys by kid. They are not with the signing keys, which are published. */
  readonly sealing_keys: SharedHash
  /** The status lists, and how far their bits are given out. */
  readonly status_lists: SharedHash
  /** How long the server of the storage took, by what it was asked for; absent: there is no server. */
  readonly timings?: Readonly<Record<string, Readonly<Timing>>>
  /** Returns the memory of the fullest server; absent: there is none. Throws StorageUnavailable, or if it is not said. */
  memory?(): Promise<Memory>
  /** Looks at each server with keys, by connections of its own; absent: there is none. `now`: in milliseconds since 1970. */
  examine?(now: () => number): Promise<ExaminedServer[]>
  /** Whether another server takes over when one fails; absent: there is none. */
  readonly fails_over?: boolean
  /** Resolves if storage can be written to; throws StorageUnavailable if not. */
  probe(): Promise<void>
  /** Closes the connections. Later calls throw StorageUnavailable. */
  close(): Promise<void>
}
