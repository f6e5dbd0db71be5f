import type { ClientId } from '../core/ids.ts'
import type { Reason } from '../core/reasons.ts'
import type { InteractionContext } from './interaction.ts'
import type { SignInResult } from './sign-in.ts'
import type { Failure } from './sign-in-method.ts'

/** Why an attempt is refused, by why it failed. */
export const FAILURES = {
  wrong_answer: 'sign_in_answer_wrong',
  answered_before: 'browser_request_ended',
  own_page_failed: 'own_page_failed',
  gave_up: 'sign_in_refused',
  upstream_failed: 'upstream_failed',
  upstream_denied: 'upstream_denied',
  upstream_account: 'upstream_account',
  not_fresh: 'sign_in_not_fresh',
  wrong_password: 'password_wrong',
  password_expired: 'password_expired',
  no_password: 'user_without_password',
  unknown_user: 'user_unknown',
  disabled_user: 'user_disabled',
} as const satisfies Record<Failure['reason'], Reason>

/**
 * Counts an attempt, and reports one that failed. Of the attempts that a full counter refuses only the first is an event:
 * anybody can repeat it.
 */
export function reportSignIn(
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
