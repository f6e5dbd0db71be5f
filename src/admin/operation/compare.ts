import { type FieldTable, storedText, textOf } from '../../core/field-table.ts'
import { FieldReader, type Hash } from '../../core/record-hash.ts'

/** The change that makes a stored record what is declared. */
interface Comparison {
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
  const comparison: Comparison = { set: {}, unset: [] }
  for (const name of names) {
    const [from, to] = [meaningOf(table, name, stored), meaningOf(table, name, declared)]
    if (from === to) continue
    if (to === meaningOf(table, name, {})) comparison.unset.push(name)
    else comparison.set[name] = declared[name] ?? to ?? ''
  }
  return comparison
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
