import { readAccount } from '../accounts/read-account.ts'
import type { Log } from '../core/log.ts'
import type { Account } from '../pages/account.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import type { RecordStore } from '../storage/storage.ts'

/**
 * The account of a session as pages show it. Returns undefined if the account is missing, disabled or malformed, or now
 * belongs to another subject.
 * @throws StorageUnavailable
 */
export async function accountOf(
  context: { storage: RecordStore; log: Log },
  { username, sub }: SessionRecord,
): Promise<Account | undefined> {
  const user = await readAccount(context, username)
  if (user === undefined || user.disabled || user.sub !== sub) return undefined
  const { name = '' } = user.claims
  return name === '' ? { name: username } : { name, detail: username }
}
