import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { commit } from '../core/commit.ts'
import type { Parameters } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import { type BrowserIdentity, identityAfterSignIn } from '../sessions/browser.ts'
import { browserName } from '../sessions/browser-name.ts'
import { type Proven, startSession } from '../sessions/session.ts'
import { asksForPassword } from './asks-for-password.ts'
import type { Interaction, InteractionContext, LoginStep } from './interaction.ts'
import { knownTo } from './known-browsers.ts'
import {
  failedBecause,
  type OpenRound,
  openRound,
  type PendingRecord,
  requestName,
} from './pending-record.ts'
import { reportSignIn } from './refused-sign-ins.ts'
import { rememberedBy, rememberedCookie } from './remembered.ts'
import { asideAfter } from './show-aside.ts'
import { type AttemptedRound, type SignInResult, signIn } from './sign-in.ts'
import type { ThrottledSignIn } from './sign-in-limit.ts'
import { type Failure, methodNamed, type SignInMethod } from './sign-in-method.ts'
import type { StepResult } from './step-result.ts'
import { againOf, takeName } from './straight.ts'
import type { Submission } from './submission.ts'

/** An answer to the step of a sign-in. */
interface SignInAnswer {
  readonly interaction: Interaction
  readonly step: LoginStep
  readonly submission: Submission
  readonly method: SignInMethod
  /** The round that it answers; undefined: it begins the sign-in. */
  readonly open: OpenRound | undefined
  /** Whether the user asked to stay signed in. */
  readonly stays: boolean
  /** That of the browser once it is signed in. */
  readonly identity: BrowserIdentity
}

const MAX_USERNAME = 255

/** What is left of an attempt that was refused, once there was another one. */
const NO_PROBLEM = { problem: undefined, refused_by: undefined } as const

/**
 * Takes an answer to the sign-in page, or of a site of a sign-in method; undefined: it fits no step.
 * @throws OAuthError to be shown to the user; StorageUnavailable
 */
export async function takeSignIn(
  context: InteractionContext,
  interaction: Interaction,
  step: LoginStep,
  submission: Submission,
): Promise<StepResult | undefined> {
  const { pending, browser } = interaction
  const { parameters: answer, from } = submission
  const open = pending.round?.from === from ? pending.round : undefined
  // Another site answers only a visit that a method asked for; it cannot start a sign-in.
  if (from === 'site' && open === undefined) return undefined
  const chosen = from === 'site' ? undefined : answer.method
  // Only the first page asks; the rounds after it carry the answer.
  const stays = open === undefined ? answer.stay === 'yes' : pending.stay === 'true'
  if (open === undefined && chosen === undefined && isNameAlone(context, pending, answer))
    return takeName(context, interaction, step, { username: usernameIn(answer), ...stay(stays) })
  const method = methodNamed(context.methods, chosen ?? open?.method)
  const identity = identityAfterSignIn(browser)
  const answered = { interaction, step, submission, method, open, stays, identity }
  const attempt = attemptOf(context, answered)
  const result = await signIn(context, method, attempt, callerOf(answered), starterOf(context, answered))
  reportSignIn(context, result, byOf(answered))
  return takenOf(context, answered, result, attempt.judged_since)
}

/** Whether a form only says who signs in, as the first of two pages asks: nothing is tried, and nothing counts. */
function isNameAlone(
  { methods: [first] }: Pick<InteractionContext, 'methods'>,
  pending: PendingRecord,
  { asked, username = '', password }: Parameters,
): boolean {
  return asked === 'username' && password === undefined && username !== '' && asksForPassword(first, pending)
}

const usernameIn = ({ username = '' }: Parameters) => username.slice(0, MAX_USERNAME)

const stay = (stays: boolean) => ({ stay: stays ? 'true' : undefined })

const byOf = ({ method, interaction }: SignInAnswer) => ({
  method: method.name,
  client_id: interaction.parameters.client_id,
})

