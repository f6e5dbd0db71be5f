import type { Asker } from '../users/fair-queue.ts'
import { isPasswordHash } from '../users/password-hash.ts'
import type { Passwords } from '../users/passwords.ts'
import { type AccountContext, readAccount } from '../users/read-account.ts'
import { USER } from '../users/user-kind.ts'
import type { User } from '../users/user-record.ts'
import type { Failure, PasswordResult, ReadBeside, SignInMethod, SignInRound } from './sign-in-method.ts'

/** Username or e-mail address, and password, in one round: the form's fields `username` and `password`. */
export const password: SignInMethod = {
  name: 'pwd',
  first_step_amr: 'pwd',
  acr_values: ['1'],
  username: ({ answer }) => answer.username ?? '',
  async authenticate(context, round) {
    const result = await context.checkPassword(round)
    return result.outcome === 'ok' ? { ...result, amr: ['pwd'], acr: '1' } : result
  },
}

/** What it takes to judge passwords. */
export interface PasswordContext extends AccountContext {
  readonly passwords: Pick<Passwords, 'verify' | 'hash' | 'needsRehash'>
}

/** As MethodContext.checkPassword. */
export async function checkPassword(
  context: PasswordContext,
  round: SignInRound,
  beside?: ReadBeside,
): Promise<PasswordResult> {
  const { user } = round
  const presented = round.answer.password ?? ''
  // Before anything is decided: every failure computes one hash.
  // A disabled user fails by the time that a wrong password takes, also with the right one.
  const stored = user?.disabled ? undefined : user?.password_hash
  const is_right = await context.passwords.verify(presented, stored, round.asker)
  if (!is_right) warnOfHash(context, user)
  if (user === undefined) return failed('unknown_user')
  if (user.disabled) return failed('disabled_user', user)
  if (!is_right) return failed(user.password_hash === undefined ? 'no_password' : 'wrong_password', user)
  const renewed = await rehash(context, user, presented, round.asker)
  // Last: hashes wait for their turn, and the record may have changed meanwhile.
  const [now] = await Promise.all([readAccount(context, user.username), beside?.(user.username)])
  if (now === undefined) return failed('unknown_user')
  if (now.disabled) return failed('disabled_user', now)
  // The password was changed, or another sign-in hashed the same one anew.
  if (now.password_hash !== renewed) return checkPassword(context, { ...round, user: now }, beside)
  return { outcome: 'ok', user: now }
}

function warnOfHash({ log }: PasswordContext, user: User | undefined): void {
  if (user?.password_hash === undefined || isPasswordHash(user.password_hash)) return
  const found = { username: user.username, field: 'password_hash' }
  log.warn(
    found,
    'The stored hash has no form that is accepted, so no password matches it: see redmint user lint.',
  )
}

function failed(reason: Failure['reason'], user?: User): Failure {
  return { outcome: 'failed', reason, ...(user && { user }) }
}

/**
 * Replaces a hash of another system, or with other parameters than the settings, and returns the one that the user has
 * then, if nobody else changed it. The sign-in does not depend on it.
 */
async function rehash(
  { storage, passwords, log }: PasswordContext,
  user: User,
  presented: string,
  asker: Asker,
): Promise<string | undefined> {
  const { username, password_hash } = user
  if (password_hash === undefined || !passwords.needsRehash(password_hash)) return password_hash
  try {
    const renewed = await passwords.hash(presented, asker)
    // Hashing takes a while: a password that was changed meanwhile must not be overwritten.
    const changed = await storage.records.change(USER, username, {
      set: { password_hash: renewed },
      unset: [],
      expected: { password_hash },
      // It is the same password.
      is_counted: false,
    })
    return changed === 'ok' ? renewed : password_hash
  } catch (error) {
    log.warn({ err: error, username }, 'A password could not be hashed anew: the next sign-in tries again.')
    return password_hash
  }
}
