import type { Hash } from '../core/record-hash.ts'

/** The signing keys that all replicas share: key records by kid. Each call throws StorageUnavailable. */
export interface SigningKeyStore {
  /** Returns the key records; empty before the first start. */
  read(): Promise<Hash>
  /** Replaces all keys if they still equal `expected`; returns false if another replica changed them first. */
  replace(expected: Hash, next: Hash): Promise<boolean>
}
