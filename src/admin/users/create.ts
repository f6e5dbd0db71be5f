import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { looksLike, namesakesOf } from '../../users/namesakes.ts'
import { insertUser, newSub } from '../../users/new-user.ts'
import { ownersOf } from '../../users/owners-of-subs.ts'
import { wasRemoved } from '../../users/removed-sub.ts'
import { isUsername, parseUser, USERNAME_RULE } from '../../users/user-record.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, alreadyExists, invalidFields } from '../operation/problem.ts'
import { assertMayGive } from '../operation/rights.ts'
import { rightsOf } from './noun.ts'

/**
 * Returns the record of a new user.
 * @param given the fields that are given, as storage writes them
 * @throws AdminError `invalid_field`, `lacks_right` or `exists`; StorageUnavailable
 */
export async function planUser(
  { storage, caller }: Pick<AdminContext, 'storage' | 'caller'>,
  username: string,
  given: Hash,
): Promise<Hash> {
  if (!isUsername(username)) {
    const detail = `A username must have ${USERNAME_RULE}.`
    throw new AdminError('invalid_field', detail, [{ field: 'username', detail }])
  }
  const hash = { sub: newSub(), ...given }
  const parsed = parseUser(username, hash)
  if (!parsed.ok) throw invalidFields(parsed.problems)
  assertMayGive(caller, rightsOf(hash))
  if (given.sub !== undefined) await assertFree(storage, given.sub)
  const [namesake] = await namesakesOf(storage, username)
  if (namesake !== undefined) throw new AdminError('exists', `The user "${username}" ${looksLike(namesake)}.`)
  return hash
}

/** Writes a new user. @throws AdminError `exists`; StorageUnavailable */
export async function writeNewUser(
  { storage, report }: Pick<AdminContext, 'storage' | 'report'>,
  username: string,
  hash: Hash,
): Promise<void> {
  if ((await insertUser({ storage, report }, username, hash)) === 'exists')
    throw alreadyExists('user', username)
}

// It is never reassigned (OpenID Connect Core §2).
async function assertFree(store: RecordStore, sub: string): Promise<void> {
  const owner = (await ownersOf(store, [sub])).get(sub)
  if (owner !== undefined)
    throw new AdminError('exists', `The sub "${sub}" belongs to the user "${owner}" already.`)
  if (await wasRemoved(store, sub))
    throw new AdminError('exists', `The sub "${sub}" was that of a user who was removed.`)
}
