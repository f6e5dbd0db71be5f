import { MAX_PASSWORD_BYTES, preparePassword } from '../../src/accounts/password-text.ts'
import { Refusal } from '../errors.ts'
import type { Session } from '../run.ts'

/** The least that a password may have, in characters (NIST SP 800-63B §3.1.1.2). */
export const MIN_PASSWORD_LENGTH = 8

/** Why a password is not taken, or undefined where it is. Shows nothing of it. */
export function passwordProblem(password: string): string | undefined {
  const length = [...password].length
  if (length < MIN_PASSWORD_LENGTH) {
    return `has ${length} characters, and needs at least ${MIN_PASSWORD_LENGTH}`
  }
  return preparePassword(password) === undefined
    ? `must have at most ${MAX_PASSWORD_BYTES} bytes and no control characters`
    : undefined
}

/** @throws Refusal where a password is not taken */
export function checkPassword(password: string): string {
  const problem = passwordProblem(password)
  if (problem !== undefined) throw new Refusal(`The password ${problem}.`)
  return password
}

/**
 * A new password from stdin, or typed twice on the terminal.
 * @throws Refusal where it is not taken, or the second one differs; UsageError where there is no terminal
 */
export async function readNewPassword(session: Session, flags: { passwordStdin?: true }): Promise<string> {
  if (flags.passwordStdin) return checkPassword(await session.input())
  const [password, again] = await session.hidden(['New password: ', 'The same again: '])
  if (password === undefined || again === undefined) throw new Refusal('Nothing was changed.')
  checkPassword(password)
  if (password !== again) throw new Refusal('The two passwords differ: nothing was changed.')
  return password
}
