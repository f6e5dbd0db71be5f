import type { FieldTable } from '../../core/field-table.ts'
import type { Hash } from '../../core/record-hash.ts'
import { changedFields } from './apply-change.ts'
import { toJson } from './record-json.ts'

/** A field that differs, with both values in JSON. A secret has neither, and its name is not that of its digest. */
export interface FieldDifference {
  readonly field: string
  readonly from?: unknown
  readonly to?: unknown
}

/**
 * Returns what differs between two states of a record.
 * @param shown the fields whose values are shown
 */
export function differenceOf(
  table: FieldTable,
  shown: readonly string[],
  former: Hash,
  present: Hash,
): FieldDifference[] {
  const [from, to] = [former, present].map((hash) => new Map(Object.entries(toJson(table, shown, hash))))
  return changedFields(former, present, table).map((field) => ({
    field: field.replace(/_(hash|sealed)$/, ''),
    ...(from?.has(field) && { from: from.get(field) }),
    ...(to?.has(field) && { to: to.get(field) }),
  }))
}
