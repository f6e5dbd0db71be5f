import type { Asker } from '../accounts/fair-queue.ts'
import { type PasswordFault, passwordFault } from '../accounts/password-rules.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { USER } from '../accounts/user-kind.ts'
import type { User } from '../accounts/user-record.ts'
import { toldOf } from '../core/events.ts'
import { findFactors } from '../factors/change-factors.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import { evidenceTag } from '../storage/evidence.ts'
import type { AccountPageContext } from './account-context.ts'

/** What it takes to change one's password. */
export type ChangePasswordContext = AccountPageContext & { readonly passwords: Pick<Passwords, 'hash'> }

/**
 * Changes the password of a person who confirmed who it is. Links that were given before end.
 * @returns why it is refused; `changed`; `stale`: the account changed meanwhile
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function changePassword(
  context: ChangePasswordContext,
  user: User,
  password: string,
  asker: Asker,
): Promise<PasswordFault | 'changed' | 'stale'> {
  const { storage, settings, passwords, report } = context
  const { username, sub, claims } = user
  const { factors } = await findFactors(context, username)
  const rules = passwordRulesFor(settings, factors)
  const fault = passwordFault(password, rules, { username, email: claims.email })
  if (fault !== undefined) return fault
  const password_hash = await passwords.hash(password, asker)
  const expected = { sub, ...(user.password_hash !== undefined && { password_hash: user.password_hash }) }
  const event = { event: 'password_changed', username } as const
  const told = toldOf(report, [event], { sub })
  const changed = await storage.records.change(USER, username, { set: { password_hash }, expected, told })
  if (changed === 'missing') return 'stale'
  report(event)
  await storage.evidence.end(evidenceTag(username))
  return 'changed'
}
