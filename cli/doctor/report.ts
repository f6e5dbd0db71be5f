import { count } from '../../src/core/count.ts'
import type { Finding } from '../../src/service/finding.ts'
import { EXIT } from '../errors.ts'
import { type Report, table } from '../output.ts'

/**
 * Prints findings. The exit code is 1 if there is a problem; warnings do not change it, as with `client lint`.
 * @param left_out the ids of checks that were not made
 */
export function reportFindings(findings: readonly Finding[], left_out: readonly string[] = []): Report {
  const problems = findings.filter(({ level }) => level === 'problem').length
  const warnings = findings.filter(({ level }) => level === 'warning').length
  const summary = `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
  const not_made = left_out.length === 0 ? [] : [`Made on a host only: ${left_out.join(', ')}.`]
  return {
    text: `${findingRows(findings)}\n\n${[summary, ...not_made].join('\n')}`,
    json: { problems, warnings, findings, ...(left_out.length > 0 && { left_out }) },
    ...(problems === 0 ? {} : { exit: EXIT.refused }),
  }
}

/** Formats findings as a table. */
export function findingRows(findings: readonly Finding[]): string {
  const rows = findings.map(({ level, check, finding, advice }) => [
    level,
    check,
    advice === undefined ? finding : `${finding.replace(/\.$/, '')}. ${advice}`,
  ])
  return table(['LEVEL', 'CHECK', 'FINDING'], rows)
}
