import type { Hash } from '../core/record-hash.ts'
import { foldName } from '../core/visible-text.ts'
import { type Kind, recordOf } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { indexAdministrator, isListed } from './administrators.ts'
import { USER } from './user-kind.ts'
import { isUsername } from './user-record.ts'

/**
 * The index of the names that users type, folded, of their subs, and of their links to other issuers: the usernames that
 * each may stand for, a field each. It is only a hint, since users can be written without it: a user record decides which
 * names it has.
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

/** Returns the entry of the index for a sub. Neither a name, which has no colon, nor a link has its form. */
export function subEntry(sub: string): string {
  return `sub:${sub}`
}

/**
 * Returns the entries of a user in the index: the names, the sub and the links to other issuers. The username itself is
 * not in it: the key of the record finds it.
 */
export function indexedNamesOf(username: string, fields: Hash): string[] {
  const links = (fields.linked_subjects ?? '').split(' ').filter((link) => link !== '')
  const subs = fields.sub ? [subEntry(fields.sub)] : []
  return [...[...namesOf(username, fields)].filter((name) => name !== username), ...subs, ...links]
}

/** Somebody as others are told. */
export interface KnownPerson {
  readonly username: string
  /** Absent: the account has no name. */
  readonly name?: string | undefined
}

/** Returns who has a sub: one, unless some records were written by hand. @throws StorageUnavailable */
export async function peopleOfSub({ records }: RecordStore, sub: string): Promise<KnownPerson[]> {
  const indexed = recordOf(await records.read(SIGN_IN_NAME, subEntry(sub))) ?? []
  const users = await Promise.all(indexed.map((username) => records.read(USER, username)))
  return indexed.flatMap((username, i) => {
    const hash = users[i]?.hash
    return hash?.sub === sub ? [{ username, name: hash.name || undefined }] : []
  })
}

/** Returns the usernames of the records with a sub. @throws StorageUnavailable */
export const usernamesOfSub = async (store: RecordStore, sub: string): Promise<string[]> =>
  (await peopleOfSub(store, sub)).map(({ username }) => username)

/** Adds a user to a name in the index. Returns whether it was missing. @throws StorageUnavailable */
export async function addSignInName(store: RecordStore, name: string, username: string): Promise<boolean> {
  if (Object.hasOwn((await store.records.read(SIGN_IN_NAME, name))?.hash ?? {}, username)) return false
  await putSignInName(store, name, username)
  return true
}

/** The same, without looking whether it is there. */
async function putSignInName({ records }: RecordStore, name: string, username: string): Promise<void> {
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

/** The parts of the storage that users are found by. */
export type UserStore = Pick<Storage, 'records' | 'sign_ins'>

/** Adds a user who has just been written to the indexes. @throws StorageUnavailable */
export async function indexNewUser(store: UserStore, username: string, hash: Hash): Promise<void> {
  await Promise.all([
    ...indexedNamesOf(username, hash).map((name) => putSignInName(store, name, username)),
    store.sign_ins.add([username]),
  ])
  if (isListed(hash)) await indexAdministrator(store, username, true)
}

/**
 * Makes the indexes of names, last sign-ins and administrators fit the present record of a user, after a change.
 * @param former the record before the change; its names are removed unless the user still has them
 * @throws StorageUnavailable
 */
export async function indexUser(store: UserStore, username: string, former: Hash = {}): Promise<void> {
  const present = await indexNames(store, username, former)
  if (isListed(present ?? {}) || isListed(former))
    await indexAdministrator(store, username, isListed(present ?? {}))
}

/** As indexUser without administrators. Returns the present record. @throws StorageUnavailable */
export async function indexNames(
  store: UserStore,
  username: string,
  former: Hash = {},
): Promise<Hash | undefined> {
  const present = (await store.records.read(USER, username))?.hash
  const names = present === undefined ? [] : indexedNamesOf(username, present)
  const lost = indexedNamesOf(username, former).filter((name) => !names.includes(name))
  await Promise.all([
    ...names.map((name) => addSignInName(store, name, username)),
    ...lost.map((name) => removeSignInName(store, name, username)),
    present === undefined ? store.sign_ins.forget([username]) : store.sign_ins.add([username]),
  ])
  return present
}
