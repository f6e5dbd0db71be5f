import type { FieldTable } from '../core/field-table.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Change } from '../storage/records.ts'

/** Returns a record after a change. */
export function applyChange(stored: Hash, { set, unset = [] }: Change): Hash {
  const kept = Object.entries(stored).filter(([field]) => !unset.includes(field))
  return { ...Object.fromEntries(kept), ...set }
}

/**
 * Returns the names of the fields that differ between two states of a record, in alphabetical order. An empty field reads
 * as an absent one, unless the table says otherwise.
 */
export function changedFields(former: Hash, present: Hash, table: FieldTable = {}): string[] {
  const names = new Set([...Object.keys(former), ...Object.keys(present)])
  const textIn = (hash: Hash, name: string) =>
    hash[name] ?? (table[name]?.empty === undefined ? '' : undefined)
  return [...names].filter((name) => textIn(former, name) !== textIn(present, name)).sort()
}
