import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Field } from '../../core/field-kinds.ts'
import { type FieldTable, textOf } from '../../core/field-table.ts'
import { isObject, parseObject } from '../../core/json.ts'
import { nearestName } from '../../core/nearest.ts'
import { FieldReader, type Hash } from '../../core/record-hash.ts'
import { AdminError, invalidField, invalidFields } from './problem.ts'

const Text = Type.String()

type JsonOf<One> = One extends { readonly json: 'object' }
  ? Readonly<Record<string, unknown>>
  : One extends Field<infer Value>
    ? Value
    : never

/** The fields of a record as JSON has them: all but digests of secrets, and secrets that are sealed. */
export type RecordJson<Table> = {
  readonly [Name in keyof Table as Name extends `${string}_${'hash' | 'sealed'}` ? never : Name]?: JsonOf<
    Table[Name]
  >
}

function schemaOf({ json, choices, label: title, docs: description }: Field<unknown>): TSchema {
  const said = { title, description }
  const choice = choices === undefined ? Text : Type.String({ enum: [...choices] })
  if (json === 'strings') return Type.Array(choice, said)
  if (json === 'boolean') return Type.Boolean(said)
  if (json === 'integer') return Type.Integer(said)
  if (json === 'object') return Type.Object({}, { additionalProperties: true, ...said })
  return { ...choice, ...said }
}

/**
 * Returns the schema of a record with these fields, all of them optional and none else.
 * @param names the fields that it has
 */
export function recordSchema(table: FieldTable, names: readonly string[]): TObject {
  const properties = names.flatMap((name) => {
    const field = table[name]
    return field === undefined ? [] : [[name, Type.Optional(schemaOf(field))] as const]
  })
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false })
}

/** Returns the fields of a stored record as JSON. A field that is malformed is the text that is stored. */
export function toJson(table: FieldTable, names: readonly string[], stored: Hash): Record<string, unknown> {
  const members = names.flatMap((name) => {
    const field = table[name]
    if (field === undefined || stored[name] === undefined) return []
    const fields = new FieldReader(stored)
    const value = field.read(fields, name)
    if (fields.problems.length > 0) return [[name, stored[name]]]
    if (field.json === 'object') return [[name, objectOf(value) ?? {}]]
    return [[name, value ?? (field.json === 'strings' ? [] : '')]]
  })
  return Object.fromEntries(members)
}

/**
 * Returns given fields as the API takes them.
 * @param given the fields, as storage writes them
 * @throws AdminError `invalid_field`
 */
export function givenToJson(table: FieldTable, given: Hash): Record<string, unknown> {
  const fields = new FieldReader(given)
  const names = Object.keys(given).filter((name) => given[name] !== '')
  for (const name of names) table[name]?.read(fields, name)
  if (fields.problems.length > 0) throw invalidFields(fields.problems)
  return toJson(table, Object.keys(given), given)
}

/** Returns the object that a field has, as such or as text. */
function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'string' ? parseObject(value) : isObject(value) ? value : undefined
}

/** Returns a value with the changes of a merge patch (RFC 7396 §2). */
export function merged(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(isObject(value) ? Object.entries(value) : [])
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, merged(members.get(name), change))
  }
  return Object.fromEntries(members)
}

/** Returns the merge patch that makes one value another (RFC 7396 §2). */
export function patchOf(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return to
  const lost = Object.keys(from).filter((name) => !Object.hasOwn(to, name))
  const kept = Object.entries(to).map(([name, value]) => [name, patchOf(from[name], value)])
  return Object.fromEntries([...lost.map((name) => [name, null]), ...kept])
}

/**
 * Reads fields of a record in JSON: those to set, as they are stored, and those to remove, which are null.
 * @param stored the record that they are a merge patch of (RFC 7396): members of its objects that are not given stay
 * @throws AdminError `unknown_field` or `invalid_field`
 */
export function fromJson(
  table: FieldTable,
  names: readonly string[],
  given: Readonly<Record<string, unknown>>,
  stored?: Hash,
): { set: Record<string, string>; unset: string[] } {
  const set: Record<string, string> = {}
  const unset: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const field = names.includes(name) ? table[name] : undefined
    if (field === undefined) throw unknownField(name, names)
    if (value === null) {
      unset.push(name)
      continue
    }
    const is_patch = field.json === 'object' && stored !== undefined
    const read = field.fromJson(is_patch ? merged(objectOf(stored[name]), value) : value)
    if ('problem' in read) throw invalidField(name, `${name} ${read.problem}`)
    if (read.text === '' && field.empty === undefined && textOf(field, field.default) === '') unset.push(name)
    else set[name] = read.text
  }
  return { set, unset }
}

function unknownField(name: string, names: readonly string[]): AdminError {
  const nearest = nearestName(name, names)
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
  const detail = `${name} is not a field${hint}`
  return new AdminError('unknown_field', detail, [{ field: name, detail }])
}
