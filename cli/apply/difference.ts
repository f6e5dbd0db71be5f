import type { FieldDifference } from '../../src/admin/operation/difference.ts'
import type { Field } from '../../src/core/field-kinds.ts'
import { type FieldTable, textOf } from '../../src/core/field-table.ts'

/** A field that differs. `from` and `to` are texts as in the record, empty for none; a secret has neither. */
export interface Difference {
  readonly field: string
  readonly from?: string
  readonly to?: string
}

/** Returns differences as texts of the record, in the order of its fields. A default is no difference. */
export function shownDifferences(table: FieldTable, difference: readonly FieldDifference[]): Difference[] {
  const names = Object.keys(table)
  return difference
    .map(({ field, from, to }) => ({
      field,
      from: textIn(table[field], from),
      to: textIn(table[field], to),
    }))
    .filter(({ from, to }) => from !== to)
    .sort((one, other) => names.indexOf(one.field) - names.indexOf(other.field))
}

function textIn(field: Field<unknown> | undefined, value: unknown): string {
  if (field === undefined) return String(value ?? '')
  if (value === undefined)
    return field.empty === undefined ? textOf(field, field.default) : (field.shown ?? '')
  const read = field.fromJson(value)
  return ('text' in read ? read.text : String(value)) || (field.empty ?? '')
}
