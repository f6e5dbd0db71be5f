import { readAccount } from '../accounts/read-account.ts'
import type { Context } from '../context.ts'
import type { Account } from '../pages/account.ts'
import type { SessionRecord } from '../sessions/session-record.ts'

/**
 * The account of a session as pages show it; undefined where it is gone, disabled, malformed or another one by now.
 * @throws StorageUnavailable
 */
export async function accountOf(
  context: Context,
  { username, sub }: SessionRecord,
): Promise<Account | undefined> {
  const user = await readAccount(context, username)
  if (user === undefined || user.disabled || user.sub !== sub) return undefined
  const { name = '' } = user.claims
  return name === '' ? { name: username } : { name, detail: username }
}
