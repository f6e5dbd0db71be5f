import type { MethodParts } from '../interaction/method-parts.ts'
import type { SignInMethod } from '../interaction/sign-in-method.ts'
import { ask } from './ask.ts'
import type { Directory } from './directory.ts'
import { isDisabled } from './entry.ts'
import { idOfUser } from './person.ts'

/**
 * Another way to sign in, such as a passkey, where there is a directory: who belongs to it signs in only while it has an entry
 * of this person that is not disabled.
 */
export function whileThere(method: SignInMethod, { log }: MethodParts, directory: Directory): SignInMethod {
  return {
    ...method,
    async authenticate(context, round) {
      const result = await method.authenticate(context, round)
      const id = result.outcome === 'ok' ? idOfUser(result.user) : undefined
      if (result.outcome !== 'ok' || id === undefined) return result
      const entry = await ask(directory, log, round.asker, () => directory.findById(id))
      return entry === undefined || isDisabled(entry)
        ? { outcome: 'failed', reason: 'disabled_user', user: result.user }
        : result
    },
  }
}
