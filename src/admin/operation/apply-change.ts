import type { FieldTable } from '../../core/field-table.ts'
import type { Hash } from '../../core/record-hash.ts'
import { type Change, countOf, type KindName } from '../../storage/records.ts'

/** Returns a record after a change. @param kind absent: nothing is counted */
export function applyChange(stored: Hash, change: Change, kind?: KindName): Hash {
  const { set, unset = [] } = change
  const kept = Object.entries(stored).filter(([field]) => !unset.includes(field))
  return { ...Object.fromEntries(kept), ...set, ...(kind && countOf(kind, stored, change)) }
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
