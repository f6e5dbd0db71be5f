import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { commit } from '../core/commit.ts'
import type { ClientId } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import { cookieDigest, identityAfterSignIn } from '../sessions/browser.ts'
import { browserName } from '../sessions/browser-name.ts'
import { type Proven, startSession } from '../sessions/session.ts'
import { asksForPassword } from './asks-for-password.ts'
import {
  type Interaction,
  type InteractionContext,
  type InteractionReply,
  type LoginStep,
  toNextStep,
  toStepAfter,
  type UserStep,
} from './interaction.ts'
import { failedBecause, openRound, type PendingRecord, requestName } from './pending-record.ts'
import { sealPending } from './pending-request.ts'
import { FAILURES } from './refused-sign-ins.ts'
import { rememberedBy, rememberedCookie } from './remembered.ts'
import { asideAfter } from './show-aside.ts'
import { type SignInResult, signIn } from './sign-in.ts'
import { knownTo } from './sign-in-limit.ts'
import { methodNamed } from './sign-in-method.ts'
import { siteState } from './site-state.ts'
import { againOf, takeName } from './straight.ts'
import type { Submission } from './submission.ts'
import { takeConsent } from './take-consent.ts'

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
  if (step?.step === 'login') return takeSignIn(context, interaction, step, submission)
  // Only a sign-in and a consent send the browser to another site, and nothing else is answered from there.
  if (submission.from === 'site') {
    const is_consent = session !== undefined && step?.step === 'consent'
    return is_consent ? takeConsent(context, interaction, session, step, submission) : toNextStep(interaction)
  }
  if (decision === 'other_account') {
    return toStepAfter(context, interaction, { other_account: 'true', signed_in: undefined })
  }
  if (session === undefined || step === undefined) return toNextStep(interaction)
  if (step.step === 'select_account') {
    if (account !== session.sid) return toNextStep(interaction)
    return toStepAfter(context, interaction, { chosen: session.sid })
  }
  if (step.step === 'no_access') {
    if (decision !== 'deny') return toNextStep(interaction)
    return toStepAfter(context, interaction, { refused: session.sid })
  }
  return takeConsent(context, interaction, session, step, submission)
}

const MAX_USERNAME = 255

/** What is left of an attempt that was refused, once there was another one. */
const NO_PROBLEM = { problem: undefined, refused_by: undefined } as const

/**
 * Since when the person must have proved who it is, in seconds since 1970: since the request began, or as long ago as it
 * allows. That holds for every method.
 */
function freshSince(
  { settings, now }: Pick<InteractionContext, 'settings' | 'now'>,
  { ends_at }: PendingRecord,
  { max_age }: LoginStep,
): { readonly fresh_since?: number } {
  if (max_age === undefined) return {}
  const began = ends_at / 1000 - settings.sign_in_ttl
  return { fresh_since: Math.min(began, max_age === 0 ? began : now() / 1000 - max_age) - CLOCK_SKEW }
}

