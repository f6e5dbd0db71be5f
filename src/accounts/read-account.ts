import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from './user-kind.ts'
import { isUsername, type User } from './user-record.ts'

/** The dependencies of readAccount. */
export interface AccountContext {
  readonly storage: RecordStore
  readonly log: Log
}

/**
 * Reads the account of a username; it may be disabled. Returns undefined if it is missing or malformed. Malformed
 * records are logged.
 * @throws StorageUnavailable
 */
export async function readAccount(
  { storage, log }: AccountContext,
  username: string,
): Promise<User | undefined> {
  if (!isUsername(username)) return undefined
  const found = await storage.records.read(USER, username)
  return found && readRecord(found, log, 'user', { username })
}

/**
 * Reads the account of a username. Returns undefined if it is missing, disabled or malformed, as readAccount.
 * @throws StorageUnavailable
 */
export async function readEnabledAccount(
  context: AccountContext,
  username: string,
): Promise<User | undefined> {
  const user = await readAccount(context, username)
  return user?.disabled ? undefined : user
}
