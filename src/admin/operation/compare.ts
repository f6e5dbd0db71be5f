import type { Field } from '../../core/field-kinds.ts'
import { type FieldTable, storedText, textOf } from '../../core/field-table.ts'
import { FieldReader, type Hash } from '../../core/record-hash.ts'
import type { Change } from '../../storage/records.ts'

/** A field that differs. `from` and `to` are texts as in the record, empty for none; a secret has neither. */
export interface Difference {
  field: string
  from?: string
  to?: string
}

/** The differences between a stored record and what is declared, and the change that ends them. */
export interface Comparison {
  differences: Difference[]
  set: Record<string, string>
  unset: string[]
}

/**
 * Compares fields of a stored record with those that are declared. A field that is absent has its default.
 * @param names the fields that are compared; those without a place in the table are texts
 */
export function compare(
  table: FieldTable,
  names: readonly string[],
  stored: Hash,
  declared: Hash,
): Comparison {
  const comparison: Comparison = { differences: [], set: {}, unset: [] }
  for (const name of names) {
    const [from, to] = [meaningOf(table, name, stored), meaningOf(table, name, declared)]
    if (from === to) continue
    const field = table[name]
    comparison.differences.push({ field: name, from: shownText(field, from), to: shownText(field, to) })
    if (to === meaningOf(table, name, {})) comparison.unset.push(name)
    else comparison.set[name] = declared[name] ?? to ?? ''
  }
  return comparison
}

/** Returns a change that is made only if the fields it concerns are still as they were read. */
export function guarded(stored: Hash, { set, unset = [] }: Change): Change {
  const names = ['managed_by', ...Object.keys(set), ...unset]
  const expected = names.flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]]]))
  return { set, unset, expected: Object.fromEntries(expected) }
}

/**
 * The text of a field in its usual form; undefined: it is absent, and an empty one would mean something else. A malformed
 * text means itself, so that it differs from every valid one.
 */
function meaningOf(table: FieldTable, name: string, hash: Hash): string | undefined {
  const field = table[name]
  if (field === undefined) return hash[name] ?? ''
  const fields = new FieldReader(hash)
  const value = field.read(fields, name)
  if (fields.problems.length > 0) return hash[name] ?? ''
  return field.empty === undefined ? textOf(field, value ?? field.default) : storedText(field, value)
}

function shownText(field: Field<unknown> | undefined, text: string | undefined): string {
  return text === undefined ? (field?.shown ?? '') : text || (field?.empty ?? '')
}
