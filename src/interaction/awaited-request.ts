import { OAuthError } from '../core/errors.ts'
import type { Transaction } from '../core/ids.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { withQuery } from '../core/uri.ts'
import type { Destination } from '../pages/destination.ts'
import type { Browser } from '../sessions/browser.ts'
import { type Flows, flowOf } from './flow.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  openInteraction,
  toNextStep,
} from './interaction.ts'
import { type PendingRecord, withoutProgress } from './pending-record.ts'
import { sealPending } from './pending-request.ts'

/** A request that waits while its user makes an account, or gets a new password, in the browser that it belongs to. */
export interface AwaitedRequest {
  readonly to: 'awaited'
  readonly interaction: Interaction
  /** The request as it goes on then: only a sign-in from then on answers it. */
  readonly after: PendingRecord
  /** The same, sealed. No other browser can continue it. */
  readonly transaction: Transaction
  /** Undefined: a device, whose client is shown after the sign-in. */
  readonly destination: Destination | undefined
}

/**
 * Opens a request whose user goes away for a link, whoever is signed in. What is due may be no sign-in: then the browser
 * goes there.
 * @throws OAuthError to be shown to the user: `signInExpired` if the request is over or belongs to another browser;
 * StorageUnavailable
 */
export async function openAwaited<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  transaction: Transaction,
  browser: Browser,
): Promise<AwaitedRequest | Extract<InteractionReply, { to: 'next' }>> {
  const interaction = await openInteraction(context, Object.keys(flows), transaction, browser)
  const after = { ...withoutProgress(interaction.pending), other_account: 'true', has_account: 'true' }
  const due = await flowOf(flows, interaction)({ ...interaction, pending: after })
  if (due.due !== 'user' || due.step.step !== 'login') return toNextStep(interaction)
  const { destination } = due
  return { to: 'awaited', interaction, after, transaction: sealPending(context, after), destination }
}

/**
 * Finds the request from which somebody asked for a link; undefined: it is over, or waits in another browser, where
 * whoever began it may be somebody else.
 * @throws StorageUnavailable
 */
export async function findAwaited<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  transaction: Transaction,
  browser: Browser,
): Promise<AwaitedRequest | undefined> {
  try {
    const found = await openAwaited(context, flows, transaction, browser)
    return found.to === 'awaited' ? found : undefined
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return undefined
    throw error
  }
}

/** The page where the user of a waiting request signs in instead, with an account that there is. */
export function signInAddress(
  { settings }: Pick<InteractionContext, 'settings'>,
  { transaction }: AwaitedRequest,
): string {
  return withQuery(pathAt(settings, PATHS.interaction), { transaction })
}
