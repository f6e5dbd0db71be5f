import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Sub } from '../core/ids.ts'
import { ownPageFailed } from '../core/request-errors.ts'
import type { Session } from '../sessions/session.ts'
import { saveConsent, toldNames } from './consent.ts'
import { type SiteAnswer, siteFor } from './consent-site.ts'
import {
  askedBy,
  type ConsentStep,
  consentedBy,
  formatLeftOut,
  hasTypedCode,
  WRONG_CODE,
} from './consent-step.ts'
import type { Interaction, InteractionContext } from './interaction.ts'
import { failedBecause } from './pending-record.ts'
import type { StepResult } from './step-result.ts'
import type { Submission } from './submission.ts'

/**
 * Takes what the user said on the page that asks for consent: that of redmint, or that of an application. Undefined:
 * it is no answer to that.
 * @throws OAuthError to be shown to the user: `ownPageFailed` if what came back from the application proves nothing, so that
 * nobody goes round in a circle; StorageUnavailable
 */
export async function takeConsent(
  context: InteractionContext,
  interaction: Interaction,
  session: Session,
  step: ConsentStep,
  submission: Submission,
): Promise<StepResult | undefined> {
  const answer = await answerIn(context, interaction, session, step, submission)
  if (answer === undefined) return undefined
  if (answer.outcome === 'allowed' && !hasTypedCode(step, submission.parameters)) {
    const { sub } = session
    const received = { sub, fault: 'not the code of the device that was asked about' }
    context.refused({ reason: 'user_code_wrong', received, client_id: step.client_id })
    const problem = failedBecause(WRONG_CODE)
    return { noted: { problem, refused_by: context.request_id } }
  }
  const { username, sub } = session
  const { client_id } = step
  const names = toldNames(
    step.names,
    step.details.map(({ detail }) => detail),
  )
  const about = { username, sub, client_id }
  switch (answer.outcome) {
    case 'over':
      throw ownPageFailed(answer.code, await context.clients.find(client_id))
    case 'refused':
      context.report({ event: 'consent_refused', ...about, scope: names.join(' ') })
      return {
        noted: { refused: session.sid, never_again: answer.never_again && 'true', round: undefined },
      }
    default: {
      const { left_out, remembers, agreed_at = context.began() } = answer
      const scope = names.filter((name) => !left_out.has(name)).join(' ')
      const event: SecurityEvent = { event: 'consent_given', ...about, scope }
      // Any program on the device can send the client_id of a local client. What is asked from elsewhere is asked each time.
      if (!remembers || step.described?.is_local || step.ask !== undefined) context.report(event)
      else await remember(context, sub, step, left_out, event)
      const left = formatLeftOut(step, left_out)
      const agreed = {
        agreed: session.sid,
        agreed_at,
        left_out: left,
        problem: undefined,
        refused_by: undefined,
      }
      // The next page answers the client: the user could not go back to the answer of a form.
      return { noted: { ...agreed, round: undefined } }
    }
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** What was said; undefined: nothing that is an answer to this step. */
async function answerIn(
  context: Pick<InteractionContext, 'consent_site'>,
  interaction: Interaction,
  session: Session,
  step: ConsentStep,
  { from, parameters }: Submission,
): Promise<SiteAnswer | undefined> {
  const site = siteFor(context, step)
  // Who is asked by an application answers there: a form of another page is no way around it.
  if (from !== (site === undefined ? 'page' : 'site')) return undefined
  if (site === undefined && parameters.decision === 'deny') return { outcome: 'refused' }
  if (site === undefined && step.ask !== undefined && parameters.decision === 'never')
    return { outcome: 'refused', never_again: true }
  // What is due now may differ from what the page asked about.
  if (interaction.pending.asked !== askedBy(step)) return undefined
  if (site !== undefined) return site.comeBack(interaction, session, step, parameters)
  if (parameters.decision !== 'allow') return undefined
  return { outcome: 'allowed', left_out: NOTHING, remembers: true }
}

/** Remembers a consent, with its event. @throws StorageUnavailable */
async function remember(
  context: InteractionContext & { readonly report: ReportEvent },
  sub: Sub,
  step: ConsentStep,
  left_out: ReadonlySet<string>,
  event: SecurityEvent,
): Promise<void> {
  const { client_id, described } = step
  const consent = { sub, client_id, ...consentedBy(step, left_out), ...describedIn(context, described) }
  await commit(context, [event], {}, (told) =>
    saveConsent(context, consent, context.settings.consent_ttl, told),
  )
}

function describedIn(
  { now }: Pick<InteractionContext, 'now'>,
  described: ConsentStep['described'],
): { readonly description?: string; readonly described_since?: string } {
  if (described === undefined) return {}
  const { description, history } = described
  const since = history.state === 'unchanged' ? history.since : now()
  return { description, described_since: new Date(since).toISOString() }
}
