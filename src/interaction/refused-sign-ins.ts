import type { Reason } from '../core/reasons.ts'
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
