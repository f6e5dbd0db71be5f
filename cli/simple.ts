import type { APPLICATIONS } from '../src/admin/applications/applications.ts'
import type { DETAIL_TYPES } from '../src/admin/details/detail-types.ts'
import type { ISSUERS } from '../src/admin/issuers/issuers.ts'
import { givenToJson } from '../src/admin/operation/record-json.ts'
import type { PROVIDERS } from '../src/admin/providers/providers.ts'
import type { RESOURCES } from '../src/admin/resources/resources.ts'
import { APPLICATION_FIELDS } from '../src/applications/application-fields.ts'
import type { FieldTable } from '../src/core/field-table.ts'
import type { FieldProblem, Hash } from '../src/core/record-hash.ts'
import { DETAIL_TYPE_FIELDS } from '../src/details/detail-type-fields.ts'
import { ISSUER_FIELDS } from '../src/issuers/issuer-fields.ts'
import { PROVIDER_FIELDS } from '../src/providers/provider-fields.ts'
import { RESOURCE_FIELDS } from '../src/resources/resource-fields.ts'
import { type Calls, wholeList } from './calls.ts'
import { type FindFlag, queryOf } from './command.ts'
import { problemsIn, type RecordAnswer, storedForm } from './from-answer.ts'

/** A kind of plain record. */
export type AnySimple =
  | typeof RESOURCES
  | typeof DETAIL_TYPES
  | typeof ISSUERS
  | typeof APPLICATIONS
  | typeof PROVIDERS

/** What commands know of such a type: the member of its answers that names a record, and its fields. */
export interface Simple {
  readonly id: AnySimple['id']
  readonly table: FieldTable
}

export const RESOURCE = { id: 'resource', table: RESOURCE_FIELDS } as const satisfies Simple
export const DETAIL_TYPE = { id: 'detail_type', table: DETAIL_TYPE_FIELDS } as const satisfies Simple
export const ISSUER = { id: 'issuer', table: ISSUER_FIELDS } as const satisfies Simple
export const APPLICATION = { id: 'application', table: APPLICATION_FIELDS } as const satisfies Simple
export const PROVIDER = { id: 'provider', table: PROVIDER_FIELDS } as const satisfies Simple

/** A record of a simple type in an answer. */
export interface SimpleRecord {
  readonly id: string
  /** Its fields, as storage has them. */
  readonly hash: Hash
  /** Why servers refuse it; absent: they do not. */
  readonly problems?: FieldProblem[] | undefined
}

/** The fields that a change sets, as storage writes them, and those that it removes. */
export interface SimpleChange {
  readonly set: Hash
  readonly unset?: readonly string[]
}

/** Returns the records of a simple type, sorted by id or best first, how many there are, and whether some may be missing. */
export async function allSimple(calls: Calls, type: Simple, flags: FindFlag) {
  const { items, of, ...indexing } = await wholeList(calls, `list_${type.id}s`, queryOf(flags))
  return { records: items.map((item) => recordIn(type, item)), of, indexing }
}

/** Reads a record. @throws AdminError `not_found` */
export async function simpleNamed({ call }: Calls, type: Simple, name: string): Promise<SimpleRecord> {
  return recordIn(type, await call(`read_${type.id}`, { params: pathOf(type, name) }))
}

/** Registers a record. @param secret what a provider gave redmint @throws AdminError `exists`, or `invalid_field` */
export async function addSimple(
  { call }: Calls,
  type: Simple,
  name: string,
  given: Hash,
  secret?: string,
): Promise<SimpleRecord> {
  const fields = givenToJson(type.table, given)
  const body = { ...fields, [type.id]: name, ...(secret !== undefined && { client_secret: secret }) }
  return recordIn(type, await call(`create_${type.id}`, { body }))
}

/** Changes a record. @throws AdminError `not_found`, `invalid_field` or `stale` */
export async function changeSimpleNamed(
  { call }: Calls,
  type: Simple,
  name: string,
  { set, unset = [] }: SimpleChange,
): Promise<SimpleRecord> {
  const body = { ...givenToJson(type.table, set), ...Object.fromEntries(unset.map((field) => [field, null])) }
  return recordIn(type, await call(`change_${type.id}`, { params: pathOf(type, name), body }))
}

/** Removes a record, and returns its id. @throws AdminError `not_found` or `stale` */
export async function removeSimpleNamed({ call }: Calls, type: Simple, name: string): Promise<string> {
  const answer = await call(`delete_${type.id}`, { params: pathOf(type, name) })
  return recordIn(type, answer).id
}

/** Returns the parameter that names a record in the paths of operations. */
export const pathOf = ({ id }: Pick<Simple, 'id'>, name: string) =>
  ({ [id]: name }) as Record<AnySimple['id'], string>

function recordIn({ id, table }: Simple, answer: RecordAnswer): SimpleRecord {
  return { id: String(answer[id]), hash: storedForm(table, answer), problems: problemsIn(answer) }
}
