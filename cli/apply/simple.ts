import type { Difference } from '../../src/admin/operation/compare.ts'
import type { FieldDifference } from '../../src/admin/operation/difference.ts'
import { AdminError } from '../../src/admin/operation/problem.ts'
import { givenToJson } from '../../src/admin/operation/record-json.ts'
import type { Field, FieldText } from '../../src/core/field-kinds.ts'
import { type FieldTable, textOf } from '../../src/core/field-table.ts'
import { isObject } from '../../src/core/json.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { Calls } from '../calls.ts'
import { fieldText } from '../errors.ts'
import { membersOf } from '../file-members.ts'
import type { RecordAnswer } from '../from-answer.ts'
import type { EntryProblems } from '../import.ts'
import { type AnySimple, allSimple, pathOf } from '../simple.ts'
import { type ApplyStep, type Ownership, ownershipProblem } from './step.ts'

/** A record of a simple type in a file. */
export interface SimpleEntry {
  /** The place in the file, as EntryProblems has it. */
  readonly index: number
  /** As storage names the record. */
  readonly id: string
  /** The fields in the file, as storage writes them. */
  readonly set: Hash
  /** The secret to which the file refers; absent: that of the record stays. */
  readonly client_secret?: string
}

/**
 * Reads records of a simple type, each with its place. Adds the problems of entries that cannot be read to `problems`.
 * @param article "a resource"
 * @param readSecret reads the secret to which an entry refers; absent: it has none
 */
export function readSimpleEntries(
  values: Iterable<[number, unknown]>,
  problems: EntryProblems,
  type: AnySimple,
  article: string,
  readSecret?: (given: unknown) => FieldText,
): SimpleEntry[] {
  const seen = new Map<string, number>()
  const others = readSecret === undefined ? [] : ['client_secret']
  const vocabulary = { table: type.table, noun: article, others }
  return [...values].flatMap(([index, value]) => {
    const given = isObject(value) ? value : {}
    const name = String(given[type.id] ?? '')
    const fail = (problem: string) => problems.add({ index, name }, problem)
    const id = isObject(value) ? idOf(type, name, fail) : fail('must be an object')
    if (id === undefined) return []
    const first = seen.get(id)
    if (first !== undefined) {
      fail(`${type.id} is in the file twice, first at ${problems.at(first)}`)
      return []
    }
    seen.set(id, index)
    const set = new Map<string, string>()
    for (const { field, name, given: json } of membersOf(given, vocabulary, fail)) {
      const read = field === 'client_secret' ? readSecret?.(json) : readField(type.table, field, json)
      if (type.read_only.includes(field) || field.endsWith('_sealed'))
        fail(`${name} cannot be declared: redmint sets it`)
      else if (read !== undefined && 'problem' in read) fail(`${name} ${read.problem}`)
      else if (read !== undefined) set.set(field, read.text)
    }
    const { client_secret, ...fields } = Object.fromEntries(set)
    return [{ index, id, set: fields, ...(client_secret !== undefined && { client_secret }) }]
  })
}

function idOf(type: AnySimple, name: string, fail: (problem: string) => void): string | undefined {
  try {
    return type.idOf(name)
  } catch (error) {
    return problemsIn(error).forEach(fail) as undefined
  }
}

// In YAML, a key set is an object.
const readField = (table: FieldTable, name: string, given: unknown) =>
  table[name]?.fromJson(name === 'jwks' && isObject(given) ? JSON.stringify(given) : given)

/** Returns why values are refused. @throws another error */
function problemsIn(error: unknown): string[] {
  if (error instanceof AdminError && error.fields.length > 0) return error.fields.map(fieldText)
  throw error
}

