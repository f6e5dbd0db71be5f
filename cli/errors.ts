import { CommanderError } from 'commander'
import { ConfigError } from '../src/config/config-error.ts'
import type { FieldProblem } from '../src/core/record-hash.ts'
import { SigningKeyError } from '../src/keys/key-record.ts'

/** What the process says by its exit code; docs/cli.md explains each. */
export const EXIT = { done: 0, refused: 1, usage: 2, storage: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command was understood, and the answer is no: not there, there already, malformed, too soon. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The command line or the configuration is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Storage gave no answer; the message says where it was looked for and what to check. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

/** The exit code for an expected error, or undefined for a fault in redmint itself. */
export function exitCodeOf(error: unknown): ExitCode | undefined {
  if (error instanceof Refusal || error instanceof SigningKeyError) return EXIT.refused
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommanderError) {
    return EXIT.usage
  }
  return error instanceof Unanswered ? EXIT.storage : undefined
}

/** A problem as a phrase: `redirect_uris: "/cb" is not absolute`, `is_public is missing`. */
export function sayProblem({ field, problem }: FieldProblem): string {
  return problem.startsWith(':') ? `${field}${problem}` : `${field} ${problem}`
}

/** A refusal that lists problems, a line each. */
export function refuseProblems(sentence: string, problems: readonly string[]): Refusal {
  return new Refusal([sentence, ...problems.map((problem) => `  ${problem}`)].join('\n'))
}
