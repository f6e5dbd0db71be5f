import { CommanderError } from 'commander'
import { ConfigError } from '../src/config/config-error.ts'
import { describeProblem, type FieldProblem, type Parsed } from '../src/core/record-hash.ts'
import { StoredKeyError } from '../src/keys/wrap.ts'

/** The exit codes, as explained in docs/cli.md. */
export const EXIT = { done: 0, refused: 1, usage: 2, storage: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command is valid but refused: not found, exists already, malformed, too soon. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The command line or the configuration is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Storage did not answer. The message has the location of storage and what to check. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
}

/** Returns the exit code for an expected error, or undefined for a bug in redmint. */
export function exitCodeOf(error: unknown): ExitCode | undefined {
  if (error instanceof Refusal || error instanceof StoredKeyError) return EXIT.refused
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommanderError) {
    return EXIT.usage
  }
  return error instanceof StorageFailure ? EXIT.storage : undefined
}

/** Returns a refusal that lists problems, one per line. */
export function refusalOf(sentence: string, problems: readonly string[]): Refusal {
  return new Refusal([sentence, ...problems.map((problem) => `  ${problem}`)].join('\n'))
}

/**
 * Checks a parsed record. Servers use the same parser, so they accept a record that passes.
 * @throws Refusal that lists the problems of a malformed record
 */
export function assertWellFormed<T>(parsed: Parsed<T>): asserts parsed is Extract<Parsed<T>, { ok: true }> {
  if (!parsed.ok)
    throw refusalOfRecord('The record would be malformed, so nothing was written:', parsed.problems)
}

/** Returns a refusal that lists the problems of a record. */
export function refusalOfRecord(sentence: string, problems: readonly FieldProblem[]): Refusal {
  return refusalOf(sentence, problems.map(describeProblem))
}
