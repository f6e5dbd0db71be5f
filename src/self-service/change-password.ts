import { commit } from '../core/commit.ts'
import { type AccountNow, changeAccount, readAccountNow } from '../factors/account-now.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import { evidenceTag } from '../storage/evidence.ts'
import type { Asker } from '../users/fair-queue.ts'
import { type PasswordFault, passwordFault } from '../users/password-rules.ts'
import type { Passwords } from '../users/passwords.ts'
import type { User } from '../users/user-record.ts'
import type { AccountPageContext } from './account-context.ts'

/** What it takes to change one's password. */
export type ChangePasswordContext = AccountPageContext & { readonly passwords: Pick<Passwords, 'hash'> }

/**
 * Changes the password of a person who confirmed who it is. Links that were given before end.
 * @param judged the account by which it was found that this may be; absent: as it is now
 * @returns why it is refused; `changed`; `stale`: the account changed meanwhile
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function changePassword(
  context: ChangePasswordContext,
  user: User,
  password: string,
  asker: Asker,
  judged?: AccountNow,
): Promise<PasswordFault | 'changed' | 'stale'> {
  const { storage, settings, passwords } = context
  const { username, sub, claims } = user
  const account = judged ?? (await readAccountNow(context, username))
  if (account?.user.sub !== sub) return 'stale'
  const rules = passwordRulesFor(settings, account.factors)
  const fault = passwordFault(password, rules, { username, email: claims.email })
  if (fault !== undefined) return fault
  const password_hash = await passwords.hash(password, asker)
  const event = { event: 'password_changed', username } as const
  const changed = await commit(context, [event], { sub }, (told) =>
    changeAccount(context, account, { set: { password_hash }, told }),
  )
  if (changed === undefined) return 'stale'
  await storage.evidence.end(evidenceTag(username))
  return 'changed'
}
