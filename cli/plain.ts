import { givenToJson } from '../src/admin/operation/record-json.ts'
import type { PlainNoun } from '../src/admin/plain/plain-noun.ts'
import type { FieldProblem, Hash } from '../src/core/record-hash.ts'
import type { Change } from '../src/storage/records.ts'
import { type Calls, wholeList } from './calls.ts'
import { problemsIn, type RecordAnswer, storedForm } from './from-answer.ts'

/** A record of a plain noun in an answer. */
export interface PlainRecord {
  readonly id: string
  /** Its fields, as storage has them. */
  readonly hash: Hash
  /** Why servers refuse it; absent: they do not. */
  readonly problems?: FieldProblem[] | undefined
}

/** Returns the records of a plain noun, sorted by their ids, and whether some may be missing. */
export async function allPlain(calls: Calls, noun: PlainNoun) {
  const { items, ...indexing } = await wholeList<RecordAnswer>(calls, `list_${noun.id}s`)
  return { records: items.map((item) => recordIn(noun, item)), indexing }
}

/** Reads a record. @throws AdminError `not_found` */
export async function plainNamed({ call }: Calls, noun: PlainNoun, name: string): Promise<PlainRecord> {
  return recordIn(noun, await call(`read_${noun.id}`, { params: { [noun.id]: name } }))
}

/** Registers a record. @throws AdminError `exists`, or `invalid_field` */
export async function addPlain(
  { call }: Calls,
  noun: PlainNoun,
  name: string,
  given: Hash,
): Promise<PlainRecord> {
  const body = { ...givenToJson(noun.table, given), [noun.id]: name }
  return recordIn(noun, await call(`create_${noun.id}`, { body }))
}

/** Changes a record. @throws AdminError `not_found`, `invalid_field` or `stale` */
export async function changePlainNamed(
  { call }: Calls,
  noun: PlainNoun,
  name: string,
  { set, unset = [] }: Pick<Change, 'set' | 'unset'>,
): Promise<PlainRecord> {
  const body = { ...givenToJson(noun.table, set), ...Object.fromEntries(unset.map((field) => [field, null])) }
  return recordIn(noun, await call(`change_${noun.id}`, { params: { [noun.id]: name }, body }))
}

/** Removes a record, and returns its id. @throws AdminError `not_found` or `stale` */
export async function removePlainNamed({ call }: Calls, noun: PlainNoun, name: string): Promise<string> {
  const answer = await call<RecordAnswer>(`delete_${noun.id}`, { params: { [noun.id]: name } })
  return String(answer[noun.id])
}

function recordIn({ id, table }: PlainNoun, answer: RecordAnswer): PlainRecord {
  return { id: String(answer[id]), hash: storedForm(table, answer), problems: problemsIn(answer) }
}
