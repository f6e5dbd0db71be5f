import { preparePassword } from '../../src/users/password-text.ts'
import { Refusal } from '../errors.ts'
import type { CommandRun } from '../run.ts'

/**
 * Reads a new password from stdin, or twice from the terminal.
 * @throws Refusal if the two differ; UsageError if there is no terminal
 */
export async function readNewPassword(run: CommandRun, flags: { passwordStdin?: true }): Promise<string> {
  if (flags.passwordStdin) return run.readStdin()
  return sameTwice(await run.readHidden(['New password: ', REPEAT]))
}

/**
 * Reads the first password of a user from stdin, or twice from the terminal, where an empty one means none. Without
 * either there is none, and none is asked for where nobody has one.
 * @throws Refusal if the two differ
 */
export async function readFirstPassword(
  run: CommandRun,
  flags: { passwordStdin?: true },
): Promise<string | undefined> {
  if (flags.passwordStdin) return readNewPassword(run, flags)
  if (!run.hasTerminal || run.has_only_passkeys) return undefined
  const typed = await run.readHidden(['Password (empty: none yet): ', REPEAT])
  return typed[0] === '' ? undefined : sameTwice(typed)
}

const REPEAT = 'Repeat the password: '

function sameTwice([password, again]: readonly (string | undefined)[]): string {
  if (password === undefined || again === undefined) throw new Refusal('Nothing was changed.')
  // Two texts that cannot be passwords differ as they were typed.
  if ((preparePassword(password) ?? password) !== (preparePassword(again) ?? again))
    throw new Refusal('The two passwords differ: nothing was changed.')
  return password
}
