import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { compare, guarded } from '../../src/admin/operation/compare.ts'
import { toldOf } from '../../src/core/events.ts'
import type { Field } from '../../src/core/field-kinds.ts'
import { isObject } from '../../src/core/json.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import { parseIssuer } from '../../src/issuers/issuer-record.ts'
import { issuerProblem } from '../../src/issuers/issuer-url.ts'
import { membersOf } from '../file-members.ts'
import type { EntryProblems } from '../import.ts'
import type { CommandContext } from '../run.ts'
import { type ApplyStep, type Ownership, ownershipProblem } from './step.ts'

/** A trusted issuer of a file. */
export interface IssuerEntry {
  /** The place in the file, as EntryProblems has it. */
  index: number
  issuer: string
  /** The fields in the file, as storage writes them. */
  set: Hash
}

const NAMES = Object.keys(ISSUER_FIELDS)
const OWN_FIELDS: readonly string[] = ['managed_by']

/** Reads trusted issuers, each with its place. Adds the problems of entries that cannot be read to `problems`. */
export function readIssuerEntries(
  values: Iterable<[number, unknown]>,
  problems: EntryProblems,
): IssuerEntry[] {
  const seen = new Set<string>()
  return [...values].flatMap(([index, value]) => {
    const issuer = isObject(value) && typeof value.issuer === 'string' ? value.issuer : ''
    const fail = (problem: string) => problems.add({ index, name: issuer }, problem)
    if (!isObject(value)) fail('must be an object')
    else if (issuerProblem(issuer) !== undefined) fail(`issuer ${issuerProblem(issuer)}`)
    else if (seen.has(issuer)) fail('issuer is in the file twice')
    else {
      seen.add(issuer)
      return [{ index, issuer, set: readFields(value, fail) }]
    }
    return []
  })
}

function readFields(value: Readonly<Record<string, unknown>>, fail: (problem: string) => void): Hash {
  const set: Record<string, string> = {}
  const table: Readonly<Record<string, Field<unknown>>> = ISSUER_FIELDS
  for (const { field, name, given } of membersOf(value, { table, noun: 'an issuer' }, fail)) {
    // In YAML, a key set is an object.
    const read = table[field]?.fromJson(field === 'jwks' && isObject(given) ? JSON.stringify(given) : given)
    if (OWN_FIELDS.includes(field)) fail(`${name} cannot be declared: redmint sets it`)
    else if (read !== undefined && 'problem' in read) fail(`${name} ${read.problem}`)
    else if (read !== undefined) set[field] = read.text
  }
  return set
}

/** Returns the work for a declared issuer; reports problems to `fail`. */
export async function planIssuer(
  { storage, report }: Pick<CommandContext, 'storage' | 'report'>,
  { issuer, set: given }: IssuerEntry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { records } = storage
  const stored = (await records.read(ISSUER, issuer))?.hash
  const declared = { ...given, managed_by: own.label }
  // An issuer that an operator disabled in an emergency stays disabled.
  const names = NAMES.filter((name) => name !== 'disabled' || given.disabled !== undefined)
  const { differences, set, unset } = compare(ISSUER_FIELDS, names, stored ?? {}, declared)
  const owner = stored === undefined ? undefined : ownershipProblem(stored.managed_by, own)
  if (owner !== undefined) fail(owner)
  else
    problemsOf(issuer, applyChange(stored ?? {}, { set, unset }))
      .map(describeProblem)
      .forEach(fail)
  const step = { kind: 'issuer' as const, name: issuer, ends: false, differences }
  if (stored !== undefined && differences.length === 0)
    return { ...step, action: 'unchanged', outcome: 'done' }
  const write = async () => {
    const event = { event: 'issuer_trusted', issuer } as const
    const told = toldOf(report, [event])
    const written =
      stored === undefined
        ? await records.create({ kind: ISSUER, id: issuer, hash: set, told })
        : await records.change(ISSUER, issuer, { ...guarded(stored, { set, unset }), told })
    if (written !== 'ok') return 'not_written'
    report(event)
    return 'done'
  }
  return { ...step, action: stored === undefined ? 'create' : 'change', outcome: 'not_written', write }
}

function problemsOf(issuer: string, hash: Hash): FieldProblem[] {
  const parsed = parseIssuer(issuer, hash)
  return parsed.ok ? [] : parsed.problems
}
