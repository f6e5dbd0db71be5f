import type { Log } from './log.ts'
import { describeUnquoted, type Parsed } from './record-hash.ts'

/**
 * Returns a parsed record, or undefined if it is malformed; every problem is logged.
 * @param kind the name of the record kind in the log, such as `client`
 * @param name the field that identifies the record and its value, for the log
 */
export function readRecord<T>(
  parsed: Parsed<T>,
  log: Log,
  kind: string,
  name: Readonly<Record<string, string>>,
): T | undefined {
  if (parsed.ok) return parsed.record
  for (const problem of parsed.problems) {
    log.warn(
      { ...name, field: problem.field },
      `The ${kind} record is refused: ${describeUnquoted(problem)}.`,
    )
  }
  return undefined
}
