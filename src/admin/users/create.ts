import { randomBytes } from 'node:crypto'
import { looksLike, namesakesOf } from '../../accounts/namesakes.ts'
import { ownersOf } from '../../accounts/owners-of-subs.ts'
import { indexUser } from '../../accounts/sign-in-names.ts'
import { USER } from '../../accounts/user-kind.ts'
import { isUsername, parseUser, USERNAME_RULE } from '../../accounts/user-record.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { AdminContext } from '../operation.ts'
import { AdminError, invalidFields } from '../problem.ts'
import { assertMayGive } from '../rights.ts'
import { reportRights } from './events.ts'
import { rightsOf } from './noun.ts'

const SUB_BYTES = 16

/** Returns a new subject: 128 random bits, 22 base64url characters. */
export function newSub(): string {
  return randomBytes(SUB_BYTES).toString('base64url')
}

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
    throw new AdminError('exists', `The user "${username}" exists already.`)
}

/**
 * Writes the record of a new user and its indexes, and reports it. If storage fails in between, servers make the indexes.
 * @throws StorageUnavailable
 */
export async function insertUser(
  { storage, report }: Pick<AdminContext, 'storage' | 'report'>,
  username: string,
  hash: Hash,
): Promise<'ok' | 'exists'> {
  const outcome = await storage.records.create({ kind: USER, id: username, hash })
  if (outcome === 'exists') return outcome
  report({ event: 'user_added', username })
  reportRights(report, username, {}, hash)
  await indexUser(storage, username)
  return outcome
}

// It is never reassigned (OpenID Connect Core §2).
async function assertFree(store: RecordStore, sub: string): Promise<void> {
  const owner = (await ownersOf(store, [sub])).get(sub)
  if (owner !== undefined)
    throw new AdminError('exists', `The sub "${sub}" belongs to the user "${owner}" already.`)
}
