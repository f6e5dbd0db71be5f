import { isDeepStrictEqual } from 'node:util'
import { unlockUser } from '../../src/admin/limits.ts'
import { describeEnded } from '../../src/admin/operation/end-all.ts'
import { invalidFields } from '../../src/admin/operation/problem.ts'
import { patchOf, toJson } from '../../src/admin/operation/record-json.ts'
import { planUser, writeNewUser } from '../../src/admin/users/create.ts'
import { sharedNames, unusableAddress } from '../../src/admin/users/name-check.ts'
import { readUser } from '../../src/admin/users/noun.ts'
import { claimsOf } from '../../src/claims/claims.ts'
import { hasOnlyPasskeys } from '../../src/config/passkey-settings.ts'
import { toldOf } from '../../src/core/events.ts'
import { isObject } from '../../src/core/json.ts'
import { SILENT } from '../../src/core/log.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { findFactors } from '../../src/factors/change-factors.ts'
import { passwordRulesFor } from '../../src/factors/password-length.ts'
import { endMarks } from '../../src/self-service/end-of-user.ts'
import { customClaimField } from '../../src/users/custom-claims.ts'
import { type PasswordOwner, type PasswordRules, passwordProblem } from '../../src/users/password-rules.ts'
import { Passwords } from '../../src/users/passwords.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import { fitUsersFirst } from '../../src/users/user-index.ts'
import { USER } from '../../src/users/user-kind.ts'
import { parseUser } from '../../src/users/user-record.ts'
import { adminContext } from '../admin-context.ts'
import type { Calls } from '../calls.ts'
import { endMarked, JWT_NOTE } from '../end-all.ts'
import { Refusal, UsageError, withHints } from '../errors.ts'
import type { RecordAnswer } from '../from-answer.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { settingsAt } from '../settings-at.ts'
import { giveResetLink } from './links.ts'
import {
  describeAnswer,
  describeUser,
  formatUserDescription,
  noSuchUser,
  type UserDescription,
} from './show.ts'

/**
 * The command `user add`.
 * @param given the fields and claims, as storage writes them
 * @param password only on the host; undefined: none, and where nobody has one a link is printed with which the user makes a
 * passkey
 * @throws Refusal if the user or the sub exists, the record would be malformed, or the password is refused
 */
export async function addUser(
  calls: Calls,
  username: string,
  given: Hash,
  password: string | undefined,
): Promise<Report> {
  const { host, call } = calls
  const settings = await settingsAt(calls)
  const hints = { exists: ': use redmint user update to change it.' }
  const adding =
    host === undefined
      ? call('create_user', { body: { username, ...jsonOf(given) } }).then(describeAnswer)
      : addOnHost(host, username, given, password)
  const added = await reportUser(calls, 'The user is stored.', username, await withHints(hints, adding))
  if (password !== undefined || !hasOnlyPasskeys({ sign_in: settings?.sign_in ?? '' })) return added
  const link = await giveResetLink(calls, username)
  return { text: `${added.text}\n\n${link.text}`, json: { ...Object(added.json), reset_link: link.json } }
}

async function addOnHost(
  context: CommandContext,
  username: string,
  given: Hash,
  password: string | undefined,
): Promise<UserDescription> {
  const operator = adminContext(context)
  if (password !== undefined)
    assertAccepted(context.config.settings, password, { username, email: given.email })
  // No server may keep the index yet, by which a sub that is taken is found.
  if (given.sub !== undefined) await fitUsersFirst(context.storage)
  const planned = await planUser(operator, username, given)
  const passwords = new Passwords(context.config)
  const hash =
    password === undefined ? planned : { ...planned, password_hash: await passwords.hash(password) }
  await writeNewUser(operator, username, hash)
  return describeUser(username, hash)
}

/**
 * The command `user update`: changes the given claims.
 * @throws Refusal if the user does not exist or the record would be malformed; UsageError if no claim is given
 */
export async function updateUser(
  calls: Calls,
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
  let former: RecordAnswer = {}
  const answer = await calls.call('change_user', {
    params: { username },
    patch({ last_sign_in_at: _, ...stored }) {
      former = stored
      return patchOfUser(stored, set, unset)
    },
  })
  const sentence = isDeepStrictEqual(former, answer)
    ? 'Nothing is changed: the record has these values already.'
    : 'The user is changed.'
  return reportUser(calls, sentence, username, describeAnswer(answer))
}

function patchOfUser(stored: RecordAnswer, set: Hash, unset: readonly string[]): RecordAnswer {
  const { claims: present, ...fields } = jsonOf(set)
  const known: Readonly<Record<string, unknown>> = isObject(stored.claims) ? stored.claims : {}
  const claims = new Map(Object.entries(present).map(([name, value]) => [name, patchOf(known[name], value)]))
  const removed: Record<string, null> = {}
  for (const name of unset) {
    if (Object.hasOwn(USER_FIELDS, name)) removed[name] = null
    else claims.set(name.replace(customClaimField(''), ''), null)
  }
  return { ...fields, ...removed, claims: Object.fromEntries(claims) }
}

/** Returns given fields and claims as the API takes them. @throws AdminError `invalid_field` */
function jsonOf(given: Hash) {
  const parsed = parseUser('any', { sub: 'any', ...given })
  if (!parsed.ok) throw invalidFields(parsed.problems)
  const { custom_claims } = parsed.record
  const names = [...Object.keys(parsed.record.claims), ...Object.keys(custom_claims)]
  const claims: Readonly<Record<string, unknown>> = { ...claimsOf(parsed.record, names, SILENT) }
  return { ...toJson(USER_FIELDS, Object.keys(given), given), claims }
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
  const event = { event: 'password_changed', username } as const
  const told = toldOf(context.report, [event], { sub })
  const { before, marks } = endMarks(context)
  const change = { set: { password_hash, ...marks }, told }
  if ((await store.records.change(USER, username, change)) === 'missing') throw noSuchUser(username)
  context.report(event)
  await unlockUser({ storage: store, report: context.report, now: context.now }, username, sub)
  const ended = await endMarked(context, username, before)
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

async function reportUser(
  { host }: Calls,
  sentence: string,
  username: string,
  user: UserDescription,
): Promise<Report> {
  const claims = 'problems' in user ? {} : user.claims
  // Which names others have is looked up in storage.
  const shared = host === undefined ? [] : await sharedNames(host.storage, username, claims)
  const unusable = unusableAddress(username, claims)
  // An address that others have, too, is not to be verified here as well.
  const warnings = unusable === undefined || shared.length > 0 ? shared : [`email_verified ${unusable}.`]
  const lines = warnings.map((warning) => `\nWarning: ${warning}`)
  return {
    text: [sentence, '', formatUserDescription(user), ...lines].join('\n'),
    json: warnings.length === 0 ? user : { ...user, warnings },
  }
}