async function takeSignIn(
  context: InteractionContext,
  interaction: Interaction,
  step: LoginStep,
  submission: Submission,
): Promise<InteractionReply> {
  const { acr_values = [] } = step
  const { pending, parameters, browser, session } = interaction
  const { parameters: answer, address, user_agent, from, arrived_at } = submission
  const open = pending.round?.from === from ? pending.round : undefined
  // Another site answers only a visit that a method asked for; it cannot start a sign-in.
  if (from === 'site' && open === undefined) return toNextStep(interaction)
  const chosen = from === 'site' ? undefined : answer.method
  // Only the first page asks; the rounds after it carry the answer.
  const stays = open === undefined ? answer.stay === 'yes' : pending.stay === 'true'
  const stay = stays ? 'true' : undefined
  if (open === undefined && chosen === undefined && isNameAlone(context, pending, answer)) {
    const username = (answer.username ?? '').slice(0, MAX_USERNAME)
    return takeName(context, interaction, step, { username, stay })
  }
  const method = methodNamed(context.methods, chosen ?? open?.method)
  const remembered = rememberedBy(context, method, browser)
  const name = browserName(user_agent)
  // The first of two steps proves something, too.
  const judged_since = (open?.method === method.name ? open.judged_since : undefined) ?? context.began()
  const attempt = {
    answer,
    judged_since,
    acr_values,
    ...(name && { browser: name }),
    ...(remembered !== undefined && { remembered }),
    request: requestName(pending),
    return_to: context.settings.issuer + PATHS.interaction,
    ...(arrived_at !== undefined && { arrived_at }),
    ...againOf(session, step),
    ...freshSince(context, pending, step),
    ...(parameters.login_hint !== undefined && { login_hint: parameters.login_hint }),
    // A challenge belongs to the method that made it.
    ...(open?.method === method.name && {
      challenge: open.challenge,
      answers: { id: open.id, seconds: (pending.ends_at - context.now()) / 1000 },
    }),
  }
  const identity = identityAfterSignIn(browser)
  const caller = {
    address,
    browser_id: browser.identity?.device ?? '',
    known_to: browser.identity?.known_to,
    next_browser_id: identity.device,
  }
  const by = { method: method.name, client_id: parameters.client_id }
  const start = (proven: Proven) => {
    const { username, sub, amr } = proven
    const event = { event: 'sign_in_succeeded', username, sub, amr, ...by } as const
    const seen = { address, ...(name && { browser: name }) }
    return commit(context, [event], {}, (told) =>
      startSession(context, browser, { ...proven, ...seen }, told),
    )
  }
  const result = await signIn(context, method, attempt, caller, start)
  reportSignIn(context, result, by)
  switch (result.outcome) {
    case 'ok': {
      const { cookie, sid } = result.session
      const done = {
        signed_in: sid,
        ...NO_PROBLEM,
        username: undefined,
        stay: undefined,
        round: undefined,
      }
      const invited = asideAfter(context, pending, { method: method.name, answer }, browser)
      const invited_state = invited && result.account_state
      const renewed = { ...pending, ...done, invited, invited_state, browser: cookieDigest(identity.id) }
      const transaction = sealPending(context, renewed)
      const kept = result.remember && rememberedCookie(context, method, result.remember)
      const known = { ...identity, known_to: knownTo(result.user) }
      return { to: 'next', transaction, cookies: { browser: known, session: cookie, stays, ...kept } }
    }
    case 'failed':
    case 'throttled': {
      const again = result.outcome === 'failed' ? result.challenge : undefined
      const problem =
        result.outcome === 'failed'
          ? failedBecause(result.problem)
          : String(context.now() + result.retry_after * 1000)
      const refused = { problem, refused_by: context.request_id }
      if (again === undefined) {
        const username = answer.username?.slice(0, MAX_USERNAME)
        const gave_up = result.outcome === 'failed' && result.is_final ? 'true' : undefined
        return toStepAfter(context, interaction, { ...refused, gave_up, username, stay, round: undefined })
      }
      const round = openRound(method, 'page', again, judged_since)
      return toStepAfter(context, interaction, { ...refused, username: undefined, stay, round })
    }
    case 'challenge': {
      const round = openRound(method, 'page', result.challenge, judged_since)
      return toStepAfter(context, interaction, { round, ...NO_PROBLEM, username: undefined, stay })
    }
    default: {
      const round = openRound(method, 'site', result.challenge)
      const waiting = { ...pending, round, ...NO_PROBLEM, username: undefined, stay }
      return { to: 'site', location: result.location(siteState(context, interaction, waiting)) }
    }
  }
}

/** Whether a form only says who signs in, as the first of two pages asks: nothing is tried, and nothing counts. */
function isNameAlone(
  { methods: [first] }: Pick<InteractionContext, 'methods'>,
  pending: PendingRecord,
  { asked, username = '', password }: Parameters,
): boolean {
  return asked === 'username' && password === undefined && username !== '' && asksForPassword(first, pending)
}

/**
 * Counts an attempt, and reports one that failed. An attempt that a full counter refuses is an event only if it is the
 * first: anybody can repeat it.
 */
function reportSignIn(
  { report, refused, counts }: Pick<InteractionContext, 'report' | 'refused' | 'counts'>,
  result: SignInResult,
  { method, client_id }: { method: string; client_id: ClientId | undefined },
): void {
  const { sign_ins } = counts
  if (result.outcome === 'ok') sign_ins.succeeded += 1
  else if (result.outcome === 'failed') {
    const { reason, user, facts } = result
    sign_ins.failed += 1
    report({ event: 'sign_in_failed', reason, method, username: user?.username, sub: user?.sub, client_id })
    const received = { method, ...(user && { sub: user.sub }), ...facts }
    const is_limited = result.problem === 'limited' || result.problem === 'too_many'
    refused({ reason: is_limited ? 'second_step_limited' : FAILURES[reason], received, client_id })
  } else if (result.outcome === 'throttled') {
    const { limit, retry_after, is_first } = result
    sign_ins.limited += 1
    if (is_first) report({ event: 'sign_in_limited', limit, retry_after, client_id })
    refused({ reason: 'sign_ins_limited', received: { limit, retry_after }, client_id })
  }
}
