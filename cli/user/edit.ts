import { randomBytes } from 'node:crypto'
import type { Passwords } from '../../src/accounts/passwords.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { formatUser, isUsername, parseUser } from '../../src/accounts/user-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { applyChange } from '../apply-change.ts'
import { endAllOfUser, JWTS_STAY, sayEnded } from '../end-all.ts'
import { assertWellFormed, Refusal, UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import type { Opened } from '../run.ts'
import { describeUser, noSuchUser, readUser, sayUser } from './show.ts'

/** A new user. */
export interface NewUser {
  /** The fields that flags set. */
  fields: Hash
  claims: Hash
  password?: string
}

const SUB_BYTES = 16

/** Returns a new subject: 128 random bits, 22 base64url characters. */
export function newSub(): string {
  return randomBytes(SUB_BYTES).toString('base64url')
}

/**
 * The command `user add`.
 * @throws Refusal if the user or the sub exists, or the record would be malformed
 */
export async function addUser(
  store: RecordStore,
  passwords: Passwords,
  username: string,
  { fields, claims, password }: NewUser,
): Promise<Report> {
  if (!isUsername(username)) {
    throw new Refusal('A username has 1 to 255 characters, without white space, colons and braces.')
  }
  const { sub } = fields
  const user = { ...formatUser({ sub: newSub(), claims }), ...fields }
  assertWellFormed(parseUser(username, user))
  if (sub !== undefined) await assertFree(store, sub)
  const hash = password === undefined ? user : { ...user, password_hash: await passwords.hash(password) }
  if ((await store.records.create({ kind: USER, id: username, hash: hash })) === 'exists') {
    throw new Refusal(`There is a user "${username}" already.`)
  }
  return reportUser('The user is stored.', username, hash)
}

/**
 * The command `user update`: changes the claims that are named, and nothing else.
 * @throws Refusal if the user does not exist or the record would be malformed; UsageError if nothing is named
 */
export async function updateUser(
  store: RecordStore,
  username: string,
  set: Hash,
  unset: readonly string[],
): Promise<Report> {
  const both = unset.find((name) => Object.hasOwn(set, name))
  if (both !== undefined) throw new UsageError(`${both} is to be set and to be removed: which?`)
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError('There is nothing to change: name it by a flag, see redmint user update --help.')
  }
  const changed = applyChange(await readUser(store, username), { set, unset })
  assertWellFormed(parseUser(username, changed))
  if ((await store.records.change(USER, username, { set, unset })) === 'missing') throw noSuchUser(username)
  return reportUser('The user is changed.', username, changed)
}

/**
 * The command `user set-password`. It ends every sign-in with the old password, because most often a password is
 * changed when somebody else may know it.
 * @throws Refusal if the user does not exist, or another process changes the password at the same time
 */
export async function setPassword(
  opened: Opened,
  passwords: Passwords,
  username: string,
  password: string,
): Promise<Report> {
  const { storage: store } = opened
  const { sub = '' } = await readUser(store, username)
  const password_hash = await passwords.hash(password)
  if ((await store.records.change(USER, username, { set: { password_hash }, unset: [] })) === 'missing') {
    throw noSuchUser(username)
  }
  const ended = await endAllOfUser(opened, { subject: sub, username })
  // Two operators may set passwords at the same time, and only one of the two holds.
  if ((await readUser(store, username)).password_hash !== password_hash) {
    throw new Refusal('Something else changed the password at the same time: repeat the command.')
  }
  return {
    text: `The user has a new password. ${sayEnded(ended)} ${JWTS_STAY}`,
    json: { username, password: 'set', ended },
  }
}

/** @throws Refusal if a user has that sub: it is never reassigned (OpenID Connect Core §2) */
async function assertFree(store: RecordStore, sub: string): Promise<void> {
  for await (const { id, hash } of store.records.list(USER)) {
    if (hash.sub === sub) throw new Refusal(`The sub "${sub}" is the user "${id}" already.`)
  }
}

function reportUser(sentence: string, username: string, hash: Hash): Report {
  const user = describeUser(username, hash)
  return { text: `${sentence}\n\n${sayUser(user)}`, json: user }
}
