import type { LinkAnswer } from '../core/link.ts'
import { pathAt } from '../core/paths.ts'
import { present } from '../core/present.ts'
import type { AccountNow } from '../factors/account-now.ts'
import { type MadePasskey, readMade, useMade } from '../factors/passkeys/made-passkey.ts'
import { claimPasskey, releasePasskeys } from '../factors/passkeys/passkey-owner.ts'
import { proofBy } from '../factors/passkeys/proof.ts'
import { addRenewed, renewOptions } from '../factors/passkeys/renew-passkey.ts'
import { PASSKEY_SCRIPT_PATH } from '../factors/passkeys/script.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import { endMarks, queueEndings } from '../logout/end-of-user.ts'
import { evidenceOf } from './account-link.ts'
import { forgetFailures } from './forget-failures.ts'
import { boundTo } from './link-passkey.ts'
import { neededFactor, proveFactor } from './prove-factor.ts'
import {
  type Comer,
  RESET,
  type ResetContext,
  type ResetPage,
  type ResetProblem,
  type ShowResetContext,
} from './reset-link.ts'
import { beginReview } from './review-passkeys.ts'

/** Returns what the page of a link shows where people have passkeys and nothing else. It changes nothing. */
export function showRenewal(context: ShowResetContext, comer: Comer): ResetPage {
  return choiceOf(context, comer)
}

/**
 * Takes a new passkey in place of lost ones, and the code of an account with an app. Success uses up the link, and ends
 * everything that the account has, as a new password does, and the password from before. Who did it is signed in then.
 * @throws StorageUnavailable
 */
export async function takeRenewal(
  context: ResetContext,
  comer: Comer,
  answer: LinkAnswer,
): Promise<ResetPage> {
  const { account, link, browser } = comer
  const { username } = account.user
  const again = (problem: ResetProblem) => ({ ...choiceOf(context, comer, true), problem })
  const is_for = { purpose: 'renew', bound_to: boundTo(link, browser) } as const
  const made = await readMade(context, is_for, answer.credential)
  if (made === undefined) return again('passkey')
  if (asksForCode(context, account)) {
    const proven = await proveFactor(context, 'code', { username, link, browser }, answer)
    if (proven === 'over') return { page: 'over' }
    if (proven === 'code' || proven === 'limited') return again(proven)
  }
  if (!(await useMade(context, made))) return again('passkey')
  // WebAuthn Level 3 §7.1 step 26: no account may have it.
  if (!(await claimPasskey(context, account.user, made.id, context.now()))) return again('passkey')
  const digest = await renew(context, comer, made)
  if (digest === undefined) return { page: 'over' }
  const arrival: LinkSignIn = { username, method: 'passkey', proven: proofBy(made.proven), confirms: false }
  return beginReview(context, { arrival, ...present({ request: comer.kept.request }) }, digest)
}

/** Spends the link; then ends what there was, and adds the passkey, in one step. @throws StorageUnavailable */
async function renew(
  context: ResetContext,
  { account, link, browser }: Comer,
  made: MadePasskey,
): Promise<string | undefined> {
  const { storage } = context
  const { user } = account
  const { username, sub } = user
  const { before, marks } = endMarks(context)
  if ((await storage.evidence.take(link.tag, link.digest, evidenceOf(account, RESET))) !== 'taken') {
    await releasePasskeys(context, username, [made.id])
    return undefined
  }
  const becomes = { set: marks, unset: ['password_hash'] }
  const digest = await addRenewed(context, account, made, browser.name, becomes)
  if (digest === undefined) return undefined
  await Promise.all([
    queueEndings(context, username, before),
    storage.evidence.end(link.tag),
    forgetFailures(context, username, sub),
  ])
  return digest
}

const asksForCode = ({ settings }: Pick<ShowResetContext, 'settings'>, { factors }: AccountNow): boolean =>
  neededFactor(settings, factors) === 'code'

function choiceOf(
  context: ShowResetContext,
  { account, kept: { request }, link, browser }: Comer,
  is_unknown = false,
): Extract<ResetPage, { page: 'choose' }> {
  const options = renewOptions(context, account, boundTo(link, browser))
  const script = pathAt(context.settings, PASSKEY_SCRIPT_PATH)
  // What was made for an answer that was refused leads nowhere: its keeper is told.
  const passkey = { use: 'create', options, script, is_unknown } as const
  const { username } = account.user
  const second_step = asksForCode(context, account)
  return { page: 'choose', account: { username }, second_step, passkey, ...present({ request }) }
}
