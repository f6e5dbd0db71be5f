import type { Finding } from '../src/admin/operation/findings.ts'
import { count } from '../src/core/count.ts'
import { describeProblem } from '../src/core/record-hash.ts'
import { EXIT } from './errors.ts'
import { type Report, table } from './output.ts'

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
