import type { Hash } from '../core/record-hash.ts'

/** The set of signing keys that all replicas share: key records by kid. Each call throws StorageUnavailable. */
export interface SigningKeyStore {
  /** Empty before the first start. */
  read(): Promise<Hash>
  /** Replaces the whole set if it still is `expected`; false if another replica was faster. */
  replace(expected: Hash, next: Hash): Promise<boolean>
}
