import { hash } from 'node:crypto'
import type { Asker } from '../accounts/fair-queue.ts'
import { type PasswordFault, type PasswordRules, passwordFault } from '../accounts/password-rules.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { USER } from '../accounts/user-kind.ts'
import type { User } from '../accounts/user-record.ts'
import type { Settings } from '../config/settings.ts'
import { PATHS } from '../core/paths.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import { type Factors, hasSecondStep } from '../factors/factors-record.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import type { SecondStepContext } from '../factors/totp.ts'
import { type Evidence, evidenceTag } from '../storage/evidence.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { type EndOfUserContext, endMarks, queueEndings } from './end-of-user.ts'
import { forgetFailures } from './forget-failures.ts'
import { addressOf, type Link, newLink } from './link.ts'

/** What it takes to make a link. */
export interface LinkContext {
  readonly storage: Pick<Storage, 'evidence' | 'records'>
  readonly settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type ChoiceSettings = PasswordRules & Pick<Settings, 'second_factor'>

/** What it takes to use one. */
export type ResetContext = SecondStepContext &
  EndOfUserContext & {
    readonly storage: Storage
    readonly settings: SecondStepContext['settings'] &
      LinkContext['settings'] &
      ChoiceSettings &
      Pick<Settings, 'sign_in_window'>
    readonly passwords: Pick<Passwords, 'hash'>
  }

/** A link that was made: it is shown once, or sent. */
export interface GivenLink {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly ends_at: number
}

/** What a page of a link asks for, or that the link is over. */
export type ResetPage =
  | { readonly page: 'over' }
  | {
      readonly page: 'choose'
      readonly second_step: boolean
      readonly min_length: number
      readonly problem?: ResetProblem
    }
  | { readonly page: 'done' }

/** Why an answer was refused: the code, that codes of the app do not count any more, or the password. */
export type ResetProblem = 'code' | 'limited' | PasswordFault

const HOUR = 3_600_000
const PURPOSE = 'reset_password'

/**
 * Makes a link with which a person chooses a new password within an hour. Older ones of the account end.
 * @returns undefined if there is no such account, or it is disabled
 * @throws StorageUnavailable
 */
export async function giveResetLink(context: LinkContext, username: string): Promise<GivenLink | undefined> {
  const { storage, settings, now } = context
  const account = await readState(context, username)
  if (account === undefined) return undefined
  const link = newLink(evidenceTag(username))
  const [created_at, ends_at] = [now(), now() + HOUR]
  await storage.evidence.give(link.digest, { ...expectedOf(account), account: username, created_at, ends_at })
  return { url: addressOf(settings.issuer, PATHS.reset_password, link), ends_at }
}

/** Returns what the page of a link shows. It changes nothing. @throws StorageUnavailable */
export async function showReset(
  context: LinkContext & { readonly settings: ChoiceSettings },
  link: Link | undefined,
): Promise<ResetPage> {
  const account = link && (await findReset(context, link))
  return account === undefined ? { page: 'over' } : { page: 'choose', ...choiceOf(context.settings, account) }
}

/**
 * Takes a new password, and after it the code of an account with a second step. Success uses up the link, and ends
 * everything that the account has: sessions, grants, other evidence and counted failures. It signs nobody in.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function takeReset(
  context: ResetContext,
  link: Link | undefined,
  answer: Readonly<Record<string, string | undefined>>,
  asker: Asker,
): Promise<ResetPage> {
  const account = link && (await findReset(context, link))
  if (link === undefined || account === undefined) return { page: 'over' }
  const { storage, settings, passwords, report } = context
  const { user } = account
  const { username, sub, claims } = user
  const { password = '', code = '', recovery_code = '' } = answer
  const choice = choiceOf(settings, account)
  const again = (problem: ResetProblem): ResetPage => ({ page: 'choose', ...choice, problem })
  const rules = passwordRulesFor(settings, account.factors)
  const fault = passwordFault(password, rules, { username, email: claims.email })
  if (fault !== undefined) return again(fault)
  if (choice.second_step) {
    // Where it is turned off, nothing of it is loaded.
    const [{ checkSecondStep }, { MAX_GUESSES }] = await Promise.all([
      import('../factors/check-second-step.ts'),
      import('../factors/second-step.ts'),
    ])
    const guesses = hash('sha256', `reset ${link.digest}`, 'hex')
    const window = settings.sign_in_window * 1000
    // Before it is judged, so that a burst of guesses cannot exceed the limit.
    const { count } = await storage.counters.countFailure('second-step', guesses, window)
    if (count > MAX_GUESSES) {
      await storage.evidence.end(link.tag, link.digest)
      return { page: 'over' }
    }
    const result = await checkSecondStep(context, username, code === '' ? recovery_code : code, count - 1)
    if (result !== 'right') return again(result === 'too_many' ? 'limited' : 'code')
  }
  const password_hash = await passwords.hash(password, asker)
  if ((await storage.evidence.take(link.tag, link.digest, expectedOf(account))) !== 'taken')
    return { page: 'over' }
  const { before, marks } = endMarks(context)
  const set = { password_hash, ...marks }
  // Somebody may have changed the password after the link was found.
  const expected = { sub, ...(user.password_hash !== undefined && { password_hash: user.password_hash }) }
  if ((await storage.records.change(USER, username, { set, expected })) === 'missing') return { page: 'over' }
  report({ event: 'password_reset', username })
  await Promise.all([
    queueEndings(context, username, before),
    storage.evidence.end(link.tag),
    forgetFailures(context, username, sub),
  ])
  return { page: 'done' }
}

/** An account and what its evidence depends on. */
interface AccountNow {
  readonly user: User
  readonly factors: Factors
}

function choiceOf(settings: ChoiceSettings, { factors }: AccountNow) {
  // Where it is turned off, no sign-in asks for one either.
  const second_step = settings.second_factor !== 'off' && hasSecondStep(factors)
  return { second_step, min_length: passwordRulesFor(settings, factors).password_min_length }
}

async function findReset(context: LinkContext, { tag, digest }: Link): Promise<AccountNow | undefined> {
  const kept = await context.storage.evidence.read(tag, digest)
  if (kept === undefined) return undefined
  const account = await readState(context, kept.account)
  if (account === undefined) return undefined
  const { purpose, account_state } = expectedOf(account)
  return kept.purpose === purpose && kept.account_state === account_state ? account : undefined
}

async function readState({ storage }: LinkContext, username: string): Promise<AccountNow | undefined> {
  const [found, { factors }] = await Promise.all([
    storage.records.read(USER, username),
    findFactors({ storage }, username),
  ])
  const user = recordOf(found)
  return user === undefined || user.disabled ? undefined : { user, factors }
}

// Any browser can open it; which one does, its form is bound to.
function expectedOf({ user, factors }: AccountNow): Evidence {
  const account_state = accountState(user, factors)
  return { purpose: PURPOSE, step: 'choose', browser: '', value: '', account_state }
}
