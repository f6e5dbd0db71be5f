import { OAuthError } from '../core/errors.ts'
import type { Transaction } from '../core/ids.ts'
import { signInExpired } from '../core/request-errors.ts'
import type { Destination } from '../pages/destination.ts'
import type { Browser, NewCookies } from '../sessions/browser.ts'
import { findSession } from '../sessions/session.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { isAnswerTo } from './answer-token.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  openInteraction,
  type UserStep,
} from './interaction.ts'
import type { PendingKind } from './pending-record.ts'
import { sealPending } from './pending-request.ts'
import { showAside, takeAside } from './show-aside.ts'
import { showStep } from './show-step.ts'
import { findMethod } from './sign-in-method.ts'
import { replyTo, type StepResult } from './step-result.ts'
import type { Submission } from './submission.ts'
import { takeStep } from './take-step.ts'

/** What is due for a pending request: a step of the user, or the answer to the request. */
export type Due<Reply> =
  | { readonly due: 'user'; readonly step: UserStep; readonly destination: Destination | undefined }
  | {
      readonly due: 'answer'
      answer(): Promise<Reply | InteractionReply>
      /** As `answer`, for a form; absent: the answer is a page, which a GET shows. Undefined: the session ended. */
      answerForm?(): Promise<Reply | undefined>
    }

/** A kind of pending request: finds out what is due. @throws OAuthError to be shown to the user; StorageUnavailable */
export type Flow<Reply> = (interaction: Interaction) => Promise<Due<Reply>>

/** The kinds of pending requests that users continue on the pages. */
export type Flows<Reply> = Readonly<Partial<Record<PendingKind, Flow<Reply>>>>

/**
 * Shows the step that is due for a pending request, or answers the request.
 * @param way by which the page is to ask, where the round that waits has several
 * @throws OAuthError to be shown to the user: `signInExpired` if the request is over or belongs to another browser;
 * StorageUnavailable
 */
export async function showInteraction<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  transaction: Transaction | undefined,
  browser: Browser,
  way?: string,
): Promise<Reply | InteractionReply> {
  const opened = await openInteraction(context, Object.keys(flows), transaction, browser)
  const interaction = way === undefined ? opened : turned(context, opened, way)
  const aside = await showAside(context, interaction)
  if (aside !== undefined) return aside
  const due = await flowOf(flows, interaction)(interaction)
  return due.due === 'user' ? showStep(context, interaction, due.step, due.destination) : due.answer()
}

/**
 * Takes what the user did. What does not belong to the browser, the request and the session, or does not fit the step
 * that is due, changes nothing, and the step that is due is shown.
 * @throws OAuthError to be shown to the user, as showInteraction; StorageUnavailable
 */
export async function continueInteraction<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  submission: Submission,
  browser: Browser,
): Promise<InteractionReply> {
  const interaction = await openInteraction(context, Object.keys(flows), submission.transaction, browser)
  const taken = await take(context, flows, interaction, submission)
  return replyTo(context, interaction, taken)
}

/**
 * As continueInteraction, and answers the client as well if nothing is left to ask: the browser need not come again.
 * @throws as continueInteraction
 */
export async function finishInteraction<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  submission: Submission,
  browser: Browser,
): Promise<Reply | InteractionReply> {
  const interaction = await openInteraction(context, Object.keys(flows), submission.transaction, browser)
  const taken = await take(context, flows, interaction, submission)
  return (
    (taken && (await answerForm(context, flows, interaction, taken))) ?? replyTo(context, interaction, taken)
  )
}

/** The answer to the client; undefined: the next request shows what is due, or what is wrong. */
async function answerForm<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  interaction: Interaction,
  taken: StepResult,
): Promise<(Reply & { readonly cookies?: NewCookies }) | undefined> {
  const { parameters } = interaction
  const pending = Object.assign({}, interaction.pending, taken.noted)
  if ('location' in taken || pending.kind !== 'authorization' || pending.aside_of !== undefined)
    return undefined
  const { cookies, started } = taken
  try {
    const session =
      cookies?.session === undefined
        ? interaction.session
        : await findSession(context, { session: cookies.session }, parameters.client_id, started)
    // Its transaction and browser are those of before: a page would need the new ones, an answer needs none.
    const now = { ...interaction, pending, session }
    const due = await flowOf(flows, now)(now)
    const reply = due.due === 'answer' ? await due.answerForm?.() : undefined
    return reply && { ...reply, ...(cookies && { cookies }) }
  } catch (error) {
    // The browser gets its cookies first.
    if (error instanceof OAuthError || error instanceof StorageUnavailable) return undefined
    throw error
  }
}

async function take<Reply>(
  context: InteractionContext,
  flows: Flows<Reply>,
  interaction: Interaction,
  submission: Submission,
): Promise<StepResult | undefined> {
  if (!isAnswerTo(interaction, submission)) return undefined
  const taken = await takeAside(context, interaction, submission)
  if (taken !== undefined) return taken
  const due = await flowOf(flows, interaction)(interaction)
  return takeStep(context, interaction, due.due === 'user' ? due.step : undefined, submission)
}

/** The interaction whose page asks by another way. What was wrong at the one before is not said of it. */
function turned(context: InteractionContext, interaction: Interaction, way: string): Interaction {
  const { round } = interaction.pending
  const challenge = round && findMethod(context.methods, round.method)?.turn?.(round.challenge, way)
  if (round === undefined || challenge === undefined) return interaction
  const asked = { round: { ...round, challenge }, problem: undefined, refused_by: undefined }
  const pending = { ...interaction.pending, ...asked }
  return { ...interaction, pending, transaction: sealPending(context, pending) }
}

/** Returns the flow of a pending request. @throws OAuthError `signInExpired` if there is none of its kind */
export function flowOf<Reply>(flows: Flows<Reply>, { pending }: Interaction): Flow<Reply> {
  const flow = flows[pending.kind]
  if (flow === undefined) throw signInExpired(undefined, 'a request of a room that is turned off')
  return flow
}
