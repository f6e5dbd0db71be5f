import { isDeepStrictEqual } from 'node:util'
import { type Static, type TObject, type TProperties, type TUnsafe, Type } from '@sinclair/typebox'
import type { FieldTable } from '../../core/field-table.ts'
import { describeProblem, type Hash } from '../../core/record-hash.ts'
import type { Change, ReadableKind } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { applyChange } from './apply-change.ts'
import { misfitProblem } from './misfit.ts'
import { AdminError, invalidField } from './problem.ts'
import { fromJson, type RecordJson, recordSchema, toJson } from './record-json.ts'

const STATES = ['active', 'disabled', 'demo', 'malformed'] as const

/** What any record that operators see may say of its state. */
interface RecordState {
  readonly disabled?: boolean
  readonly demo?: boolean
}

/** A kind of record, and which of its fields operators see and set. */
export interface RecordType<
  Table extends FieldTable = FieldTable,
  Id extends string = string,
  T extends RecordState = RecordState,
> {
  /** As in "There is no client". */
  readonly name: string
  readonly kind: ReadableKind<T>
  readonly table: Table
  /** The field with the id of the record. */
  readonly id: Id
  /** The fields that only redmint sets. */
  readonly read_only: readonly string[]
}

/** Returns the fields that come out: all but digests of secrets, and secrets that are sealed. */
export function shownFields({ table }: Pick<RecordType, 'table'>): string[] {
  return Object.keys(table).filter((name) => !/_(hash|sealed)$/.test(name))
}

/** Returns the fields that a request may set. */
export function givenFields({
  table,
  id,
  read_only,
}: Pick<RecordType, 'table' | 'id' | 'read_only'>): string[] {
  return shownFields({ table }).filter((name) => name !== id && !read_only.includes(name))
}

/**
 * Returns the schema of a record in requests. What only redmint sets may be given as it was read.
 * @param more further members
 */
export function bodySchema(type: RecordType, more: TProperties = {}): TObject {
  const { properties } = shownSchema(type)
  return Type.Partial(Type.Object({ ...properties, ...more }, { additionalProperties: false }))
}

/** Returns the schema of a record in requests as a whole, which may say what declares it. @param more as of bodySchema */
export const wholeSchema = (type: RecordType, more: TProperties = {}): TObject =>
  bodySchema(type, { managed_by: Type.String({ description: LABEL }), ...more })

const LABEL = 'the label of the file that declares it; absent: it stays'

/** A record as answers have it. */
export type RecordBody<Table, Id extends string, More = unknown> = RecordJson<Table> & {
  readonly [Name in Id]: string
} & Static<TObject<typeof STATE>> &
  More

/**
 * Returns the schema of a record in answers.
 * @param more further members
 */
export function answerSchema<
  Table extends FieldTable,
  Id extends string,
  T extends RecordState,
  More extends TProperties = Record<never, never>,
>(type: RecordType<Table, Id, T>, more?: More): TUnsafe<RecordBody<Table, Id, Static<TObject<More>>>> {
  return Type.Unsafe(shownSchema(type, more))
}

function shownSchema(type: Pick<RecordType, 'table' | 'id' | 'read_only'>, more: TProperties = {}): TObject {
  const read_only = Object.fromEntries(
    Object.entries(recordSchema(type.table, type.read_only).properties).map(([name, schema]) => {
      return [name, { ...schema, readOnly: true }]
    }),
  )
  return Type.Object(
    {
      [type.id]: Type.String(),
      ...recordSchema(type.table, givenFields(type)).properties,
      ...read_only,
      ...STATE,
      ...more,
    },
    { additionalProperties: false },
  )
}

const STATE = {
  state: Type.String({
    enum: [...STATES],
    readOnly: true,
    description: '`malformed`: servers refuse it, `problems` says why, and `fields` has what is stored',
  }),
  problems: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), detail: Type.String() }), { readOnly: true }),
  ),
  fields: Type.Optional(Type.Record(Type.String(), Type.String(), { readOnly: true })),
}

/**
 * Returns a record as answers have it; undefined: its key is not a hash.
 * @param more further members of one that is not malformed
 */
export function describeRecord<
  Table extends FieldTable,
  Id extends string,
  T extends RecordState,
  More = unknown,
>(
  type: RecordType<Table, Id, T>,
  id: string,
  stored: Hash | undefined,
  more?: (record: T, stored: Hash) => More,
): RecordBody<Table, Id, Partial<More>> {
  return describedAs(type, id, stored, more) as RecordBody<Table, Id, Partial<More>>
}

function describedAs<T extends RecordState>(
  type: RecordType<FieldTable, string, T>,
  id: string,
  stored: Hash | undefined,
  more?: (record: T, stored: Hash) => unknown,
): object {
  const parsed = stored === undefined ? undefined : type.kind.parse(stored, id)
  if (stored !== undefined && parsed?.ok) {
    const { disabled, demo } = parsed.record
    const state = disabled ? 'disabled' : demo ? 'demo' : 'active'
    const described = toJson(type.table, shownFields(type), stored)
    const others = more?.(parsed.record, stored) as object | undefined
    return { ...described, [type.id]: stored[type.id] || id, state, ...others }
  }
  const problems = parsed?.ok === false ? parsed.problems : [misfitProblem(type.id)]
  const shown = shownFields(type).filter((name) => Object.hasOwn(stored ?? {}, name))
  return {
    [type.id]: id,
    state: 'malformed' satisfies (typeof STATES)[number],
    problems: problems.map((problem) => ({ field: problem.field, detail: describeProblem(problem) })),
    fields: Object.fromEntries(shown.map((name) => [name, stored?.[name] ?? ''])),
  }
}

/**
 * Reads the fields that a request gives: those to set, as they are stored, and those to remove.
 * @param described the record as an answer would have it; members that only redmint sets must be the same
 * @param stored the record that they are a merge patch of; absent: they are the whole record
 * @throws AdminError `unknown_field` or `invalid_field`
 */
export function readGiven(
  type: RecordType,
  given: Readonly<Record<string, unknown>>,
  described: Readonly<Record<string, unknown>>,
  stored?: Hash,
): { set: Record<string, string>; unset: string[] } {
  const own = [type.id, ...type.read_only, ...Object.keys(described), ...Object.keys(STATE)]
  const names = givenFields(type)
  const wanted = Object.entries(given).filter(([name, value]) => {
    if (names.includes(name) || !own.includes(name)) return true
    if (isDeepStrictEqual(value, described[name])) return false
    const detail = `${name} ${name === type.id ? 'never changes' : 'cannot be set: redmint sets it'}`
    throw invalidField(name, detail)
  })
  return fromJson(type.table, names, Object.fromEntries(wanted), stored)
}

/** Parts what a request gives of a whole record from the label of the file that declares it. */
export function labelOf({ managed_by, ...fields }: Readonly<Record<string, unknown>>) {
  const label: Hash = typeof managed_by === 'string' ? { managed_by } : {}
  return { label, fields }
}

/**
 * Changes a record that is still as it was read, in every field.
 * @returns the record as it is stored now
 * @throws AdminError `stale`
 */
export async function changeRead(
  { records }: RecordStore,
  { kind, name }: RecordType,
  id: string,
  stored: Hash,
  change: Change,
): Promise<Hash> {
  const changes = Object.keys(change.set).length + (change.unset ?? []).length > 0
  const guarded = { ...change, expected: stored, whole: true } as const
  if (changes && (await records.change(kind, id, guarded)) === 'missing') {
    throw new AdminError('stale', `The ${name} "${id}" was changed at the same time.`)
  }
  return changes ? applyChange(stored, change, kind) : stored
}
