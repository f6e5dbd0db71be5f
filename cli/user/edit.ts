import { randomBytes } from 'node:crypto'
import { looksLike, namesakesOf } from '../../src/accounts/namesakes.ts'
import { ownersOf } from '../../src/accounts/owners-of-subs.ts'
import type { Passwords } from '../../src/accounts/passwords.ts'
import { indexUser } from '../../src/accounts/sign-in-names.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { formatUser, isUsername, parseUser, USERNAME_RULE } from '../../src/accounts/user-record.ts'
import { applyChange, changedFields } from '../../src/admin/apply-change.ts'
import { describeEnded } from '../../src/admin/end-all.ts'
import { unlockUser } from '../../src/admin/limits.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { endAllOfUser, JWT_NOTE } from '../end-all.ts'
import { assertWellFormed, Refusal, UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { reportUserChange } from './events.ts'
import { sharedNames, unusableAddress } from './name-check.ts'
import { describeUser, formatUserDescription, noSuchUser, readUser } from './show.ts'

/** A new user. */
export interface NewUser {
  /** The fields given by flags. */
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
  { storage: store, report }: Pick<CommandContext, 'storage' | 'report'>,
  passwords: Passwords,
  username: string,
  { fields, claims, password }: NewUser,
): Promise<Report> {
  if (!isUsername(username)) {
    throw new Refusal(`A username must have ${USERNAME_RULE}.`)
  }
  const { sub } = fields
  const user = { ...formatUser({ sub: newSub(), claims }), ...fields }
  assertWellFormed(parseUser(username, user))
  if (sub !== undefined) await assertFree(store, sub)
  const [namesake] = await namesakesOf(store, username)
  if (namesake !== undefined) throw new Refusal(`The user "${username}" ${looksLike(namesake)}.`)
  const hash = password === undefined ? user : { ...user, password_hash: await passwords.hash(password) }
  if ((await store.records.create({ kind: USER, id: username, hash: hash })) === 'exists') {
    throw new Refusal(`The user "${username}" exists already: use redmint user update to change it.`)
  }
  report({ event: 'user_added', username })
  await indexUser(store, username)
  return reportUser('The user is stored.', username, hash, await sharedNames(store, username, hash))
}

/**
 * The command `user update`: changes the given claims.
 * @throws Refusal if the user does not exist or the record would be malformed; UsageError if no claim is given
 */
export async function updateUser(
  { storage: store, report }: Pick<CommandContext, 'storage' | 'report'>,
  username: string,
  set: Hash,
  unset: readonly string[],
): Promise<Report> {
  const both = unset.find((name) => Object.hasOwn(set, name))
  if (both !== undefined) throw new UsageError(`${both} is given both to set and to remove: choose one.`)
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint user update --help.',
    )
  }
  const stored = await readUser(store, username)
  const changed = applyChange(stored, { set, unset })
  assertWellFormed(parseUser(username, changed))
  if ((await store.records.change(USER, username, { set, unset })) === 'missing') throw noSuchUser(username)
  reportUserChange(report, username, stored, changed)
  await indexUser(store, username, stored)
  const is_same = changedFields(stored, changed).length === 0
  const sentence = is_same
    ? 'Nothing is changed: the record has these values already.'
    : 'The user is changed.'
  return reportUser(sentence, username, changed, await sharedNames(store, username, changed))
}

/**
 * The command `user set-password`. It ends all sessions, codes and tokens of the user, because a password is usually
 * changed when someone else may know it, and forgets the failures of the user, who may have tried until now.
 * @throws Refusal if the user does not exist, or another process changes the password at the same time
 */
export async function setPassword(
  context: CommandContext,
  passwords: Passwords,
  username: string,
  password: string,
): Promise<Report> {
  const { storage: store } = context
  const { sub = '' } = await readUser(store, username)
  const password_hash = await passwords.hash(password)
  if ((await store.records.change(USER, username, { set: { password_hash }, unset: [] })) === 'missing') {
    throw noSuchUser(username)
  }
  context.report({ event: 'password_changed', username })
  await unlockUser({ storage: store, report: context.report, now: () => context.now }, username, sub)
  const ended = await endAllOfUser(context, { subject: sub, username })
  // If two operators set a password at the same time, only one of them takes effect.
  if ((await readUser(store, username)).password_hash !== password_hash) {
    throw new Refusal('Another process changed the password at the same time: repeat the command.')
  }
  return {
    text: `The user has a new password. ${describeEnded(ended)} ${JWT_NOTE}`,
    json: { username, password: 'set', ended },
  }
}

/** @throws Refusal if a user has that sub: it is never reassigned (OpenID Connect Core §2) */
async function assertFree(store: RecordStore, sub: string): Promise<void> {
  const owner = (await ownersOf(store, [sub])).get(sub)
  if (owner !== undefined) throw new Refusal(`The sub "${sub}" belongs to the user "${owner}" already.`)
}

function reportUser(sentence: string, username: string, hash: Hash, shared: readonly string[]): Report {
  const unusable = unusableAddress(username, hash)
  // An address that others have, too, is not to be verified here as well.
  const warnings = unusable === undefined || shared.length > 0 ? shared : [`email_verified ${unusable}.`]
  const user = describeUser(username, hash)
  const lines = warnings.map((warning) => `\nWarning: ${warning}`)
  return {
    text: [sentence, '', formatUserDescription(user), ...lines].join('\n'),
    json: warnings.length === 0 ? user : { ...user, warnings },
  }
}
