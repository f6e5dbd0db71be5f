import type { AccountRegistry } from '../accounts/account-registry.ts'
import type { Account } from '../pages/account.ts'
import type { SessionRecord } from '../sessions/session-record.ts'

/**
 * The account of a session as pages show it. Returns undefined if the account is missing, disabled or malformed, or now
 * belongs to another user.
 * @throws StorageUnavailable
 */
export async function accountOf(
  { accounts }: { accounts: Pick<AccountRegistry, 'findUser'> },
  session: Pick<SessionRecord, 'username' | 'sub'>,
): Promise<Account | undefined> {
  const user = await accounts.findUser(session)
  if (user === undefined) return undefined
  const { name = '', email = '' } = user.claims
  const shown = name === '' ? { name: user.username } : { name, detail: user.username }
  return email === '' ? shown : { email, ...shown }
}
