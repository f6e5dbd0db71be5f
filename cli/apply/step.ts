import type { FieldDifference } from '../../src/admin/operation/difference.ts'
import { AdminError } from '../../src/admin/operation/problem.ts'
import type { Plan } from '../calls.ts'
import { fieldText, UsageError } from '../errors.ts'
import type { Unfinished } from '../import.ts'
import type { Difference } from './difference.ts'

/** What has to be done to one record. */
export type Action = 'create' | 'change' | 'unchanged' | 'remove'

export type ApplyKind = 'client' | 'user' | 'resource' | 'detail_type' | 'issuer' | 'application' | 'provider'

/** The work for one record. */
export interface ApplyStep {
  readonly kind: ApplyKind
  readonly name: string
  readonly action: Action
  readonly differences: readonly Difference[]
  /** Whether it ends sessions and tokens. */
  readonly ends: boolean
  /** The secret that the client gets, because neither the file nor the record has one. */
  readonly client_secret?: string | undefined
  outcome: 'done' | Unfinished
  /** Why it was refused when it was tried. */
  problem?: string
  /** What the operation answered that wrote it. */
  answer?: unknown
  /** Absent: there is nothing to write. @throws AdminError if the record is not as it was planned for */
  readonly write?: () => Promise<unknown>
}

/** A record that a file declares, and how operations make it so. */
export interface Declared {
  /** Its place in the file, as EntryProblems has it. */
  readonly index: number
  readonly kind: ApplyKind
  readonly name: string
  /** Fields that could not be read; their problems are reported already. */
  readonly unread?: ReadonlySet<string>
  /** Finds out what would change. @throws AdminError if the record would be refused */
  plan(): Promise<Plan>
  /** Writes the record if it still has the version of the plan, or if there is still none. */
  write(version: string | undefined, client_secret: string | undefined): Promise<unknown>
  /** Returns what is printed of a difference; empty: nothing has to be written. */
  shown(difference: readonly FieldDifference[]): readonly Difference[]
  /** Whether a change ends sessions and tokens. */
  ends?(differences: readonly Difference[]): boolean
  /** Returns a secret that the record gets; undefined: it needs none, or has one. */
  secretFor?(difference: readonly FieldDifference[]): string | undefined
}

/** How a file takes records over. */
export interface Ownership {
  /** The label of the file. */
  label: string
  /** Whether records without a label or with another one are taken over. */
  adopt: boolean
}

/** Returns the work for a declared record; reports problems to `fail`. */
export async function planDeclared(
  declared: Declared,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { kind, name } = declared
  const step = { kind, name, ends: false, differences: [] }
  try {
    const { version, difference } = await declared.plan()
    const exists = version !== undefined
    const owner = exists ? ownershipProblem(difference, own) : undefined
    if (owner !== undefined) fail(owner)
    const differences = declared.shown(difference)
    if (exists && differences.length === 0) return { ...step, action: 'unchanged', outcome: 'done' }
    const client_secret = declared.secretFor?.(difference)
    return {
      ...step,
      differences,
      client_secret,
      ends: exists && (declared.ends?.(differences) ?? false),
      action: exists ? 'change' : 'create',
      outcome: 'not_written',
      write: () => declared.write(version, client_secret),
    }
  } catch (error) {
    problemsIn(error, declared.unread).forEach(fail)
    return { ...step, action: 'unchanged', outcome: 'not_written' }
  }
}

/** Returns why a stored record is not the file's to change, or undefined if it is. */
function ownershipProblem(difference: readonly FieldDifference[], own: Ownership): string | undefined {
  const taken = difference.find(({ field }) => field === 'managed_by')
  if (own.adopt || taken === undefined) return undefined
  const present = taken.from ? `is managed by "${taken.from}"` : 'exists and is managed by no file'
  return `${present}: give --adopt to take it over`
}

/**
 * Returns why a record is refused.
 * @param unread fields whose problems are reported already, as those of the label are
 * @throws any error that is not about the record
 */
function problemsIn(error: unknown, unread?: ReadonlySet<string>): string[] {
  // What only the command on the host takes.
  if (error instanceof UsageError) return [error.message]
  if (!(error instanceof AdminError) || error.code === 'missing_scope') throw error
  if (error.fields.length === 0) return [error.message.replace(/\.$/, '')]
  return error.fields.filter(({ field }) => field !== 'managed_by' && !unread?.has(field)).map(fieldText)
}
