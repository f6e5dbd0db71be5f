import { hasScope } from '../core/admin-scopes.ts'
import type { Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'
import type { Kind } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from './user-kind.ts'
import { parseUser } from './user-record.ts'

/**
 * Users who have rights at the admin API, a field each, so that nobody has to read all users. It is only a hint, as the
 * index of sign-in names: a user record decides.
 */
const ADMINISTRATORS: Kind<readonly string[]> = {
  name: 'administrators',
  by_operators: true,
  format: (usernames) => Object.fromEntries(usernames.map((username) => [username, '1'])),
  parse: (hash) => ({ ok: true, record: Object.keys(hash) }),
}
/** There is one record. */
const ID = 'users'

/** Whether a user record gives rights at the admin API. */
export const isListed = ({ admin = '' }: Hash) => scopeNames(admin).length > 0

/** Whether a user can change everything by the admin API: one such user must stay. */
export function isAdministrator(username: string, fields: Hash): boolean {
  const parsed = parseUser(username, fields)
  return parsed.ok && !parsed.record.disabled && hasScope(new Set(parsed.record.admin ?? []), 'redmint:write')
}

/** Makes the index fit a user. @throws StorageUnavailable */
export async function indexAdministrator(
  { records }: RecordStore,
  username: string,
  is_listed: boolean,
): Promise<void> {
  if (!is_listed) {
    await records.change(ADMINISTRATORS, ID, { set: {}, unset: [username] })
    return
  }
  const hash = ADMINISTRATORS.format([username])
  // Another process may add the first one, or remove the last one, between the two.
  while ((await records.create({ kind: ADMINISTRATORS, id: ID, hash })) === 'exists') {
    if ((await records.change(ADMINISTRATORS, ID, { set: hash })) === 'ok') return
  }
}

/** Yields the users of the index with their records. @throws StorageUnavailable */
export async function readAdministrators({
  records,
}: RecordStore): Promise<{ username: string; hash: Hash }[]> {
  const usernames = Object.keys((await records.read(ADMINISTRATORS, ID))?.hash ?? {}).sort()
  const found = await Promise.all(usernames.map((username) => records.read(USER, username)))
  return usernames.flatMap((username, index) => {
    const hash = found[index]?.hash
    return hash !== undefined && isListed(hash) ? [{ username, hash }] : []
  })
}

/**
 * Whether no other user of the index is an administrator.
 * @param counts which of them count
 * @throws StorageUnavailable
 */
export async function isLastAdministrator(
  store: RecordStore,
  username: string,
  counts: (other: string) => boolean = () => true,
): Promise<boolean> {
  const found = await readAdministrators(store)
  const others = found.filter((one) => one.username !== username && counts(one.username))
  return !others.some((one) => isAdministrator(one.username, one.hash))
}

/**
 * Takes an administrator from the index before the rights end, unless nobody else is one. Of several that are taken at the
 * same time, each sees that the others are gone. If the change is not made, `indexUser` puts the user back.
 * @returns whether there is another administrator
 * @throws StorageUnavailable
 */
export async function leaveAdministrators(store: RecordStore, username: string): Promise<boolean> {
  for (;;) {
    const expected = (await store.records.read(ADMINISTRATORS, ID))?.hash ?? {}
    const is_last = await isLastAdministrator(store, username, (other) => Object.hasOwn(expected, other))
    if (is_last) return false
    const change = { set: {}, unset: [username], expected, whole: true } as const
    if ((await store.records.change(ADMINISTRATORS, ID, change)) === 'ok') return true
  }
}
