import { cookieDigest, type NewCookies } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import { type Interaction, type InteractionReply, toNextStep } from './interaction.ts'
import type { OpenRound, PendingProgress } from './pending-record.ts'
import { type PendingContext, sealPending } from './pending-request.ts'
import { siteState } from './site-state.ts'

/** What comes of what the user did: the step that is due then is shown, or the browser goes to another site. */
export type StepResult =
  | {
      /** What is noted in the request that waits. */
      readonly noted: PendingProgress
      /** New values for the browser's cookies; with another identity the request belongs to that. */
      readonly cookies?: NewCookies
      /** The session that began, as StartedSession has it. */
      readonly started?: Session | undefined
    }
  | {
      /** With the round that the other site answers. */
      readonly noted: PendingProgress & { readonly round: OpenRound }
      /** Returns the address of the other site for a `state`. */
      location(state: string): string
    }

/**
 * Answers with what was taken; undefined: nothing was, and the step that is due is shown again.
 * @throws StorageUnavailable, as Sealer.seal
 */
export function replyTo(
  context: Pick<PendingContext, 'sealer'>,
  interaction: Interaction,
  taken: StepResult | undefined,
): Exclude<InteractionReply, { to: 'page' }> {
  if (taken === undefined) return toNextStep(interaction)
  const pending = Object.assign({}, interaction.pending, taken.noted)
  if ('location' in taken) {
    const state = siteState(context, interaction, { ...pending, round: taken.noted.round })
    return { to: 'site', location: taken.location(state) }
  }
  const { cookies } = taken
  const browser = cookies?.browser === undefined ? pending.browser : cookieDigest(cookies.browser.id)
  const transaction = sealPending(context, { ...pending, browser })
  return { to: 'next', transaction, ...(cookies && { cookies }) }
}
