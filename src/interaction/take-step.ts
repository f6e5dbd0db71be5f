import type { Interaction, InteractionContext, UserStep } from './interaction.ts'
import type { StepResult } from './step-result.ts'
import type { Submission } from './submission.ts'
import { takeConsent } from './take-consent.ts'
import { takeSignIn } from './take-sign-in.ts'

/**
 * Takes what the user did, which is known to be an answer (isAnswerTo). Undefined: it does not fit the step, and
 * changes nothing.
 * @param step the step that is due; undefined if nothing is left to ask
 * @throws OAuthError to be shown to the user; StorageUnavailable
 */
export async function takeStep(
  context: InteractionContext,
  interaction: Interaction,
  step: UserStep | undefined,
  submission: Submission,
): Promise<StepResult | undefined> {
  const { session } = interaction
  const { decision, account } = submission.parameters
  if (step?.step === 'login') return takeSignIn(context, interaction, step, submission)
  // Only a sign-in and a consent send the browser to another site, and nothing else is answered from there.
  if (submission.from === 'site') {
    const is_consent = session !== undefined && step?.step === 'consent'
    return is_consent ? takeConsent(context, interaction, session, step, submission) : undefined
  }
  if (decision === 'other_account') {
    return { noted: { other_account: 'true', signed_in: undefined } }
  }
  if (session === undefined || step === undefined) return undefined
  if (step.step === 'select_account') {
    if (account !== session.sid) return undefined
    return { noted: { chosen: session.sid } }
  }
  if (step.step === 'no_access') {
    if (decision !== 'deny') return undefined
    return { noted: { refused: session.sid } }
  }
  return takeConsent(context, interaction, session, step, submission)
}
