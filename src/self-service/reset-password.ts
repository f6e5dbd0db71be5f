import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Transaction } from '../core/ids.ts'
import { addressOf, type Link, type LinkAnswer } from '../core/link.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { present } from '../core/present.ts'
import { changeAccount, readAccountNow } from '../factors/account-now.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import { endMarks, queueEndings } from '../logout/end-of-user.ts'
import type { Asker } from '../users/fair-queue.ts'
import { passwordFault } from '../users/password-rules.ts'
import { evidenceOf, findProved, giveLink } from './account-link.ts'
import { forgetFailures } from './forget-failures.ts'
import { boundTo, type LinkBrowser } from './link-passkey.ts'
import { neededFactor, proveFactor } from './prove-factor.ts'
import {
  type Comer,
  type LinkContext,
  RESET,
  type ResetChoice,
  type ResetContext,
  type ResetPage,
  type ResetProblem,
  type ShowResetContext,
} from './reset-link.ts'
import { beginReview, showReview, takeReview } from './review-passkeys.ts'

/** A link that was made: it is shown once, or sent. */
export interface GivenLink {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly ends_at: number
}

const HOUR = 3_600_000

/**
 * Makes a link with which a person chooses a new password, or makes a new passkey where there are no passwords, within an
 * hour. Older ones of the account end.
 * @param report told if an operator makes it; absent: its owner asked for it
 * @param request that waits in the browser of who asked, sealed
 * @returns undefined if there is no such account, or it is disabled
 * @throws StorageUnavailable
 */
export async function giveResetLink(
  context: LinkContext,
  username: string,
  report?: ReportEvent,
  request?: Transaction,
): Promise<GivenLink | undefined> {
  const account = await readAccountNow(context, username)
  if (account === undefined) return undefined
  const { sub } = account.user
  const at = context.now()
  const expires_at = new Date(at + HOUR).toISOString()
  const event: SecurityEvent = { event: 'reset_link_given', username, expires_at }
  const { link, ends_at } = await commit({ report }, [event], { sub }, (told) =>
    giveLink(context, RESET, account, { from: at, lasts: HOUR, told, request }),
  )
  return { url: addressOf(context.settings.issuer, PATHS.reset_password, link), ends_at }
}

/** Returns what the page of a link shows. It changes nothing. @throws StorageUnavailable */
export async function showReset(
  context: ShowResetContext,
  link: Link,
  browser: LinkBrowser,
): Promise<ResetPage> {
  const found = await findProved(context, link, RESET)
  if (found === undefined) return showReview(context, link)
  if (hasOnlyPasskeys(context.settings)) {
    const { showRenewal } = await import('./renew-passkey.ts')
    return showRenewal(context, { ...found, link, browser })
  }
  return { page: 'choose', ...(await choiceOf(context, { ...found, link, browser })) }
}

/**
 * Takes a new password, and after it the code or the passkey of an account that has one; where there are no passwords, a new
 * passkey. Success uses up the link, and ends
 * everything that the account has: sessions, grants, other evidence and counted failures. Who did it is signed in then.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function takeReset(
  context: ResetContext,
  link: Link,
  answer: LinkAnswer,
  asker: Asker,
  browser: LinkBrowser,
): Promise<ResetPage> {
  const found = await findProved(context, link, RESET)
  if (found === undefined) return takeReview(context, link, answer)
  const { account, kept } = found
  const comer = { account, kept, link, browser }
  if (hasOnlyPasskeys(context.settings)) {
    const { takeRenewal } = await import('./renew-passkey.ts')
    return takeRenewal(context, comer, answer)
  }
  const { storage, settings, passwords } = context
  const { user, factors } = account
  const { username, sub, claims } = user
  const { password = '' } = answer
  const again = async (problem: ResetProblem, is_unknown = false): Promise<ResetPage> => {
    return { page: 'choose', ...(await choiceOf(context, comer, is_unknown)), problem }
  }
  const rules = passwordRulesFor(settings, factors)
  const fault = passwordFault(password, rules, { username, email: claims.email })
  if (fault !== undefined) return again(fault)
  const needed = neededFactor(settings, factors)
  const proof = needed && (await proveFactor(context, needed, { username, link, browser }, answer))
  if (proof === 'over') return { page: 'over' }
  if (proof === 'unknown') return again('passkey', true)
  if (typeof proof === 'string') return again(proof)
  // Who has the link proved more than who asks to sign in.
  const password_hash = await passwords.hash(password, { ...asker, is_known: true })
  if ((await storage.evidence.take(link.tag, link.digest, evidenceOf(account, RESET))) !== 'taken')
    return { page: 'over' }
  const { before, marks } = endMarks(context)
  const set = { password_hash, ...marks }
  const event = { event: 'password_reset', username } as const
  // A hash takes a while: what somebody changed or added since the link was found ends it.
  const changed = await commit(context, [event], { sub }, (told) =>
    changeAccount(context, account, { set, told }),
  )
  if (changed === undefined) return { page: 'over' }
  await Promise.all([
    queueEndings(context, username, before),
    storage.evidence.end(link.tag),
    forgetFailures(context, username, sub),
  ])
  // Whoever passed no second factor must not remove one.
  const arrival: LinkSignIn = { username, method: 'pwd', password, confirms: false, ...proof }
  const back = { arrival, ...present({ request: kept.request }) }
  return proof === undefined ? { page: 'done', ...back } : beginReview(context, back)
}

async function choiceOf(
  context: ShowResetContext,
  { account: { user, factors }, kept, link, browser }: Comer,
  is_unknown = false,
): Promise<ResetChoice> {
  const { settings } = context
  const { request } = kept
  const needed = neededFactor(settings, factors)
  const min_length = passwordRulesFor(settings, factors).password_min_length
  const account = { username: user.username }
  const choice = { account, second_step: needed === 'code', min_length, ...present({ request }) }
  if (needed !== 'passkey') return choice
  const [{ requestOptions }, { PASSKEY_SCRIPT_PATH }] = await Promise.all([
    import('../factors/passkeys/challenge.ts'),
    import('../factors/passkeys/script.ts'),
  ])
  const options = requestOptions(context, { purpose: 'reset', bound_to: boundTo(link, browser) })
  const script = pathAt(settings, PASSKEY_SCRIPT_PATH)
  return { ...choice, passkey: { use: 'get', options, script, is_unknown } }
}
