import { givenToJson } from '../../src/admin/operation/record-json.ts'
import type { FieldText } from '../../src/core/field-kinds.ts'
import type { FieldTable } from '../../src/core/field-table.ts'
import { isObject } from '../../src/core/json.ts'
import { present } from '../../src/core/present.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { resourceId } from '../../src/core/resource-uri.ts'
import type { Calls } from '../calls.ts'
import { membersOf } from '../file-members.ts'
import type { EntryProblems } from '../import.ts'
import { pathOf, type Simple } from '../simple.ts'
import { shownDifferences } from './difference.ts'
import type { Declared } from './step.ts'

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
  type: Simple,
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
    if (name === '') {
      fail(isObject(value) ? `${type.id} is missing` : 'must be an object')
      return []
    }
    const id = (type.id === 'resource' && resourceId(name)) || name
    const first = seen.get(id)
    if (first !== undefined) {
      fail(`${type.id} is in the file twice, first at ${problems.at(first)}`)
      return []
    }
    seen.set(id, index)
    const set = new Map<string, string>()
    for (const { field, name, given: json } of membersOf(given, vocabulary, fail)) {
      const read = field === 'client_secret' ? readSecret?.(json) : readField(type.table, field, json)
      if (field === 'managed_by' || field.endsWith('_sealed'))
        fail(`${name} cannot be declared: redmint sets it`)
      else if (read !== undefined && 'problem' in read) fail(`${name} ${read.problem}`)
      else if (read !== undefined) set.set(field, read.text)
    }
    const { client_secret, ...fields } = Object.fromEntries(set)
    return [{ index, id, set: fields, ...(client_secret !== undefined && { client_secret }) }]
  })
}

// In YAML, a key set is an object.
const readField = (table: FieldTable, name: string, given: unknown) =>
  table[name]?.fromJson(name === 'jwks' && isObject(given) ? JSON.stringify(given) : given)

/** Returns a record of a simple type of a file. */
export function declaredSimple(
  { plan, call }: Calls,
  type: Simple,
  { index, id, set: { [type.id]: spelling = id, ...fields }, client_secret }: SimpleEntry,
  label: string,
): Declared {
  const params = pathOf(type, spelling)
  const body = () => ({
    ...givenToJson(type.table, fields),
    ...present({ client_secret }),
    managed_by: label,
  })
  return {
    index,
    kind: type.id,
    name: id,
    plan: async () => plan(`replace_${type.id}`, { params, body: body() }),
    write: (version) => call(`replace_${type.id}`, { params, body: body(), version }),
    shown(difference) {
      const has_secret = difference.some(({ field }) => field === 'client_secret')
      const fields = difference.filter(({ field }) => field !== 'client_secret')
      const shown = shownDifferences(type.table, fields)
      return has_secret ? [...shown, { field: 'client_secret' }] : shown
    },
  }
}
