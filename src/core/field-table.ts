import type { Field } from './field-kinds.ts'
import { type FieldProblem, FieldReader, type Hash, type Parsed } from './record-hash.ts'

/** The fields of one kind of record by name, in the order in which they are shown. */
export type FieldTable = Readonly<Record<string, Field<unknown>>>

type Value<Entry> = Entry extends Field<infer T> ? T : never
type NamesWith<Table, Option> = {
  [Name in keyof Table]: Table[Name] extends Option ? Name : never
}[keyof Table]
type Pair<Table, Required extends keyof Table> = { readonly [Name in Required]: Value<Table[Name]> } & {
  readonly [Name in Exclude<keyof Table, Required>]?: Value<Table[Name]>
}
type HasValue = { readonly required: true } | { readonly default: unknown }
type MustBeGiven = { readonly required: true } | { readonly always: true; readonly default: unknown }

/** A parsed record: fields are optional unless they are required or have a default. */
export type RecordOf<Table extends FieldTable> = Pair<Table, NamesWith<Table, HasValue>>

/** A record to write: fields with a default may be left out, unless they are always written. */
export type DefinitionOf<Table extends FieldTable> = Pair<Table, NamesWith<Table, MustBeGiven>>

/**
 * Parses a record. Reports all problems, in the order of the table.
 * @param check reports problems that concern several fields; it gets the fields that could be read
 */
export function parseFields<Table extends FieldTable>(
  table: Table,
  hash: Hash,
  check: (values: Partial<RecordOf<Table>>, fields: FieldReader) => void = () => {},
): Parsed<RecordOf<Table>> {
  const fields = new FieldReader(hash)
  const values: [string, unknown][] = []
  for (const [name, field] of Object.entries(table)) {
    if (field.required) fields.required(name)
    const value = field.read(fields, name) ?? field.default
    if (value !== undefined) values.push([name, value])
  }
  const record = Object.fromEntries(values) as RecordOf<Table>
  check(record, fields)
  if (fields.problems.length === 0) return { ok: true, record }
  return { ok: false, problems: inOrderOf(Object.keys(table), fields.problems) }
}

function inOrderOf(names: readonly string[], problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.toSorted((a, b) => names.indexOf(a.field) - names.indexOf(b.field))
}

/** Formats a record for storage. Empty fields and defaults are left out, unless they are always written. */
export function formatFields<Table extends FieldTable>(table: Table, record: DefinitionOf<Table>): Hash {
  const values = new Map<string, unknown>(Object.entries(record))
  const hash: Record<string, string> = {}
  for (const [name, field] of Object.entries(table)) {
    const value = values.get(name)
    const text = storedText(field, value)
    if (text !== undefined) hash[name] = text
    else if (field.required || field.always) hash[name] = textOf(field, value)
  }
  return hash
}

/** Returns the text of a field's value as it is stored; undefined if an absent field means the same. */
export function storedText(field: Field<unknown>, value: unknown): string | undefined {
  const text = textOf(field, value)
  if (field.empty !== undefined) return value === undefined ? undefined : text
  return text === '' || text === textOf(field, field.default) ? undefined : text
}

/** Returns the text of a field's value; empty if the value is undefined. */
export function textOf(field: Field<unknown>, value: unknown): string {
  return value === undefined ? '' : field.format(value)
}
