import type { Settings } from '../config/config.ts'
import { parseToken } from '../core/token-string.ts'
import {
  type Interaction,
  type InteractionContext,
  isAnswerTo,
  openInteraction,
  toNextStep,
} from '../interaction/interaction.ts'
import { showStep } from '../interaction/show-step.ts'
import type { Submission } from '../interaction/submission.ts'
import { takeStep } from '../interaction/take-step.ts'
import { type Destination, hostOf } from '../pages/destination.ts'
import type { Browser } from '../sessions/browser.ts'
import type { PendingStore } from '../storage/storage.ts'
import type { IssueStep } from './decide.ts'
import { type IssueContext, issueCode } from './issue-code.ts'
import { findNextStep, type NextStepContext } from './next-step.ts'
import type { Reply } from './reply.ts'
import type { Target } from './request.ts'
import { type ClientResponse, codeResponse, errorResponse } from './response.ts'

/** What it takes to continue a pending authorization request. */
export type ContinueContext = NextStepContext &
  IssueContext &
  InteractionContext & {
    readonly settings: Pick<Settings, 'code_ttl'>
    readonly storage: Pick<PendingStore, 'finishPending'>
  }

/**
 * Shows the step that is due for a pending authorization request, or answers the request.
 * @throws OAuthError to be shown to the user: `signInExpired` if the request is over or belongs to another browser;
 * StorageUnavailable
 */
export async function showInteraction(
  context: ContinueContext,
  transaction: string | undefined,
  browser: Browser,
): Promise<Reply> {
  const interaction = await openInteraction(context, 'authorization', transaction, browser)
  const { target, next } = await nextStepOf(context, interaction)
  switch (next.step) {
    case 'error':
      return finish(context, interaction, errorResponse(target, context.settings.issuer, next.error))
    case 'issue':
      return issue(context, interaction, target, next)
    default:
      return showStep(context, interaction, next, destinationOf(target))
  }
}

/**
 * Takes what the user did. What does not belong to the browser, the request and the session, or does not fit the step
 * that is due, changes nothing, and the step that is due is shown.
 * @throws OAuthError to be shown to the user, as showInteraction; StorageUnavailable
 */
export async function continueInteraction(
  context: ContinueContext,
  submission: Submission,
  browser: Browser,
): Promise<Reply> {
  const interaction = await openInteraction(context, 'authorization', submission.transaction, browser)
  if (!isAnswerTo(interaction, submission)) return toNextStep(interaction)
  const { next } = await nextStepOf(context, interaction)
  const isOver = next.step === 'error' || next.step === 'issue'
  return takeStep(context, interaction, isOver ? undefined : next, submission)
}

function nextStepOf(context: ContinueContext, { parameters, session, pending }: Interaction) {
  return findNextStep(context, parameters, async () => session, pending)
}

function destinationOf({ client, redirect_uri }: Target): Destination {
  return { client_name: client.client_name, host: hostOf(redirect_uri) }
}

async function issue(
  context: ContinueContext,
  interaction: Interaction,
  target: Target,
  step: IssueStep,
): Promise<Reply> {
  const { storage, settings } = context
  const { transaction } = interaction
  const grant = parseToken(transaction)?.grant ?? ''
  const code = await issueCode(context, step, grant, (code, record) =>
    storage.finishPending(transaction, { code, record, ttl: settings.code_ttl }),
  )
  // The session ended, or the request was answered meanwhile: the next page says which.
  if (code === undefined) return toNextStep(interaction)
  return toClient(interaction, codeResponse(target, settings.issuer, code))
}

async function finish(
  { storage }: ContinueContext,
  interaction: Interaction,
  response: ClientResponse,
): Promise<Reply> {
  const finished = await storage.finishPending(interaction.transaction)
  return finished === 'ok' ? toClient(interaction, response) : toNextStep(interaction)
}

function toClient({ parameters: { ui_locales } }: Interaction, response: ClientResponse): Reply {
  return { to: 'client', response, ui_locales }
}
