import type { Hash } from '../src/core/record-hash.ts'
import type { Change } from '../src/storage/records.ts'

/** Returns a record after a change. */
export function applyChange(stored: Hash, { set, unset = [] }: Change): Hash {
  const kept = Object.entries(stored).filter(([field]) => !unset.includes(field))
  return { ...Object.fromEntries(kept), ...set }
}
