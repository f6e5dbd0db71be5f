import type { Destination } from '../pages/destination.ts'
import type { View } from '../pages/layout.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  toNextStep,
  type UserStep,
} from './interaction.ts'
import { accountOf } from './shown-account.ts'
import { stepPage } from './step-page.ts'

/**
 * Shows the page of the step that is due.
 * @param destination where the user is going on to; the kind of the request decides it
 * @throws StorageUnavailable
 */
export async function showStep(
  context: InteractionContext,
  interaction: Interaction,
  step: UserStep,
  destination: Destination,
): Promise<InteractionReply> {
  const { session, parameters } = interaction
  const account = session && (await accountOf(context, session))
  // The account changed just now: the next request ends the session.
  if (session !== undefined && account === undefined) return toNextStep(interaction)
  const { methods, settings } = context
  const { scope_texts } = settings
  const now = context.now()
  const props = { interaction, step, destination, ...(account && { account }), methods, scope_texts, now }
  return { to: 'page', render: (view: View) => stepPage(props, view), ui_locales: parameters.ui_locales }
}
