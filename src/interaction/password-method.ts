import { isPasswordHash } from '../accounts/password-hash.ts'
import { readAccount } from '../accounts/read-account.ts'
import { USER } from '../accounts/user-kind.ts'
import type { User } from '../accounts/user-record.ts'
import type { Parameters } from '../core/parameters.ts'
import type { Method, MethodContext } from './sign-in-method.ts'

/** The form's fields `username` and `password`. */
export const password: Method = { amr: 'pwd', acr: '1', username, authenticate }

// A phone's keyboard puts a space after each word it completes, and no username has one. All else is as it is stored.
function username(form: Parameters): string {
  return form.username?.trim() ?? ''
}

async function authenticate(context: MethodContext, form: Parameters): Promise<User | undefined> {
  const user = await readAccount(context, username(form))
  if (user?.password_hash !== undefined && !isPasswordHash(user.password_hash)) {
    const found = { username: user.username, field: 'password_hash' }
    context.log.warn(found, 'It is no PHC string of argon2id, so no password fits.')
  }
  const presented = form.password ?? ''
  // Before anything is decided: whatever is wrong, one hash is computed.
  const isRight = await context.passwords.verify(presented, user?.password_hash)
  if (user === undefined || user.disabled || !isRight) return undefined
  // Its turn to be hashed may have been long in coming, and the record may say something else by now.
  const now = await readAccount(context, user.username)
  if (now === undefined || now.disabled) return undefined
  // A new password, or the same one hashed anew by another sign-in.
  if (now.password_hash !== user.password_hash) return authenticate(context, form)
  await rehash(context, now, presented)
  return now
}

/** Where hashes cost something else by now, writes one of the present cost; this sign-in is good in any case. */
async function rehash({ storage, passwords, log }: MethodContext, user: User, presented: string) {
  const { username, password_hash } = user
  if (password_hash === undefined || !passwords.needsRehash(password_hash)) return
  try {
    const renewed = await passwords.hash(presented)
    // Hashing takes a while: a password that was changed meanwhile must not come back.
    await storage.records.change(USER, username, {
      set: { password_hash: renewed },
      unset: [],
      expected: { password_hash },
    })
  } catch (error) {
    log.warn({ err: error, username }, 'A password could not be hashed anew: the next sign-in tries again.')
  }
}
