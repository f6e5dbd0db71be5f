import { type PasswordOwner, type PasswordRules, passwordProblem } from '../../src/accounts/password-rules.ts'
import type { Passwords } from '../../src/accounts/passwords.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { changedFields } from '../../src/admin/apply-change.ts'
import { describeEnded } from '../../src/admin/end-all.ts'
import { unlockUser } from '../../src/admin/limits.ts'
import { changeUser } from '../../src/admin/users/change.ts'
import { planUser, writeNewUser } from '../../src/admin/users/create.ts'
import { readUser } from '../../src/admin/users/noun.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { findFactors } from '../../src/factors/change-factors.ts'
import { passwordRulesFor } from '../../src/factors/password-length.ts'
import { adminContext } from '../admin-context.ts'
import { endAllOfUser, JWT_NOTE } from '../end-all.ts'
import { Refusal, UsageError, withHints } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { sharedNames, unusableAddress } from './name-check.ts'
import { describeUser, formatUserDescription, noSuchUser } from './show.ts'

/** A new user. */
export interface NewUser {
  /** The fields given by flags. */
  fields: Hash
  claims: Hash
  password?: string
}

/**
 * The command `user add`.
 * @throws Refusal if the user or the sub exists, the record would be malformed, or the password is refused
 */
export async function addUser(
  context: CommandContext,
  passwords: Passwords,
  username: string,
  { fields, claims, password }: NewUser,
): Promise<Report> {
  const operator = adminContext(context)
  if (password !== undefined)
    assertAccepted(context.config.settings, password, { username, email: claims.email })
  const planned = await planUser(operator, username, { ...claims, ...fields })
  const hash =
    password === undefined ? planned : { ...planned, password_hash: await passwords.hash(password) }
  const hints = { exists: ': use redmint user update to change it.' }
  await withHints(hints, writeNewUser(operator, username, hash))
  const shared = await sharedNames(context.storage, username, hash)
  return reportUser('The user is stored.', username, hash, shared)
}

/**
 * The command `user update`: changes the given claims.
 * @throws Refusal if the user does not exist or the record would be malformed; UsageError if no claim is given
 */
export async function updateUser(
  context: CommandContext,
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
  const { storage: store } = context
  const stored = await readUser(store, username)
  const changed = await changeUser(adminContext(context), username, stored, { set, unset })
  const is_same = changedFields(stored, changed).length === 0
  const sentence = is_same
    ? 'Nothing is changed: the record has these values already.'
    : 'The user is changed.'
  return reportUser(sentence, username, changed, await sharedNames(store, username, changed))
}

/**
 * The command `user set-password`. It ends all sessions, codes and tokens of the user, because a password is usually
 * changed when someone else may know it, and forgets the failures of the user, who may have tried until now.
 * @throws Refusal if the user does not exist, the password is refused, or another process changes the password at the same time
 */
export async function setPassword(
  context: CommandContext,
  passwords: Passwords,
  username: string,
  password: string,
): Promise<Report> {
  const { storage: store } = context
  const { sub = '', email } = await readUser(store, username)
  const { factors } = await findFactors(context, username)
  assertAccepted(passwordRulesFor(context.config.settings, factors), password, { username, email })
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

/** @throws Refusal */
function assertAccepted(rules: PasswordRules, password: string, owner: PasswordOwner): void {
  const problem = passwordProblem(password, rules, owner)
  if (problem !== undefined) throw new Refusal(`The password ${problem}.`)
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
