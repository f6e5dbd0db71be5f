import { PATHS, pathAt } from '../core/paths.ts'
import { withQuery } from '../core/uri.ts'
import type { Destination } from '../pages/destination.ts'
import type { Session } from '../sessions/session.ts'
import { type ConsentSite, siteFor } from './consent-site.ts'
import { askedBy, type ConsentStep } from './consent-step.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  type LoginStep,
  toNextStep,
  type UserStep,
} from './interaction.ts'
import { openRound, type PendingProgress } from './pending-record.ts'
import { sealPending } from './pending-request.ts'
import { rememberingMethod } from './remembered.ts'
import { accountOf } from './shown-account.ts'
import { methodContext } from './sign-in.ts'
import type { SignInMethod, SignInMethods } from './sign-in-method.ts'
import { stepPage } from './step-page.ts'
import { replyTo } from './step-result.ts'
import { goStraight } from './straight.ts'
import { withBar } from './waiting-bar.ts'

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
  if (step.step === 'no_access') {
    context.report(step.event)
    context.refused({ reason: 'access_by_group', ...step.facts, client_id: step.client_id })
  }
  if (step.step === 'login' && step.creates)
    return { to: 'site', location: signUpAddress(context, interaction) }
  if (step.step === 'login') {
    const gone = await goStraight(context, interaction, step)
    if (gone !== undefined) return replyTo(context, interaction, gone)
  }
  const site = step.step === 'consent' ? siteFor(context, step) : undefined
  if (step.step === 'consent' && site !== undefined && session !== undefined)
    return leaveToConsent(context, site, interaction, session, step)
  const { settings } = context
  const { scope_texts, scope_claims, username_first } = settings
  const now = context.now()
  const methods = step.step === 'login' ? await preparedMethods(context, interaction) : context.methods
  const shown = await withProgress(context, interaction, step)
  const props = {
    action: pathAt(settings, PATHS.interaction),
    interaction: shown,
    step,
    destination,
    ...(account && { account }),
    methods,
    asks_to_stay: settings.session_persistent === 'choice',
    username_first,
    scope_texts,
    scope_claims,
    request_id: context.request_id,
    now,
  }
  const { render, needs } = stepPage(props)
  // Who signs in once more has something else to do, and who answers is there already.
  const has_bar = step.step !== 'login' && interaction.pending.kind !== 'ask'
  const page = has_bar ? await withBar(context, session, render) : render
  return { to: 'page', render: page, needs, ui_locales: parameters.ui_locales }
}

/** The page where an account is made first, for the request that waits. */
function signUpAddress(
  { settings }: Pick<InteractionContext, 'settings'>,
  { transaction }: Interaction,
): string {
  return withQuery(settings.issuer + PATHS.sign_up, { transaction })
}

/** The methods with what they read for a page. @throws StorageUnavailable */
async function preparedMethods(
  context: InteractionContext,
  { browser }: Interaction,
): Promise<SignInMethods> {
  const [first, ...others] = context.methods
  const prepared = async (method: SignInMethod) =>
    method.prepare === undefined
      ? method
      : { ...method, ...(await method.prepare(rememberingMethod(context, browser))) }
  return [await prepared(first), ...(await Promise.all(others.map(prepared)))]
}

/** The interaction with what the form of the page carries. @throws StorageUnavailable */
async function withProgress(
  context: InteractionContext,
  interaction: Interaction,
  step: UserStep,
): Promise<Interaction> {
  if (step.step === 'consent') return askingFor(context, interaction, step)
  return step.step === 'login' && step.is_step_up ? resumed(context, interaction, step) : interaction
}

// Where a method continues from what the user did before, only the rest is asked for. After a failure all is.
async function resumed(
  context: InteractionContext,
  interaction: Interaction,
  { acr_values = [] }: LoginStep,
): Promise<Interaction> {
  const { pending, session } = interaction
  if (session === undefined || pending.round !== undefined || pending.problem !== undefined)
    return interaction
  const { username, sid, amr } = session
  for (const method of context.methods) {
    const signed_in = { username, sid, amr, acr_values }
    const challenge = await method.resume?.(methodContext(context, method), signed_in)
    if (challenge === undefined) continue
    const waiting = { ...pending, round: openRound(method, 'page', challenge, context.began()) }
    return { ...interaction, pending: waiting, transaction: sealPending(context, waiting) }
  }
  return interaction
}

// What the browser carries says what it is asked for, so that only this is agreed to.
function asking(step: ConsentStep): PendingProgress {
  return { asked: askedBy(step), agreed: undefined, agreed_at: undefined, left_out: undefined }
}

function askingFor(context: InteractionContext, interaction: Interaction, step: ConsentStep): Interaction {
  const pending = { ...interaction.pending, ...asking(step) }
  return { ...interaction, pending, transaction: sealPending(context, pending) }
}

/** Sends the browser to the page of an application that asks for consent. @throws StorageUnavailable */
async function leaveToConsent(
  context: InteractionContext,
  site: ConsentSite,
  interaction: Interaction,
  session: Session,
  step: ConsentStep,
): Promise<InteractionReply> {
  const visit = await site.leave(session)
  const taken = visit && {
    noted: { ...asking(step), round: openRound(site, 'site', visit.challenge) },
    location: (state: string) => visit.location(state),
  }
  return replyTo(context, interaction, taken)
}
