import type { Hash } from '../src/core/record-hash.ts'
import type { Change } from '../src/storage/storage.ts'

/** Returns a record as it is after a change. */
export function applyChange(stored: Hash, { set, unset }: Change): Hash {
  const left = Object.entries(stored).filter(([field]) => !unset.includes(field))
  return { ...Object.fromEntries(left), ...set }
}
