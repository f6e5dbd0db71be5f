import { OAuthError } from '../core/errors.ts'
import type { Transaction } from '../core/ids.ts'
import { parametersFrom } from '../core/parameters.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { withQuery } from '../core/uri.ts'
import type { Destination } from '../pages/destination.ts'
import type { Browser } from '../sessions/browser.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { csrfOf } from './answer-token.ts'
import { asksForPassword } from './asks-for-password.ts'
import { continueInteraction, type Flows, flowOf } from './flow.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  openInteraction,
  toNextStep,
} from './interaction.ts'
import { type PendingRecord, withoutProgress } from './pending-record.ts'
import { sealPending } from './pending-request.ts'
import type { Sender } from './submission.ts'

/** A request that waits while its user makes an account, in the browser that it belongs to. */
export interface WaitingSignUp {
  readonly to: 'sign_up'
  readonly interaction: Interaction
  /** The request as it goes on after the account was made: only a sign-in from then on answers it. */
  readonly after: PendingRecord
  /** The same, sealed. No other browser can continue it. */
  readonly transaction: Transaction
  /** Undefined: a device, whose client is shown after the sign-in. */
  readonly destination: Destination | undefined
}

/**
 * Opens a request whose user is to make an account, whoever is signed in. What is due may be no sign-in: then the browser
 * goes there.
 * @throws OAuthError to be shown to the user: `signInExpired` if the request is over or belongs to another browser;
 * StorageUnavailable
 */
export async function openSignUp<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  transaction: Transaction,
  browser: Browser,
): Promise<WaitingSignUp | Extract<InteractionReply, { to: 'next' }>> {
  const interaction = await openInteraction(context, Object.keys(flows), transaction, browser)
  const after = { ...withoutProgress(interaction.pending), other_account: 'true', has_account: 'true' }
  const due = await flowOf(flows, interaction)({ ...interaction, pending: after })
  if (due.due !== 'user' || due.step.step !== 'login') return toNextStep(interaction)
  const { destination } = due
  return { to: 'sign_up', interaction, after, transaction: sealPending(context, after), destination }
}

/**
 * Finds the request from which somebody asked for an account; undefined: it is over, or waits in another browser, where
 * whoever began it may be somebody else.
 * @throws StorageUnavailable
 */
export async function findWaitingSignUp<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  transaction: Transaction,
  browser: Browser,
): Promise<WaitingSignUp | undefined> {
  try {
    const found = await openSignUp(context, flows, transaction, browser)
    return found.to === 'sign_up' ? found : undefined
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return undefined
    throw error
  }
}

/** The page where the user of a waiting request signs in instead, with an account that there is. */
export function signInAddress(
  { settings }: Pick<InteractionContext, 'settings'>,
  { transaction }: WaitingSignUp,
): string {
  return withQuery(pathAt(settings, PATHS.interaction), { transaction })
}

/**
 * Goes on with a request after its user made an account: signs in with the password that was chosen just now, as the
 * sign-in page would. Where that does not suffice, or there is none, the sign-in page asks.
 */
export async function signInAfter<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  { interaction, after }: WaitingSignUp,
  { username, password }: { readonly username: string; readonly password: string },
  sender: Sender,
): Promise<InteractionReply> {
  const pending = { ...after, username }
  const transaction = sealPending(context, pending)
  const next = { to: 'next', transaction } as const
  if (password === '' || !asksForPassword(context.methods[0], pending)) return next
  const parameters = parametersFrom({ username, password })
  const submission = { from: 'page', transaction, token: csrfOf(interaction), parameters, ...sender } as const
  try {
    return await continueInteraction(context, flows, submission, interaction.browser)
  } catch (error) {
    // The account exists: its person can still sign in by hand.
    if (error instanceof OAuthError || error instanceof StorageUnavailable) return next
    throw error
  }
}
