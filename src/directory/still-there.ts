import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import type { MethodContext, RoundResult, SignInMethod, Success } from '../interaction/sign-in-method.ts'
import { asDescribed, failureOf } from './account.ts'
import { ask } from './ask.ts'
import type { Directory } from './directory.ts'
import { idOfUser, readPerson } from './person.ts'

/**
 * Another way to sign in, such as a passkey, where there is a directory: who belongs to it signs in only while it has an entry
 * of this person that is not locked, and as whom it describes now.
 */
export function whileThere(method: SignInMethod, parts: MethodParts, directory: Directory): SignInMethod {
  return {
    ...method,
    async authenticate(context, round) {
      const result = await method.authenticate(context, round)
      const id = result.outcome === 'ok' ? idOfUser(result.user) : undefined
      if (result.outcome !== 'ok' || id === undefined) return result
      return ask(directory, parts.log, round.asker, () =>
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
  const entry = await directory.findById(id)
  if (entry === undefined || directory.isLocked(entry))
    return { outcome: 'failed', reason: 'disabled_user', user: success.user }
  const person = await readPerson(context, directory, entry)
  const user = person === undefined ? 'unreadable' : await asDescribed(context, success.user.username, person)
  if (typeof user === 'string') return failureOf(user)
  if (success.account_state === undefined) return { ...success, user }
  // What the directory says may have changed the account.
  const { factors } = await findFactors(context, user.username)
  return { ...success, user, account_state: accountState(user, factors) }
}
