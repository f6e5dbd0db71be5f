import type { AuditEntries } from '../core/audit-entries.ts'
import type { Hash } from '../core/record-hash.ts'

/** One hash that all replicas share, such as the signing keys by kid. Each call throws StorageUnavailable. */
export interface SharedHash {
  /** Returns the fields; empty before the first start. */
  read(): Promise<Hash>
  /** Returns the time by the clock that all replicas share, in milliseconds since 1970. */
  now(): Promise<number>
  /**
   * Replaces all fields if they still equal `expected`; returns false if another replica changed them first.
   * @param told what the audit trail says of it, in the same step
   */
  replace(expected: Hash, next: Hash, told?: AuditEntries): Promise<boolean>
}
