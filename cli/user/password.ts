import { MAX_PASSWORD_BYTES, preparePassword } from '../../src/accounts/password-text.ts'
import { count } from '../../src/core/count.ts'
import { Refusal } from '../errors.ts'
import type { CommandRun } from '../run.ts'

/** The minimum length of a password, in characters (NIST SP 800-63B §3.1.1.2). */
export const MIN_PASSWORD_LENGTH = 8

/** Returns why a password is refused, or undefined if it is accepted. The text does not quote the password. */
export function passwordProblem(password: string): string | undefined {
  const prepared = preparePassword(password)
  const length = [...(prepared ?? password)].length
  if (length < MIN_PASSWORD_LENGTH) {
    return `has ${count(length, 'character')}, and needs at least ${MIN_PASSWORD_LENGTH}`
  }
  return prepared === undefined
    ? `must have at most ${MAX_PASSWORD_BYTES} bytes and no control characters`
    : undefined
}

/** Returns the password. @throws Refusal if it is refused */
function checkPassword(password: string): string {
  const problem = passwordProblem(password)
  if (problem !== undefined) throw new Refusal(`The password ${problem}.`)
  return password
}

/**
 * Reads a new password from stdin, or twice from the terminal.
 * @throws Refusal if it is refused or the two differ; UsageError if there is no terminal
 */
export async function readNewPassword(run: CommandRun, flags: { passwordStdin?: true }): Promise<string> {
  if (flags.passwordStdin) return checkPassword(await run.readStdin())
  return readTwice(await run.readHidden(['New password: ', REPEAT]))
}

/**
 * Reads the first password of a user from stdin, or twice from the terminal, where an empty one means none. Without
 * either there is none.
 * @throws Refusal if it is refused or the two differ
 */
export async function readFirstPassword(
  run: CommandRun,
  flags: { passwordStdin?: true },
): Promise<string | undefined> {
  if (!flags.passwordStdin && !run.hasTerminal) return undefined
  if (flags.passwordStdin) return readNewPassword(run, flags)
  const typed = await run.readHidden(['Password (empty: none yet): ', REPEAT])
  return typed[0] === '' ? undefined : readTwice(typed)
}

const REPEAT = 'Repeat the password: '

function readTwice([password, again]: readonly (string | undefined)[]): string {
  if (password === undefined || again === undefined) throw new Refusal('Nothing was changed.')
  checkPassword(password)
  if (preparePassword(password) !== preparePassword(again))
    throw new Refusal('The two passwords differ: nothing was changed.')
  return password
}
