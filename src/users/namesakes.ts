import { foldName } from '../core/visible-text.ts'
import type { RecordStore } from '../storage/storage.ts'
import { SIGN_IN_NAME } from './sign-in-names.ts'
import { USER } from './user-kind.ts'

/**
 * Returns the users whose usernames people take for this one, without the user of the same username. Of those that were
 * written by hand it finds the ones in lower case and in the index; `user lint` finds all.
 * @throws StorageUnavailable
 */
export async function namesakesOf({ records }: RecordStore, username: string): Promise<string[]> {
  const name = foldName(username)
  const index = (await records.read(SIGN_IN_NAME, name))?.hash ?? {}
  const found: string[] = []
  for (const other of new Set([name, ...Object.keys(index)])) {
    if (other === username || foldName(other) !== name) continue
    if ((await records.read(USER, other)) !== undefined) found.push(other)
  }
  return found
}

/** Says what is wrong with a new username that people take for that of another user. */
export function looksLike(namesake: string): string {
  return `has a username that people take for that of the user "${namesake}", who exists already`
}
