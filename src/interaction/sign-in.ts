import { lookUp, readCandidate } from '../accounts/find-account.ts'
import type { User } from '../accounts/user-record.ts'
import type { Tally } from '../core/tally.ts'
import type { Proven, StartedSession } from '../sessions/session.ts'
import { forgive } from './failure-counters.ts'
import {
  countAttempt,
  findBrowser,
  type LimitContext,
  rememberBrowser,
  type SignInAttempt,
  type ThrottledSignIn,
} from './sign-in-limit.ts'

import type {
  Failure,
  MethodContext,
  NextRound,
  RoundResult,
  SignInMethod,
  SignInRound,
} from './sign-in-method.ts'

/** Where a sign-in comes from: an IPv4 address or the network of an IPv6 address, and the browser. */
export type SignInCaller = Omit<SignInAttempt, 'named' | 'known_by'>

/**
 * `ok`: who signed in, and the session that was started. `failed`: the answer is wrong; for the browser all failures are
 * alike. `throttled`: there were too many failures, so nothing was looked at. Else another round is due.
 */
export type SignInResult =
  | { outcome: 'ok'; user: User; session: StartedSession }
  | Failure
  | ThrottledSignIn
  | NextRound

/** What can come of a sign-in, as it is counted. */
export const SIGN_IN_RESULTS = ['succeeded', 'failed', 'limited'] as const
export type SignInTally = Tally<(typeof SIGN_IN_RESULTS)[number]>

/**
 * One round of a sign-in. It counts as failed until it turns out not to be.
 * @param start starts the session of the user who signed in
 * @throws OAuthError `temporarily_unavailable` (503) if too many sign in at once; StorageUnavailable
 */
export async function signIn(
  context: MethodContext & LimitContext,
  method: SignInMethod,
  request: Omit<SignInRound, 'asker' | 'user'>,
  caller: SignInCaller,
  start: (proven: Proven) => Promise<StartedSession>,
): Promise<SignInResult> {
  const typed = method.username(request)
  const looked_up = typed === undefined ? undefined : await lookUp(context, typed)
  // Neither needs the result of the other, so their commands leave together.
  const [named, known_by] = await Promise.all([
    looked_up && readCandidate(context, looked_up),
    looked_up && findBrowser(context, looked_up.candidate, caller.browser_id),
  ])
  const counted = await countAttempt(context, { named, known_by, ...caller })
  if (counted.outcome === 'throttled') return counted
  const round = { asker: counted.asker, user: named?.user, ...request }
  let result: RoundResult
  try {
    result = await method.authenticate(context, round)
  } catch (error) {
    // Nothing was found out, so nothing failed. The error that says why is the one to report.
    await forgive(context.storage, counted.counters).catch(() => {})
    throw error
  }
  switch (result.outcome) {
    case 'failed':
      return result
    case 'ok': {
      const { user } = result
      const { username, sub } = user
      // None needs the result of another, so their commands leave together.
      const [session] = await Promise.all([
        start({ username, sub, amr: method.amr, acr: method.acr }),
        forgive(context.storage, counted.counters),
        rememberBrowser(context, user, caller),
      ])
      return { outcome: 'ok', user, session }
    }
    default:
      await forgive(context.storage, counted.counters)
      return result
  }
}