/** Returns the work for a declared record of a simple type; reports problems to `fail`. */
export async function planSimple(
  calls: Calls,
  type: AnySimple,
  { id, set: { [type.id]: spelling = id, ...fields } }: SimpleEntry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const label = await labelAt(calls, type, id)
  const exists = label !== undefined
  const step = { kind: type.id, name: id, ends: false, differences: [] }
  const nothing = { ...step, action: 'unchanged', outcome: 'done' } as const
  const owner = exists ? ownershipProblem(label, own) : undefined
  if (owner !== undefined) fail(owner)
  try {
    const body = { ...givenToJson(type.table, fields), managed_by: own.label }
    const params = pathOf(type, id)
    const created = { body: { ...body, [type.id]: spelling } }
    const { difference } = exists
      ? await calls.plan(`replace_${type.id}`, { params, body })
      : await calls.plan(`create_${type.id}`, created)
    const differences = shownDifferences(type.table, difference)
    if (exists && differences.length === 0) return nothing
    const write = () =>
      exists
        ? calls.call(`replace_${type.id}`, { params, patch: (now) => unlessTaken(now, label, body) })
        : calls.call(`create_${type.id}`, created)
    const action = exists ? 'change' : 'create'
    return { ...step, differences, action, outcome: 'not_written', write: () => outcomeOf(write()) }
  } catch (error) {
    problemsIn(error).forEach(fail)
    return nothing
  }
}

/** Returns the removals of records of a simple type that carry the label and are not in the file. */
export async function planSimpleRemovals(
  calls: Calls,
  type: AnySimple,
  label: string,
  entries: readonly SimpleEntry[],
): Promise<ApplyStep[]> {
  const declared = new Set(entries.map(({ id }) => id))
  const { records } = await allSimple(calls, type)
  const lost = records.filter(
    ({ id, hash }) => hash.managed_by === label && !declared.has(normalOf(type, id)),
  )
  return lost.map(({ id }) => ({
    kind: type.id,
    name: id,
    action: 'remove',
    outcome: 'not_written',
    differences: [],
    ends: true,
    write() {
      const params = pathOf(type, id)
      return outcomeOf(
        calls.call(`delete_${type.id}`, { params, patch: (now) => unlessTaken(now, label, undefined) }),
      )
    },
  }))
}

/** A record that was written by hand may have an id that none would get. */
function normalOf(type: AnySimple, id: string): string {
  return idOf(type, id, () => {}) ?? id
}

/** Returns the label of a stored record, empty for none; undefined: there is no record. */
async function labelAt({ call }: Calls, type: AnySimple, id: string): Promise<string | undefined> {
  try {
    return labelIn(await call(`read_${type.id}`, { params: pathOf(type, id) }))
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found') return undefined
    throw error
  }
}

function labelIn({ state, fields, managed_by }: RecordAnswer): string {
  const label = state === 'malformed' && isObject(fields) ? fields.managed_by : managed_by
  return typeof label === 'string' ? label : ''
}

/** Returns a body if nobody took the record over since it was planned. @throws AdminError `stale` */
function unlessTaken<Body>(now: RecordAnswer, label: string, body: Body): Body {
  if (labelIn(now) === label) return body
  throw new AdminError('stale', 'Another file manages the record now.')
}

// Another process was faster: the next run sees what it did.
const FASTER: readonly string[] = ['exists', 'not_found', 'stale']

async function outcomeOf(writing: Promise<unknown>): Promise<'done' | 'not_written'> {
  try {
    await writing
    return 'done'
  } catch (error) {
    if (error instanceof AdminError && FASTER.includes(error.code)) return 'not_written'
    throw error
  }
}

/** Returns differences as texts of the record, in the order of its fields. A default is no difference. */
function shownDifferences(table: FieldTable, difference: readonly FieldDifference[]): Difference[] {
  const names = Object.keys(table)
  return difference
    .map(({ field, from, to }) => ({
      field,
      from: textIn(table[field], from),
      to: textIn(table[field], to),
    }))
    .filter(({ from, to }) => from !== to)
    .sort((one, other) => names.indexOf(one.field) - names.indexOf(other.field))
}

function textIn(field: Field<unknown> | undefined, value: unknown): string {
  if (field === undefined) return String(value ?? '')
  if (value === undefined)
    return field.empty === undefined ? textOf(field, field.default) : (field.shown ?? '')
  const read = field.fromJson(value)
  return ('text' in read ? read.text : String(value)) || (field.empty ?? '')
}
