import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import type { UserStore } from '../storage/storage.ts'
import { isUsername, parseUser, type User } from './user-record.ts'

/** What it takes to read an account. */
export interface AccountContext {
  readonly storage: Pick<UserStore, 'readUser'>
  readonly log: Log
}

/**
 * Reads the account of this name, which may be disabled. Returns undefined if it is missing or malformed; a malformed
 * record is logged.
 * @throws StorageUnavailable
 */
export async function readAccount(
  { storage, log }: AccountContext,
  username: string,
): Promise<User | undefined> {
  if (!isUsername(username)) return undefined
  const hash = await storage.readUser(username)
  return hash && readRecord(parseUser(username, hash), log, 'user', { username })
}
