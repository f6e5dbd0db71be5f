import { PATHS } from '../core/paths.ts'
import { startSession } from '../sessions/session.ts'
import { saveConsent } from './consent.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  recordProgress,
  stateOf,
  toNextStep,
  type UserStep,
} from './interaction.ts'
import { changePending } from './pending-store.ts'
import { signIn } from './sign-in.ts'
import { methodNamed } from './sign-in-method.ts'
import type { Submission } from './submission.ts'

/**
 * Takes what the user did, which is known to be an answer (isAnswerTo). What does not fit the step changes nothing.
 * @param step the step that is due; undefined if nothing is left to ask
 * @throws OAuthError to be shown to the user; StorageUnavailable
 */
export async function takeStep(
  context: InteractionContext,
  interaction: Interaction,
  step: UserStep | undefined,
  submission: Submission,
): Promise<InteractionReply> {
  const { session } = interaction
  const { decision, account } = submission.parameters
  if (step?.step === 'login') return takeSignIn(context, interaction, submission)
  // Only a sign-in sends the browser to another site.
  if (submission.from === 'site') return toNextStep(interaction)
  if (decision === 'other_account') {
    return recordProgress(context, interaction, { other_account: 'true', signed_in: '' })
  }
  if (session === undefined || step === undefined) return toNextStep(interaction)
  if (step.step === 'select_account') {
    if (account !== session.sid) return toNextStep(interaction)
    return recordProgress(context, interaction, { chosen: session.sid })
  }
  if (decision === 'deny') return recordProgress(context, interaction, { refused: session.sid })
  if (decision !== 'allow') return toNextStep(interaction)
  const consent = { sub: session.sub, client_id: step.client_id, scope: step.consented }
  await saveConsent(context, consent, context.settings.consent_ttl)
  // The next page answers the client: the user could not go back to the answer of a form.
  return recordProgress(context, interaction, { agreed: session.sid })
}

const MAX_USERNAME = 255
const NO_ROUND = { method: '', answer_from: '', challenge: '' }

async function takeSignIn(
  context: InteractionContext,
  interaction: Interaction,
  submission: Submission,
): Promise<InteractionReply> {
  const { pending, transaction, browser, browser_id } = interaction
  const { parameters: answer, address } = submission
  const waiting = pending.answer_from === submission.from ? pending.method : undefined
  // Another site answers only a visit that a method asked for; it cannot start a sign-in.
  if (submission.from === 'site' && waiting === undefined) return toNextStep(interaction)
  const chosen = submission.from === 'site' ? undefined : answer.method
  const method = methodNamed(context.methods, chosen ?? waiting)
  const round = {
    answer,
    // A challenge belongs to the method that made it.
    ...(method.amr === waiting && pending.challenge !== undefined && { challenge: pending.challenge }),
    return_to: context.settings.issuer + PATHS.interaction,
    state: stateOf(interaction),
  }
  const result = await signIn(context, method, round, { address, browser_id })
  const round_over = pending.method === undefined ? {} : NO_ROUND
  switch (result.outcome) {
    case 'ok': {
      const { username, sub } = result.user
      const { cookie, sid } = await startSession(context, browser, { ...result, username, sub })
      context.log.info({ sub, client_id: pending.client_id }, 'A user signed in.')
      // If the request expired meanwhile, the next page says so; the user is signed in all the same.
      await changePending(context.storage, transaction, {
        signed_in: sid,
        problem: '',
        username: '',
        ...round_over,
      })
      return { to: 'next', transaction, cookies: { session: cookie } }
    }
    case 'failed':
    case 'throttled': {
      const problem =
        result.outcome === 'failed' ? 'failed' : String(context.now() + result.retry_after * 1000)
      const username = answer.username?.slice(0, MAX_USERNAME) ?? ''
      return recordProgress(context, interaction, { problem, username, ...round_over })
    }
    default: {
      const kept = {
        method: method.amr,
        answer_from: result.outcome === 'site' ? 'site' : 'page',
        challenge: result.challenge,
        problem: '',
      }
      const reply = await recordProgress(context, interaction, kept)
      return result.outcome === 'site' ? { to: 'site', location: result.location } : reply
    }
  }
}
