import { commit } from '../../core/commit.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { Change } from '../../storage/records.ts'
import { isAdministrator, leaveAdministrators } from '../../users/administrators.ts'
import { indexUser, type UserStore } from '../../users/sign-in-names.ts'
import { parseUser } from '../../users/user-record.ts'
import { applyChange } from '../operation/apply-change.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, invalidFields } from '../operation/problem.ts'
import { changeRead } from '../operation/record-type.ts'
import { assertMayGive } from '../operation/rights.ts'
import { eventsOfUser } from './events.ts'
import { rightsOf, USERS } from './record-type.ts'

/** What changing a user needs. */
export type UserContext = Pick<AdminContext, 'storage' | 'caller' | 'report'>

/**
 * Returns the record of a user after a change.
 * @throws AdminError `invalid_field`; `lacks_right` if the user has or gets a right that the caller lacks
 */
export function changedUser(
  { caller }: Pick<UserContext, 'caller'>,
  username: string,
  stored: Hash,
  change: Change,
): Hash {
  const present = applyChange(stored, change)
  // Whoever changes the address of an administrator, or signs in as one, has the rights of that user.
  assertMayGive(caller, [...rightsOf(stored), ...rightsOf(present)])
  const parsed = parseUser(username, present)
  if (!parsed.ok) throw invalidFields(parsed.problems)
  return present
}

/**
 * Changes a user that is still as it was read.
 * @param marks what is written besides, and is no event
 * @returns the record as it is stored now
 * @throws AdminError as changedUser, and `last_administrator` or `stale`; StorageUnavailable
 */
export async function changeUser(
  context: UserContext,
  username: string,
  stored: Hash,
  change: Change,
  marks: Hash = {},
): Promise<Hash> {
  const wanted = changedUser(context, username, stored, change)
  const marked = { ...change, set: { ...change.set, ...marks } }
  const { storage } = context
  const { sub } = wanted
  const present = await commit(context, eventsOfUser(username, stored, wanted), { sub }, (told) =>
    keepingAdministrator(storage, username, stored, wanted, () =>
      changeRead(storage, USERS, username, stored, { ...marked, told }),
    ),
  )
  await indexUser(storage, username, stored)
  return present
}

/**
 * Does a change of a user, unless nobody would be an administrator afterwards.
 * @param wanted the record that it makes; absent: none
 * @throws AdminError `last_administrator`; any error of `write`
 */
export async function keepingAdministrator<T>(
  storage: UserStore,
  username: string,
  stored: Hash,
  wanted: Hash | undefined,
  write: () => Promise<T>,
): Promise<T> {
  const stays = wanted !== undefined && isAdministrator(username, wanted)
  if (stays || !isAdministrator(username, stored)) return write()
  if (!(await leaveAdministrators(storage, username))) throw lastAdministrator(username)
  try {
    return await write()
  } catch (error) {
    await indexUser(storage, username)
    throw error
  }
}

/** Returns the error for a user without whom nobody would be an administrator. */
export const lastAdministrator = (username: string): AdminError =>
  new AdminError(
    'last_administrator',
    `The user "${username}" is the last one with redmint:write: give it to another user first.`,
  )
