import { readAdministrators } from '../../accounts/administrators.ts'
import { commonScopes } from '../../core/admin-scopes.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { changeUser, type UserContext } from './change.ts'
import { readUser, rightsOf } from './noun.ts'

/** A user with the rights at the admin API, and whether the user may sign in. */
export interface Administrator {
  readonly username: string
  readonly admin: readonly string[]
  readonly disabled: boolean
}

/**
 * Changes the rights of a user at the admin API.
 * @param change returns the scopes that the user then has, from those that the user has
 * @returns the scopes that the user has now
 * @throws AdminError `not_found`, `invalid_field`, `last_administrator`, `stale`; StorageUnavailable
 */
export async function changeRights(
  context: UserContext,
  username: string,
  change: (rights: readonly string[]) => readonly string[],
): Promise<string[]> {
  const stored = await readUser(context.storage, username)
  const wanted = change(rightsOf(stored))
  const fields =
    wanted.length === 0 ? { set: {}, unset: ['admin'] } : { set: { admin: wanted.join(' ') }, unset: [] }
  return rightsOf(await changeUser(context, username, stored, fields))
}

/** Returns scopes with others, without those that a sum among them says already. */
export function addedRights(rights: readonly string[], given: readonly string[]): string[] {
  return commonScopes([...rights, ...given])
}

/** Returns the users who have rights at the admin API, by username. @throws StorageUnavailable */
export async function listAdministrators(store: RecordStore): Promise<Administrator[]> {
  const found = await readAdministrators(store)
  return found.map(({ username, hash }) => ({
    username,
    admin: rightsOf(hash),
    disabled: hash.disabled === 'true',
  }))
}
