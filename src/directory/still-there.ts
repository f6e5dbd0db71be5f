import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'
import { OAuthError } from '../core/errors.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import type { MethodContext, RoundResult, SignInMethod, Success } from '../interaction/sign-in-method.ts'
import type { User } from '../users/user-record.ts'
import { asDescribed, type DirectoryRefusal, failureOf } from './account.ts'
import { ask } from './ask.ts'
import type { Directory } from './directory.ts'
import { DirectoryFailure } from './failure.ts'
import { idOfUser, readPerson } from './person.ts'

/**
 * Another way to sign in, such as a passkey, where there is a directory: who belongs to it signs in only while it has an
 * entry of this person that is not locked, and as whom it describes now.
 */
export function whileThere(method: SignInMethod, parts: MethodParts, directory: Directory): SignInMethod {
  return {
    ...method,
    async authenticate(context, round) {
      const result = await method.authenticate(context, round)
      const id = result.outcome === 'ok' ? idOfUser(result.user) : undefined
      if (result.outcome !== 'ok' || id === undefined) return result
      return ask(directory, parts, round.asker, () =>
        describedNow({ ...parts, ...context }, directory, id, result),
      )
    },
  }
}

async function describedNow(
  context: MethodParts & MethodContext,
  directory: Directory,
  id: string,
  success: Success,
): Promise<RoundResult> {
  const { username } = success.user
  const user = await readAgain(context, directory, id, username)
  if (user === 'gone') return { outcome: 'failed', reason: 'disabled_user', user: success.user }
  if (typeof user === 'string') return failureOf(user)
  if (success.account_state === undefined) return { ...success, user }
  // What the directory says may have changed the account.
  const { factors } = await findFactors(context, username)
  return { ...success, user, account_state: accountState(user, factors) }
}

/** How long a directory is not asked about the same person again, in milliseconds, and how many people that is known of. */
const ASKED_AGAIN = 15 * 60_000
const MAX_REMEMBERED = 10_000

/**
 * Returns what says whether somebody who belongs to a directory may still sign in there. While the directory cannot be used,
 * what it said last counts.
 */
export function askedAgain(parts: MethodParts, directory: Directory): (user: User) => Promise<boolean> {
  const asked = new LRUCache<string, number>(atMost(MAX_REMEMBERED))
  return async (user) => {
    const id = idOfUser(user)
    const now = parts.now()
    const asked_at = asked.get(user.username) ?? Number.NEGATIVE_INFINITY
    // After the clock was set back, nobody knows how long ago that was.
    if (id === undefined || (asked_at <= now && now < asked_at + ASKED_AGAIN)) return true
    try {
      const found = await directory.inTurn(() => readAgain(parts, directory, id, user.username))
      if (found === 'gone') return false
    } catch (error) {
      if (!(error instanceof DirectoryFailure || error instanceof OAuthError)) throw error
      return true
    }
    asked.set(user.username, now)
    return true
  }
}

/** Takes over what the directory says now of the person of an account. */
async function readAgain(
  parts: MethodParts,
  directory: Directory,
  id: string,
  username: string,
): Promise<User | DirectoryRefusal | 'gone'> {
  const entry = await directory.findById(id)
  if (entry === undefined || directory.isLocked(entry)) return 'gone'
  const person = await readPerson(parts, directory, entry)
  return person === undefined ? 'unreadable' : asDescribed(parts, username, person)
}
