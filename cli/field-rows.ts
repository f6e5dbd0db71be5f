import type { Field } from '../src/core/field-kinds.ts'
import { type FieldTable, storedText, textOf } from '../src/core/field-table.ts'

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
  if (!field.required && storedText(field, value) === undefined) {
    return field.shown === undefined ? [] : [[name, field.shown]]
  }
  const text = textOf(field, value)
  if (text === '' && field.empty !== undefined) return [[name, field.empty]]
  if (field.layout !== 'uris' && field.layout !== 'names') return [[name, field.reads?.(text) ?? text]]
  return text.split(' ').map((entry, index) => [index === 0 ? name : '', entry])
}
