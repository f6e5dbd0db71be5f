import type { Field } from '../src/core/field-kinds.ts'
import { type FieldTable, textOf } from '../src/core/field-table.ts'

type Row = readonly [name: string, value: string]

/**
 * Returns the fields of a record as names and values to print. Omits fields with the default value, unless the table has
 * a text for it.
 * @param own rows that replace those of the table, by field
 */
export function fieldRows(table: FieldTable, record: object, own: Readonly<Record<string, Row>>): Row[] {
  const values = new Map<string, unknown>(Object.entries(record))
  return Object.entries(table).flatMap(([name, field]) => {
    const row = own[name]
    return row === undefined ? rowsOf(name, field, values.get(name)) : [row]
  })
}

function rowsOf(name: string, field: Field<unknown>, value: unknown): Row[] {
  const text = textOf(field, value)
  if (!field.required && (text === '' || text === textOf(field, field.default))) {
    return field.shown === undefined ? [] : [[name, field.shown]]
  }
  if (field.layout !== 'uris') return [[name, text]]
  return text.split(' ').map((uri, index) => [index === 0 ? name : '', uri])
}
