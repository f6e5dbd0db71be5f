import type { Static } from '@sinclair/typebox'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { looksLike, namesakesOf } from '../../users/namesakes.ts'
import { insertUser, newSub } from '../../users/new-user.ts'
import { ownersOf } from '../../users/owners-of-subs.ts'
import { wasRemoved } from '../../users/removed-sub.ts'
import { USER } from '../../users/user-kind.ts'
import { isUsername, parseUser, USERNAME_RULE } from '../../users/user-record.ts'
import type { AdminContext, OperationOutcome } from '../operation/operation.ts'
import { AdminError, alreadyExists, invalidFields } from '../operation/problem.ts'
import { assertMayGive } from '../operation/rights.ts'
import { differenceOfUser } from './difference.ts'
import { nameWarnings } from './name-check.ts'
import { describeUser, rightsOf, type UserAnswer } from './record-type.ts'
import { nextStep } from './way-in.ts'

/**
 * Returns the record of a new user.
 * @param given the fields that are given, as storage writes them
 * @param formerly the username of the removed user who may get his sub again; absent: nobody may
 * @throws AdminError `invalid_field`, `lacks_right` or `exists`; StorageUnavailable
 */
export async function planUser(
  { storage, caller }: Pick<AdminContext, 'storage' | 'caller'>,
  username: string,
  given: Hash,
  formerly?: string,
): Promise<Hash> {
  if (!isUsername(username)) {
    const detail = `A username must have ${USERNAME_RULE}.`
    throw new AdminError('invalid_field', detail, [{ field: 'username', detail }])
  }
  const hash = { sub: newSub(), ...given }
  const parsed = parseUser(username, hash)
  if (!parsed.ok) throw invalidFields(parsed.problems)
  assertMayGive(caller, rightsOf(hash))
  if (given.sub !== undefined) await assertFree(storage, given.sub, formerly)
  const [namesake] = await namesakesOf(storage, username)
  if (namesake !== undefined) throw collision('username', `The user "${username}"`, looksLike(namesake), '')
  return hash
}

/** Writes a new user. @throws AdminError `exists`; StorageUnavailable */
async function writeNewUser(
  { storage, report }: Pick<AdminContext, 'storage' | 'report'>,
  username: string,
  hash: Hash,
): Promise<void> {
  if ((await insertUser({ storage, report }, username, hash)) === 'exists')
    throw alreadyExists('user', username)
}

/** Returns the error for a field that another user has; that the user exists already names none. */
const collision = (field: string, which: string, why: string, subject = `its ${field} `) =>
  new AdminError('exists', `${which} ${why}.`, [{ field, detail: subject + why }])

/**
 * Checks that a sub is nobody's: it is never reassigned (OpenID Connect Core §2).
 * @param formerly as of planUser
 * @throws AdminError `exists`; StorageUnavailable
 */
export async function assertFree(store: RecordStore, sub: string, formerly?: string): Promise<void> {
  const owner = (await ownersOf(store, [sub])).get(sub)
  if (owner !== undefined)
    throw collision('sub', `The sub "${sub}"`, `belongs to the user "${owner}" already`)
  if (await wasRemoved(store, sub, formerly))
    throw collision('sub', `The sub "${sub}"`, 'was that of a user who was removed')
}

/**
 * Adds a user, or says what a dry run would write.
 * @param given the fields that are given, as storage writes them
 * @param imported its record was made elsewhere: the same person may get the sub again, and there may be a hash of a
 * password
 * @throws AdminError as planUser and writeNewUser, `exists` before any other; StorageUnavailable
 */
export async function createFrom(
  context: Pick<AdminContext, 'storage' | 'settings' | 'caller' | 'report'>,
  username: string,
  given: Hash,
  dry_run = false,
  imported?: { readonly hash?: (() => Promise<string | undefined>) | undefined },
): Promise<OperationOutcome<Static<typeof UserAnswer>>> {
  if ((await context.storage.records.read(USER, username)) !== undefined)
    throw alreadyExists('user', username)
  const password_hash = await imported?.hash?.()
  const planned = await planUser(context, username, given, imported && username)
  if (dry_run) {
    // Another sub is drawn when it is written.
    const left = [...(given.sub === undefined ? ['sub'] : []), ...(imported?.hash ? ['password'] : [])]
    const difference = differenceOfUser(username, {}, planned).filter(({ field }) => !left.includes(field))
    return { difference: imported?.hash ? [...difference, { field: 'password' }] : difference }
  }
  const hash = password_hash === undefined ? planned : { ...planned, password_hash }
  await writeNewUser(context, username, hash)
  // Of a list of users, nobody reads what is said of each.
  const is_listed = imported !== undefined && password_hash === undefined
  const warned = is_listed ? {} : await nameWarnings(context, username, hash)
  const left = await nextStep(context, username, hash)
  return { body: { ...describeUser(username, hash), ...warned, ...left }, stored: hash }
}
