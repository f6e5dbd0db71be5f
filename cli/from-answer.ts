import { fromJson } from '../src/admin/operation/record-json.ts'
import { type FieldTable, parseFields, type RecordOf } from '../src/core/field-table.ts'
import { isObject } from '../src/core/json.ts'
import type { FieldProblem, Hash, Parsed } from '../src/core/record-hash.ts'

/** A record in an answer of the API. */
export type RecordAnswer = Readonly<Record<string, unknown>>

/** Returns the fields of a record in an answer as storage has them, so that reports read both alike. */
export function storedForm(table: FieldTable, answer: RecordAnswer): Hash {
  // Of a malformed record, an answer has the fields as they are stored.
  if (answer.state === 'malformed' && isObject(answer.fields)) return { ...(answer.fields as Hash) }
  const fields = Object.entries(answer).filter(([name]) => Object.hasOwn(table, name))
  return fromJson(table, Object.keys(table), Object.fromEntries(fields)).set
}

/**
 * Returns a record as reports show it: with the defaults of the fields that it lacks, or with why servers refuse it.
 * @param problems why they do, as the answer has it
 */
export const shownRecord = <Table extends FieldTable>(
  table: Table,
  hash: Hash,
  problems: FieldProblem[] | undefined,
): Parsed<RecordOf<Table>> => (problems === undefined ? parseFields(table, hash) : { ok: false, problems })

/** Returns the problems of a malformed record in an answer; undefined: it is not malformed. */
export function problemsIn({ state, problems }: RecordAnswer): FieldProblem[] | undefined {
  if (state !== 'malformed' || !Array.isArray(problems)) return undefined
  return problems.filter(isObject).map(({ field, detail }) => problemOf(String(field), String(detail)))
}

/** Returns a problem from its field and a text that names the field. */
export function problemOf(field: string, detail: string): FieldProblem {
  return { field, problem: detail.startsWith(field) ? detail.slice(field.length).trimStart() : detail }
}
