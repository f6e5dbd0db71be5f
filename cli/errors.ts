import { CommanderError } from 'commander'
import { AdminError, type ProblemCode } from '../src/admin/operation/problem.ts'
import { ConfigError } from '../src/config/config-error.ts'
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

/** The server of --server did not answer. The message has its address. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
}

/** Returns the exit code for an expected error, or undefined for a bug in redmint. */
export function exitCodeOf(error: unknown): ExitCode | undefined {
  if (error instanceof Refusal || error instanceof StoredKeyError) return EXIT.refused
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommanderError) {
    return EXIT.usage
  }
  const is_unanswered = error instanceof StorageFailure || error instanceof ServerFailure
  return is_unanswered ? EXIT.storage : undefined
}

/** What to do about a refused operation, by the reason, instead of the full stop of its message. */
export type Hints = Readonly<Partial<Record<ProblemCode, string>>>

/** Returns a refused operation as an error of the command, and any other error as it is. */
export function commandError(error: unknown, hints: Hints = {}): unknown {
  if (!(error instanceof AdminError)) return error
  const { code, message, fields } = error
  if (code === 'invalid_request' || code === 'misconfigured') return new UsageError(message)
  // A name that no record can have.
  if (code === 'unknown_path') return new Refusal(`There is nothing of this name: ${message}.`)
  if (fields.length > 0 && (code === 'invalid_field' || code === 'unknown_field'))
    return refusalOf(NOT_WRITTEN, fields.map(fieldText))
  const hint = hints[code]
  return new Refusal(hint === undefined ? message : message.replace(/\.$/, hint))
}

/** Returns the problem of a field as a sentence that names it: what a schema refuses does not by itself. */
export const fieldText = ({ field, detail }: AdminError['fields'][number]): string =>
  /^(is|must|has) /.test(detail) ? `${field} ${detail}` : detail

/** Returns what an operation returns. @throws what it throws, as an error of the command */
export async function withHints<T>(hints: Hints, operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (error) {
    throw commandError(error, hints)
  }
}

/** Returns what an operation returns, of which only the settings can be at fault. @throws UsageError if they are; as it */
export async function ofSettings<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (error) {
    throw error instanceof AdminError && error.code === 'conflict' ? new UsageError(error.message) : error
  }
}

const NOT_WRITTEN = 'The record would be malformed or unsafe, so nothing was written:'

/** Returns a refusal that lists problems, one per line. */
export function refusalOf(sentence: string, problems: readonly string[]): Refusal {
  return new Refusal([sentence, ...problems.map((problem) => `  ${problem}`)].join('\n'))
}

/** No flag of a command changes anything. @param command its words, such as `resource update` */
export const nothingToChange = (command: string) =>
  new UsageError(`There is nothing to change: give at least one flag, see redmint ${command} --help.`)
