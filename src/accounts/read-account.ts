import type { Log } from '../core/log.ts'
import type { UserStore } from '../storage/storage.ts'
import { isUsername, parseUser, type User } from './user-record.ts'

/** What it takes to read an account. */
export interface AccountContext {
  readonly storage: Pick<UserStore, 'readUser'>
  readonly log: Log
}

/**
 * The account of this name as storage has it now, disabled as it may be; undefined where there is none, or its record is
 * malformed, which the log hears.
 * @throws StorageUnavailable
 */
export async function readAccount(
  { storage, log }: AccountContext,
  username: string,
): Promise<User | undefined> {
  if (!isUsername(username)) return undefined
  const hash = await storage.readUser(username)
  if (hash === undefined) return undefined
  const parsed = parseUser(username, hash)
  if (parsed.ok) return parsed.record
  for (const { field, problem } of parsed.problems) {
    log.warn({ username, field }, `The user record is refused: ${field} ${problem}.`)
  }
  return undefined
}
