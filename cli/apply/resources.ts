import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { compare, guarded } from '../../src/admin/operation/compare.ts'
import { findResource } from '../../src/admin/resources/resources.ts'
import { toldOf } from '../../src/core/events.ts'
import type { FieldTable } from '../../src/core/field-table.ts'
import { isObject } from '../../src/core/json.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { RESOURCE, resourceId } from '../../src/resources/resource-record.ts'
import { membersOf } from '../file-members.ts'
import type { EntryProblems } from '../import.ts'
import type { CommandContext } from '../run.ts'
import { type ApplyStep, type Ownership, ownershipProblem } from './step.ts'

/** One resource of a file. */
export interface ResourceEntry {
  /** The place in the file, as EntryProblems has it. */
  index: number
  id: string
  /** The fields in the file, as storage writes them. */
  set: Hash
}

const TABLE: FieldTable = RESOURCE_FIELDS
const NAMES = Object.keys(RESOURCE_FIELDS)
const MEMBERS = { table: TABLE, noun: 'a resource' }

/** Reads resources, each with its place. Adds the problems of entries that cannot be read to `problems`. */
export function readResources(values: Iterable<[number, unknown]>, problems: EntryProblems): ResourceEntry[] {
  const seen = new Map<string, number>()
  return [...values].flatMap(([index, value]) => {
    const given = isObject(value) ? value : {}
    const uri = typeof given.resource === 'string' ? given.resource : ''
    const fail = (problem: string) => problems.add({ index, name: uri }, problem)
    const id = resourceId(uri)
    if (id === undefined) {
      fail('resource must be an absolute URI without a fragment')
      return []
    }
    const first = seen.get(id)
    if (first !== undefined) {
      fail(`resource is in the file twice, first at ${problems.at(first)}`)
      return []
    }
    seen.set(id, index)
    const set: Record<string, string> = {}
    for (const { field, name, given: json } of membersOf(given, MEMBERS, fail)) {
      const read = TABLE[field]?.fromJson(json)
      if (field === 'managed_by') fail(`${name} cannot be declared: redmint sets it`)
      else if (read !== undefined && 'problem' in read) fail(`${name} ${read.problem}`)
      else if (read !== undefined) set[field] = read.text
    }
    return [{ index, id, set }]
  })
}

/** Returns the work for a declared resource; reports problems to `fail`. */
export async function planResource(
  { storage, report }: Pick<CommandContext, 'storage' | 'report'>,
  { id, set: given }: ResourceEntry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { records } = storage
  const stored = await findResource(storage, id)
  const hash = stored?.hash ?? {}
  // A resource that an operator disabled in an emergency stays so.
  const names = NAMES.filter((name) => name !== 'disabled' || given.disabled !== undefined)
  const declared = { ...given, managed_by: own.label }
  const { differences, set, unset } = compare(RESOURCE_FIELDS, names, hash, declared)
  const owner = stored && ownershipProblem(hash.managed_by, own)
  if (owner !== undefined) fail(owner)
  const parsed = RESOURCE.parse(applyChange(hash, { set, unset }), stored?.id ?? id)
  if (!parsed.ok) parsed.problems.map(describeProblem).forEach(fail)
  const step = { kind: 'resource' as const, name: id, ends: false, differences }
  if (stored !== undefined && differences.length === 0) {
    return { ...step, action: 'unchanged', outcome: 'done' }
  }
  const write = async () => {
    const event = { event: 'resource_changed', resource: id } as const
    const told = toldOf(report, [event])
    const written =
      stored === undefined
        ? await records.create({ kind: RESOURCE, id, hash: set, told })
        : await records.change(RESOURCE, stored.id, { ...guarded(hash, { set, unset }), told })
    if (written !== 'ok') return 'not_written'
    report(event)
    return 'done'
  }
  return { ...step, action: stored === undefined ? 'create' : 'change', outcome: 'not_written', write }
}
