import { describeProblem, type FieldProblem } from '../src/core/record-hash.ts'
import { EXIT } from './errors.ts'
import { count, type Report, shellWord, table } from './output.ts'

/** `error`: servers refuse the record. `warning`: they accept it, but it is probably a mistake. */
export type Finding<Name extends string> = FieldProblem & {
  readonly level: 'error' | 'warning'
} & Readonly<Record<Name, string>>

/** Returns the findings of one record. */
export function findingsOf<Name extends string>(
  name: Readonly<Record<Name, string>>,
  errors: readonly FieldProblem[],
  warnings: readonly FieldProblem[],
): Finding<Name>[] {
  return [
    ...errors.map((problem) => ({ level: 'error' as const, ...name, ...problem })),
    ...warnings.map((problem) => ({ level: 'warning' as const, ...name, ...problem })),
  ]
}

/** Returns the warning about a record of demo mode. */
export function demoWarning(noun: 'client' | 'user', name: string): FieldProblem {
  const remove = `redmint ${noun} remove ${shellWord(name)}`
  return { field: 'demo', problem: `is true: servers outside demo mode refuse it, remove it with ${remove}` }
}

/** Reports the findings about `checked` records; with errors the exit code is 1. */
export function reportFindings<Name extends string>(
  noun: string,
  name: Name,
  checked: number,
  findings: readonly Finding<Name>[],
): Report {
  const errors = findings.filter(({ level }) => level === 'error').length
  const warnings = findings.length - errors
  const rows = findings.map((finding) => [finding.level, finding[name], describeProblem(finding)])
  const summary = `${count(checked, noun)}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`
  const head = ['LEVEL', name.toUpperCase(), 'FINDING']
  return {
    text: rows.length === 0 ? summary : `${table(head, rows)}\n\n${summary}`,
    json: { [`${noun}s`]: checked, errors, warnings, findings },
    ...(errors === 0 ? {} : { exit: EXIT.refused }),
  }
}