/** What there is to judge. */
function attemptOf(context: InteractionContext, answered: SignInAnswer): AttemptedRound {
  const { interaction, step, submission, method, open } = answered
  const { pending, parameters, browser, session } = interaction
  const { parameters: answer, user_agent, arrived_at } = submission
  const remembered = rememberedBy(context, method, browser)
  const name = browserName(user_agent)
  // A challenge belongs to the method that made it.
  const own = open?.method === method.name ? open : undefined
  return {
    answer,
    // The first of two steps proves something, too.
    judged_since: own?.judged_since ?? context.began(),
    acr_values: step.acr_values ?? [],
    ...(name && { browser: name }),
    ...(remembered !== undefined && { remembered }),
    request: requestName(pending),
    return_to: context.settings.issuer + PATHS.interaction,
    ...(arrived_at !== undefined && { arrived_at }),
    ...againOf(session, step),
    ...freshSince(context, pending, step),
    ...(parameters.login_hint !== undefined && { login_hint: parameters.login_hint }),
    ...(own && {
      challenge: own.challenge,
      answers: { id: own.id, seconds: (pending.ends_at - context.now()) / 1000 },
    }),
  }
}

/**
 * Since when the person must have proved who it is, in seconds since 1970: since the request began, or as long ago
 * as it allows. That holds for every method.
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

const callerOf = ({ interaction: { browser }, submission, identity }: SignInAnswer) => ({
  address: submission.address,
  browser_id: browser.identity?.device ?? '',
  known_to: browser.identity?.known_to,
  next_browser_id: identity.device,
})

/** Returns what starts the session of the user who signed in, with its event. */
function starterOf(context: InteractionContext, answered: SignInAnswer) {
  const { interaction, submission } = answered
  const name = browserName(submission.user_agent)
  const seen = { address: submission.address, ...(name && { browser: name }) }
  return (proven: Proven) => {
    const { username, sub, amr } = proven
    const event = { event: 'sign_in_succeeded', username, sub, amr, ...byOf(answered) } as const
    return commit(context, [event], {}, (entries) =>
      startSession(context, interaction.browser, { ...proven, ...seen }, entries),
    )
  }
}

/** What comes of it. @param judged_since when the first of the rounds began to be judged, in milliseconds since 1970 */
function takenOf(
  context: InteractionContext,
  answered: SignInAnswer,
  result: SignInResult,
  judged_since: number,
): StepResult {
  const { method, stays } = answered
  const goesOn = { ...NO_PROBLEM, username: undefined, ...stay(stays) }
  switch (result.outcome) {
    case 'ok':
      return signedIn(context, answered, result)
    case 'failed':
    case 'throttled':
      return { noted: refusedOf(context, answered, result, judged_since) }
    case 'challenge':
      return { noted: { ...goesOn, round: openRound(method, 'page', result.challenge, judged_since) } }
    default: {
      const round = openRound(method, 'site', result.challenge)
      return { noted: { ...goesOn, round }, location: (state) => result.location(state) }
    }
  }
}

function signedIn(
  context: InteractionContext,
  { interaction, submission, method, stays, identity }: SignInAnswer,
  result: Extract<SignInResult, { outcome: 'ok' }>,
): StepResult {
  const { pending, browser } = interaction
  const { cookie, sid, session: started } = result.session
  const signed_in = { method: method.name, answer: submission.parameters }
  const aside_of = asideAfter(context, pending, signed_in, browser)
  const kept = result.remember && rememberedCookie(context, method, result.remember)
  const known = { ...identity, known_to: knownTo(result.user) }
  return {
    noted: {
      signed_in: sid,
      ...NO_PROBLEM,
      username: undefined,
      stay: undefined,
      round: undefined,
      aside_of,
      aside_state: aside_of && result.account_state,
    },
    cookies: { browser: known, session: cookie, stays, ...kept },
    started,
  }
}

/** What is noted of an attempt that was refused: the same round goes on where the method says so. */
function refusedOf(
  { now, request_id: refused_by }: InteractionContext,
  { submission, method, stays }: SignInAnswer,
  result: Failure | ThrottledSignIn,
  judged_since: number,
): StepResult['noted'] {
  if (result.outcome === 'throttled') {
    const problem = String(now() + result.retry_after * 1000)
    const username = submission.parameters.username && usernameIn(submission.parameters)
    return { problem, refused_by, gave_up: undefined, username, ...stay(stays), round: undefined }
  }
  const { challenge, is_final } = result
  const refused = { problem: failedBecause(result.problem), refused_by, ...stay(stays) }
  if (challenge !== undefined)
    return { ...refused, username: undefined, round: openRound(method, 'page', challenge, judged_since) }
  const username = submission.parameters.username && usernameIn(submission.parameters)
  return { ...refused, gave_up: is_final ? 'true' : undefined, username, round: undefined }
}
