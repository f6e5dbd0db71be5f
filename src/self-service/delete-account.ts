import { commit } from '../core/commit.ts'
import { endMarks, queueEndings } from '../logout/end-of-user.ts'
import { USER } from '../users/user-kind.ts'
import { formatUser, type User } from '../users/user-record.ts'
import type { AccountPageContext } from './account-context.ts'
import { forgetUser } from './forget-user.ts'

/** Whether a person manages the service: another administrator has to remove the account, so that one stays. */
export const isOperator = ({ admin = [] }: User): boolean => admin.length > 0

/**
 * Deletes an account for its person: all sessions and grants end, and nobody can sign in to it from the first step on.
 * Returns false if it must not be, or changed meanwhile.
 * @throws StorageUnavailable: it may be disabled, and not removed
 */
export async function deleteOwnAccount(context: AccountPageContext, user: User): Promise<boolean> {
  const { storage, settings } = context
  const { username, sub } = user
  if (settings.account_deletion === 'off' || isOperator(user)) return false
  const { before, marks } = endMarks(context)
  const event = { event: 'user_disabled', username } as const
  const disabling = { set: { disabled: 'true', ...marks }, expected: { sub } }
  const disabled = await commit(context, [event], { sub }, (told) =>
    storage.records.change(USER, username, { ...disabling, told }),
  )
  if (disabled === 'missing') return false
  await queueEndings(context, username, before)
  await forgetUser(context, username, formatUser(user))
  return true
}
