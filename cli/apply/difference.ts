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
    .filter(({ field, from, to }) => textIn(table[field], from) !== textIn(table[field], to))
    .map(({ field, from, to }) => ({
      field,
      from: shownIn(table[field], from),
      to: shownIn(table[field], to),
    }))
    .sort((one, other) => names.indexOf(one.field) - names.indexOf(other.field))
}

/** Returns a value as the record has it; undefined: it is absent, and an empty one would mean something else. */
function textIn(field: Field<unknown> | undefined, value: unknown): string | undefined {
  if (field === undefined) return String(value ?? '')
  if (value === undefined) return field.empty === undefined ? textOf(field, field.default) : undefined
  const read = field.fromJson(value)
  return 'text' in read ? read.text : String(value)
}

function shownIn(field: Field<unknown> | undefined, value: unknown): string {
  const text = textIn(field, value)
  return text === undefined ? (field?.shown ?? '') : text || (field?.empty ?? '')
}
