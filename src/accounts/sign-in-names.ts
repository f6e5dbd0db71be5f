import type { Hash } from '../core/record-hash.ts'
import { foldName } from '../core/visible-text.ts'
import type { Kind } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { indexAdministrator, isListed } from './administrators.ts'
import { USER } from './user-kind.ts'
import { isUsername } from './user-record.ts'

/**
 * The index of the names that users type, folded: the usernames that a name may stand for, a field each. It is only a
 * hint, since users can be written without it: a user record decides which names it has.
 */
export const SIGN_IN_NAME: Kind<readonly string[]> = {
  name: 'sign-in-name',
  by_operators: true,
  format: (usernames) => Object.fromEntries(usernames.map((username) => [username, '1'])),
  parse: (hash) => ({ ok: true, record: Object.keys(hash).filter(isUsername) }),
}

/**
 * Returns the folded names that a user may sign in by: the username and the e-mail address, if that is verified and has
 * the form of a username.
 * @param fields the stored hash, or the claims
 */
export function namesOf(username: string, { email = '', email_verified }: Hash): Set<string> {
  const address = email_verified === 'true' ? [foldName(email)] : []
  return new Set([foldName(username), ...address].filter(isUsername))
}

/** Returns the entry of `linked_subjects`, and of the index, for a user at another issuer. No name has its form. */
export function linkOf(issuer: string, sub: string): string {
  return `${issuer}#${encodeURIComponent(sub.toWellFormed())}`
}

/**
 * Returns the names of a user that are in the index, and the links to other issuers. The username itself is not in it:
 * the key of the record finds it.
 */
export function indexedNamesOf(username: string, fields: Hash): string[] {
  const links = (fields.linked_subjects ?? '').split(' ').filter((link) => link !== '')
  return [...[...namesOf(username, fields)].filter((name) => name !== username), ...links]
}

/** Adds a user to a name in the index. @throws StorageUnavailable */
export async function addSignInName({ records }: RecordStore, name: string, username: string): Promise<void> {
  const hash = SIGN_IN_NAME.format([username])
  // Another process may add the first user of a name, or remove the last one, between the two.
  while ((await records.create({ kind: SIGN_IN_NAME, id: name, hash })) === 'exists') {
    if ((await records.change(SIGN_IN_NAME, name, { set: hash })) === 'ok') return
  }
}

/** Removes a user from a name in the index. @throws StorageUnavailable */
export async function removeSignInName(
  { records }: RecordStore,
  name: string,
  username: string,
): Promise<void> {
  await records.change(SIGN_IN_NAME, name, { set: {}, unset: [username] })
}

/**
 * Makes the indexes of names and administrators fit the present record of a user, after a change.
 * @param former the record before the change; its names are removed unless the user still has them
 * @throws StorageUnavailable
 */
export async function indexUser(store: RecordStore, username: string, former: Hash = {}): Promise<void> {
  const present = (await store.records.read(USER, username))?.hash
  const names = present === undefined ? [] : indexedNamesOf(username, present)
  const lost = indexedNamesOf(username, former).filter((name) => !names.includes(name))
  await Promise.all([
    ...names.map((name) => addSignInName(store, name, username)),
    ...lost.map((name) => removeSignInName(store, name, username)),
    ...(isListed(present ?? {}) || isListed(former)
      ? [indexAdministrator(store, username, isListed(present ?? {}))]
      : []),
  ])
}
