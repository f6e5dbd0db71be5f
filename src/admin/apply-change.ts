import type { Hash } from '../core/record-hash.ts'
import type { Change } from '../storage/records.ts'

/** Returns a record after a change. */
export function applyChange(stored: Hash, { set, unset = [] }: Change): Hash {
  const kept = Object.entries(stored).filter(([field]) => !unset.includes(field))
  return { ...Object.fromEntries(kept), ...set }
}

/**
 * Returns the names of the fields that differ between two states of a record, in alphabetical order. An empty field reads
 * as an absent one.
 */
export function changedFields(former: Hash, present: Hash): string[] {
  const names = new Set([...Object.keys(former), ...Object.keys(present)])
  return [...names].filter((name) => (former[name] ?? '') !== (present[name] ?? '')).sort()
}
