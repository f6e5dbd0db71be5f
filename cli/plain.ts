import type { ISSUERS } from '../src/admin/issuers/issuers.ts'
import { givenToJson } from '../src/admin/operation/record-json.ts'
import type { PROVIDERS } from '../src/admin/providers/providers.ts'
import type { RESOURCES } from '../src/admin/resources/resources.ts'
import type { FieldProblem, Hash } from '../src/core/record-hash.ts'
import { type Calls, wholeList } from './calls.ts'
import { problemsIn, type RecordAnswer, storedForm } from './from-answer.ts'

/** A kind of plain record. */
export type AnyPlain = typeof RESOURCES | typeof ISSUERS | typeof PROVIDERS

/** A record of a plain noun in an answer. */
export interface PlainRecord {
  readonly id: string
  /** Its fields, as storage has them. */
  readonly hash: Hash
  /** Why servers refuse it; absent: they do not. */
  readonly problems?: FieldProblem[] | undefined
}

/** The fields that a change sets, as storage writes them, and those that it removes. */
export interface PlainChange {
  readonly set: Hash
  readonly unset?: readonly string[]
}

/** Returns the records of a plain noun, sorted by their ids, and whether some may be missing. */
export async function allPlain(calls: Calls, noun: AnyPlain) {
  const { items, ...indexing } = await wholeList(calls, `list_${noun.id}s`, {})
  return { records: items.map((item) => recordIn(noun, item)), indexing }
}

/** Reads a record. @throws AdminError `not_found` */
export async function plainNamed({ call }: Calls, noun: AnyPlain, name: string): Promise<PlainRecord> {
  return recordIn(noun, await call(`read_${noun.id}`, { params: pathOf(noun, name) }))
}

/** Registers a record. @throws AdminError `exists`, or `invalid_field` */
export async function addPlain(
  { call }: Calls,
  noun: AnyPlain,
  name: string,
  given: Hash,
): Promise<PlainRecord> {
  const body = { ...givenToJson(noun.table, given), [noun.id]: name }
  return recordIn(noun, await call(`create_${noun.id}`, { body }))
}

/** Changes a record. @throws AdminError `not_found`, `invalid_field` or `stale` */
export async function changePlainNamed(
  { call }: Calls,
  noun: AnyPlain,
  name: string,
  { set, unset = [] }: PlainChange,
): Promise<PlainRecord> {
  const body = { ...givenToJson(noun.table, set), ...Object.fromEntries(unset.map((field) => [field, null])) }
  return recordIn(noun, await call(`change_${noun.id}`, { params: pathOf(noun, name), body }))
}

/** Removes a record, and returns its id. @throws AdminError `not_found` or `stale` */
export async function removePlainNamed({ call }: Calls, noun: AnyPlain, name: string): Promise<string> {
  const answer = await call(`delete_${noun.id}`, { params: pathOf(noun, name) })
  return recordIn(noun, answer).id
}

/** Returns the parameter that names a record in the paths of operations. */
export const pathOf = ({ id }: AnyPlain, name: string) => ({ [id]: name }) as Record<AnyPlain['id'], string>

function recordIn({ id, table }: AnyPlain, answer: RecordAnswer): PlainRecord {
  return { id: String(answer[id]), hash: storedForm(table, answer), problems: problemsIn(answer) }
}
