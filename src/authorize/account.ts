import type { Context } from '../context.ts'
import type { Account } from '../pages/account.ts'
import type { SessionRecord } from '../records/session.ts'
import { parseUser } from '../records/user.ts'

/**
 * The account of a session as pages show it; undefined where it is gone, disabled, malformed or another one by now.
 * @throws StorageUnavailable
 */
export async function accountOf(
  { storage }: Context,
  { username, sub }: SessionRecord,
): Promise<Account | undefined> {
  const parsed = parseUser(username, (await storage.readUser(username)) ?? {})
  if (!parsed.ok || parsed.record.disabled || parsed.record.sub !== sub) return undefined
  const { name = '' } = parsed.record.claims
  return name === '' ? { name: username } : { name, detail: username }
}
