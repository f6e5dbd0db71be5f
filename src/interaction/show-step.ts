import { PATHS, pathAt } from '../core/paths.ts'
import type { Destination } from '../pages/destination.ts'
import { askedBy, type ConsentStep } from './consent-step.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  toNextStep,
  type UserStep,
} from './interaction.ts'
import { sealPending } from './pending-request.ts'
import { accountOf } from './shown-account.ts'
import { stepPage } from './step-page.ts'

/**
 * Shows the page of the step that is due.
 * @param destination where the user is going on to, as the kind of the request decides; undefined: a device
 * @throws StorageUnavailable
 */
export async function showStep(
  context: InteractionContext,
  interaction: Interaction,
  step: UserStep,
  destination: Destination | undefined,
): Promise<InteractionReply> {
  const { session, parameters } = interaction
  const account = session && (await accountOf(context, session))
  // The account changed just now: the next request ends the session.
  if (session !== undefined && account === undefined) return toNextStep(interaction)
  if (step.step === 'no_access') context.report(step.event)
  const { methods, settings } = context
  const { scope_texts, scope_claims } = settings
  const now = context.now()
  const shown = step.step === 'consent' ? askingFor(context, interaction, step) : interaction
  const props = {
    action: pathAt(settings, PATHS.interaction),
    interaction: shown,
    step,
    destination,
    ...(account && { account }),
    methods,
    scope_texts,
    scope_claims,
    now,
  }
  return { to: 'page', ...stepPage(props), ui_locales: parameters.ui_locales }
}

// The form of the page carries what the page asks for, so that only this is agreed to.
function askingFor(context: InteractionContext, interaction: Interaction, step: ConsentStep): Interaction {
  const pending = { ...interaction.pending, asked: askedBy(step), agreed: undefined }
  return { ...interaction, pending, transaction: sealPending(context, pending) }
}
