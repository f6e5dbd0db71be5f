import { factsOf } from '../core/third-parties.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import type {
  Failure,
  MethodContext,
  RoundResult,
  SignInMethod,
  SignInRound,
} from '../interaction/sign-in-method.ts'
import { html } from '../pages/html.ts'
import { say } from '../pages/say.ts'
import { ACRS, formatMeans, LOGIN, readMeans, UNSAID } from './challenge.ts'
import { findVerifier, isRefused, newVisit, pageWith, REFUSED, readVisit, verifierEvidence } from './visit.ts'

/**
 * Sign-in at the page of an application: the browser goes there with a challenge, and comes back with a verifier that the
 * application got for it by the admin API.
 * @param login_url the address of the page
 */
export function ownLogin(parts: MethodParts, login_url: string): SignInMethod {
  return {
    name: LOGIN,
    first_step_amr: UNSAID,
    acr_values: ACRS,
    username: () => undefined,
    straightTo: async () => LOGIN,
    authenticate: async (context, round) =>
      round.challenge === undefined ? leave(login_url, context, round) : comeBack(parts, context, round),
    // Only after an attempt that failed there is a page.
    fields: ({ texts }) =>
      html`<button class="main" name="method" value="${LOGIN}">${say(texts, 'own_sign_in')}</button>`,
    texts: ({ texts, problem }) =>
      problem === 'login_refused'
        ? { problem: say(texts, 'provider_denied') }
        : problem === 'login_not_fresh'
          ? { problem: say(texts, 'provider_not_fresh') }
          : undefined,
  }
}

function leave(
  login_url: string,
  { now }: MethodContext,
  { acr_values, is_again, max_age }: SignInRound,
): RoundResult {
  return {
    outcome: 'site',
    challenge: newVisit({ acr_values, is_again: is_again === true, max_age, left_at: now() }),
    location: (state) => pageWith(login_url, 'login_challenge', state),
  }
}

async function comeBack(
  parts: MethodParts,
  { findUser }: MethodContext,
  { answer, challenge = '', request }: SignInRound,
): Promise<RoundResult> {
  const visit = readVisit(challenge)
  if (answer.error === REFUSED) {
    const is_refused = visit !== undefined && (await isRefused(parts, LOGIN, visit))
    return is_refused
      ? { outcome: 'failed', reason: 'gave_up', problem: 'login_refused', is_final: true, is_forgiven: true }
      : failedBy('REFUSED_BY_NOBODY')
  }
  if (visit === undefined || answer.login_verifier === undefined) return failedBy('NO_VERIFIER')
  const found = await findVerifier(parts, answer.login_verifier)
  const user = found && (await findUser(found.kept.account))
  if (found === undefined || user === undefined) return failedBy('VERIFIER_NOT_KNOWN')
  // The application said yes, and an operator says no.
  if (user.disabled) return { outcome: 'failed', reason: 'disabled_user', user, is_forgiven: true }
  const { factors } = await findFactors(parts, user.username)
  const account_state = accountState(user, factors)
  const means = readMeans(found.kept.value)
  const expected = verifierEvidence(LOGIN, visit, request, formatMeans(means), account_state)
  if (!(await found.take(expected))) return failedBy('VERIFIER_OF_ANOTHER_REQUEST')
  return { outcome: 'ok', user, ...means, account_state, judged_at: found.kept.created_at }
}

/** What the application sent back counts for nothing: the person made no mistake, and guessed nothing. */
function failedBy(code: string): Failure {
  const facts = factsOf({ party: 'own_page', name: 'LOGIN_URL', step: 'answer', code })
  return { outcome: 'failed', reason: 'own_page_failed', facts, is_forgiven: true }
}
