import { temporarilyUnavailable } from '../core/errors.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Tally } from '../core/tally.ts'
import { cameFrom } from '../sessions/came-from.ts'
import type { Proven, StartedSession } from '../sessions/session.ts'
import { lookUp, readCandidate } from '../users/find-account.ts'
import { readAccount } from '../users/read-account.ts'
import { usernamesOfSub } from '../users/sign-in-names.ts'
import type { User } from '../users/user-record.ts'
import { findBrowserOf, rememberBrowser } from './known-browsers.ts'
import { type AccountSource, keepAccount, type OwnAccountContext } from './own-accounts.ts'
import { checkPassword, type PasswordContext } from './password-method.ts'
import { isSaidOver } from './said-over.ts'
import {
  countAttempt,
  type LimitContext,
  type SignInAttempt,
  type ThrottledSignIn,
  TooManyGuesses,
} from './sign-in-limit.ts'
import type {
  Failure,
  MethodContext,
  NextRound,
  RoundResult,
  SignInMethod,
  SignInRound,
  Success,
} from './sign-in-method.ts'
import { type UseContext, useOnce } from './use-once.ts'

/** Where a sign-in comes from: an IPv4 address or the network of an IPv6 address, and the browser. */
export type SignInCaller = Omit<SignInAttempt, 'named' | 'proven' | 'known_by'>

/**
 * `ok`: who signed in, and the session that was started. `failed`: the answer is wrong; for the browser all failures are
 * alike. `throttled`: there were too many failures, so nothing was looked at. Else another round is due.
 */
export type SignInResult = (Success & { session: StartedSession }) | Failure | ThrottledSignIn | NextRound

/** What can come of a sign-in, as it is counted. */
export const SIGN_IN_RESULTS = ['succeeded', 'failed', 'limited'] as const
export type SignInTally = Tally<(typeof SIGN_IN_RESULTS)[number]>

/** What it takes to judge a round. */
export type JudgeContext = PasswordContext &
  UseContext &
  OwnAccountContext & {
    readonly report: ReportEvent
    /** The accounts of an application; absent: those of redmint are all. */
    readonly account_source?: AccountSource | undefined
  }

/** A round to be judged, and if it answers an open one, the id of that and the seconds in which it can be presented. */
export type AttemptedRound = Omit<SignInRound, 'asker' | 'user'> & {
  readonly answers?: { readonly id: string; readonly seconds: number }
  /** Since when the person must have proved it, in seconds since 1970; absent: any time. */
  readonly fresh_since?: number
  /** When the first of the rounds began to be judged, in milliseconds since 1970. */
  readonly judged_since: number
}

/**
 * One round of a sign-in. It counts as failed until it turns out not to be.
 * @param start starts the session of the user who signed in
 * @throws OAuthError `temporarily_unavailable` (503) if too many sign in at once; StorageUnavailable
 */
export async function signIn(
  context: JudgeContext & LimitContext,
  method: SignInMethod,
  attempt: AttemptedRound,
  caller: SignInCaller,
  start: (proven: Proven) => Promise<StartedSession>,
): Promise<SignInResult> {
  const began = context.now()
  const { answers, fresh_since, judged_since, ...request } = attempt
  const proven = method.proven?.(request)
  const typed = proven === undefined ? method.username(request) : undefined
  const looked_up = typed === undefined ? undefined : await lookUp(context, typed)
  // Neither needs the result of the other, so their commands leave together.
  const [named, known_by] = await Promise.all([
    looked_up && readCandidate(context, looked_up),
    findBrowserOf(context, proven ?? looked_up?.candidate, caller),
  ])
  const counting = { named, proven, known_by, ...caller }
  const counted = await countAttempt(context, counting)
  if (counted.outcome === 'throttled') return counted
  const { asker, guessesAt, forgive } = counted
  const round = { asker, user: named?.user, ...request }
  let result: RoundResult
  try {
    result = await judge(context, method, guessesAt, round, { answers, fresh_since })
  } catch (error) {
    // Nothing was found out, so nothing failed. The error that says why is the one to report.
    await forgive().catch(() => {})
    if (error instanceof TooManyGuesses) return error.throttled
    throw error
  }
  switch (result.outcome) {
    case 'failed':
      if (result.is_forgiven) await forgive()
      return result
    case 'ok': {
      const { user, amr, acr, account_state, auth_time, judged_at = judged_since } = result
      if (await isSaidOver(context, result, began)) {
        await forgive()
        return { outcome: 'failed', reason: 'upstream_denied', user, problem: 'provider_denied' }
      }
      const { username, sub } = user
      // None needs the result of another, so their commands leave together.
      const [session] = await Promise.all([
        start({
          ...{ username, sub, amr: amr.join(' '), acr, judged_since: Math.min(judged_at, judged_since) },
          ...(account_state && { account_state }),
          ...cameFrom(result),
          ...(auth_time !== undefined && { auth_time }),
        }),
        forgive(),
        rememberBrowser(context, user, caller),
      ])
      return { ...result, session }
    }
    case 'unavailable':
      await forgive()
      throw temporarilyUnavailable(`the sign-in method ${method.name} found nothing out`)
    default:
      await forgive()
      return result
  }
}

/** The judgement of the method, but for what holds for every method. */
async function judge(
  context: JudgeContext,
  method: SignInMethod,
  guessesAt: MethodContext['guessesAt'],
  round: SignInRound,
  { answers, fresh_since }: { [Name in 'answers' | 'fresh_since']: AttemptedRound[Name] },
): Promise<RoundResult> {
  const given = methodContext(context, method, (entry, exists) =>
    guessesAt(`${method.name} ${entry}`, exists),
  )
  const result = await method.authenticate(given, round)
  if (result.outcome !== 'ok') return result
  const { user, auth_time } = result
  // An answer that came just now may be about a proof of long ago.
  if (fresh_since !== undefined && auth_time !== undefined && auth_time < fresh_since) {
    const [family = ''] = method.name.split(':')
    return { outcome: 'failed', reason: 'not_fresh', problem: `${family}_not_fresh`, is_forgiven: true, user }
  }
  if (user.disabled) return { outcome: 'failed', reason: 'disabled_user', user }
  // An older page still has the challenge.
  if (answers !== undefined && !(await useOnce(context, 'round', answers.id, answers.seconds))) {
    return { outcome: 'failed', reason: 'wrong_answer', user }
  }
  return result
}

// Where no answer is judged, none guesses.
const guessesNothing = async () => {}

/** What a method works with in a request. */
export function methodContext(
  context: JudgeContext,
  { name }: SignInMethod,
  guessesAt: MethodContext['guessesAt'] = guessesNothing,
): MethodContext {
  const { log, report, now } = context
  return {
    findUser: (username) => readAccount(context, username),
    findAccount: (sub) => findAccount(context, sub),
    checkPassword: (...asked) => checkPassword(context, ...asked),
    guessesAt,
    useOnce: (text, seconds) => useOnce(context, `method ${name}`, text, seconds),
    log,
    report,
    now,
  }
}

async function findAccount(context: JudgeContext, sub: string): Promise<User | undefined> {
  const { account_source, log } = context
  if (account_source === undefined) {
    const [username, ...more] = await usernamesOfSub(context.storage, sub)
    return username === undefined || more.length > 0 ? undefined : readAccount(context, username)
  }
  const account = await account_source.find(sub)
  if (account === undefined) return undefined
  const kept = await keepAccount(context, { ...account, sub })
  if ('user' in kept) return readAccount(context, kept.user.username)
  log.warn({ ...kept, sub }, 'An account of the application cannot be kept.')
  return undefined
}
