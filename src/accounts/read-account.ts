import type { Log } from '../core/log.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from './user-kind.ts'
import { isUsername, type User } from './user-record.ts'

/**
 * The account of this name as storage has it now, whether disabled or not; undefined if it is missing or malformed.
 * Malformed records are logged.
 * @throws StorageUnavailable
 */
export async function readAccount(
  { storage, log }: { storage: RecordStore; log: Log },
  username: string,
): Promise<User | undefined> {
  if (!isUsername(username)) return undefined
  const found = await storage.records.read(USER, username)
  if (found === undefined) return undefined
  if (found.ok) return found.record
  for (const { field, problem } of found.problems) {
    log.warn({ username, field }, `The user record is refused: ${field} ${problem}.`)
  }
  return undefined
}
