import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from './user-kind.ts'
import { isUsername, type User } from './user-record.ts'

/** The dependencies of readAccount. */
export interface AccountContext {
  readonly storage: RecordStore
  readonly log: Log
  readonly settings: Pick<Settings, 'demo'>
}

/**
 * Reads the account of a username; it may be disabled. Returns undefined if it is missing or malformed, or if demo mode
 * wrote it and is off; the last two cases are logged.
 * @throws StorageUnavailable
 */
export async function readAccount(
  { storage, log, settings }: AccountContext,
  username: string,
): Promise<User | undefined> {
  if (!isUsername(username)) return undefined
  const found = await storage.records.read(USER, username)
  const user = found && readRecord(found, log, 'user', { username })
  if (!user?.demo || settings.demo) return user
  log.warn({ username }, `The user of demo mode is refused. Remove it: redmint user remove ${username}`)
  return undefined
}

/**
 * Reads the account of a username. Returns undefined if it is disabled, and in the same cases as readAccount.
 * @throws StorageUnavailable
 */
export async function readEnabledAccount(
  context: AccountContext,
  username: string,
): Promise<User | undefined> {
  const user = await readAccount(context, username)
  return user?.disabled ? undefined : user
}
