import { type Static, Type } from '@sinclair/typebox'
import type { FieldTable } from '../../core/field-table.ts'
import { nearestName } from '../../core/nearest.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../core/record-hash.ts'
import { shellWord } from '../../core/shell-word.ts'

/** `error`: servers refuse the record. `warning`: they accept it, but it is probably a mistake. */
export type RecordFinding<Name extends string> = FieldProblem & {
  readonly level: 'error' | 'warning'
} & Readonly<Record<Name, string>>

/** Returns the findings of one record. */
export function findingsOf<Name extends string>(
  name: Readonly<Record<Name, string>>,
  errors: readonly FieldProblem[],
  warnings: readonly FieldProblem[],
): RecordFinding<Name>[] {
  return [
    ...errors.map((problem) => ({ level: 'error' as const, ...name, ...problem })),
    ...warnings.map((problem) => ({ level: 'warning' as const, ...name, ...problem })),
  ]
}

/** Returns the warnings about fields of a record that its table does not have. */
export function unknownFields(hash: Hash, table: FieldTable): FieldProblem[] {
  const names = Object.keys(table)
  return Object.keys(hash).flatMap((field) => {
    if (Object.hasOwn(table, field)) return []
    const nearest = nearestName(field, names)
    const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
    return [{ field, problem: `is not a known field${hint}` }]
  })
}

/** Returns the warning about a record of demo mode. */
export function demoWarning(noun: 'client' | 'user', name: string): FieldProblem {
  const remove = `redmint ${noun} remove ${shellWord(name)}`
  return { field: 'demo', problem: `is true: servers outside demo mode refuse it, remove it with ${remove}` }
}

/** A finding as operators see it. */
export const FindingAnswer = Type.Object({
  level: Type.Unsafe<'error' | 'warning'>(Type.String({ enum: ['error', 'warning'] })),
  field: Type.String(),
  detail: Type.String(),
})
export type ShownFinding = Static<typeof FindingAnswer>

/** Returns a finding as operators see it. */
export const shownFinding = (finding: FieldProblem & Pick<ShownFinding, 'level'>): ShownFinding => {
  return { level: finding.level, field: finding.field, detail: describeProblem(finding) }
}
