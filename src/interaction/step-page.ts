import type { Next } from '../authorize/next-step.ts'
import type { Target } from '../authorize/request.ts'
import { type ScopeTexts, scopeTextsIn } from '../config/scope-texts.ts'
import type { Parameters } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import type { Account } from '../pages/account.ts'
import { consentPage } from '../pages/consent.ts'
import { hostOf } from '../pages/destination.ts'
import type { View } from '../pages/layout.ts'
import { loginPage } from '../pages/login.ts'
import { selectAccountPage } from '../pages/select-account.ts'
import type { Session } from '../sessions/session.ts'
import type { PendingRecord } from './pending-record.ts'

/** What a page for a pending authorization request is made of. */
export interface Shown {
  readonly transaction: string
  readonly csrf: string
  readonly parameters: Parameters
  readonly pending: PendingRecord
  readonly target: Target
  readonly next: Extract<Next, { step: 'login' | 'select_account' | 'consent' }>
  /** Who is signed in. */
  readonly session: Session | undefined
  readonly account?: Account
  readonly scope_texts: ScopeTexts
  /** Milliseconds since 1970. */
  readonly now: number
}

const MAX_HINT = 255

/** The page of the step that is due. */
export function pageFor(shown: Shown, view: View): string {
  const { transaction, csrf, target, next, session, account } = shown
  const { client_name } = target.client
  const destination = { client_name, host: hostOf(target.redirect_uri) }
  const props = { action: PATHS.interaction, transaction, csrf, destination }
  // Without an account there is nobody to choose, and nobody to agree.
  if (next.step === 'login' || session === undefined || account === undefined) {
    return loginPage({ ...props, ...usernameIn(shown), ...problemIn(shown) }, view)
  }
  if (next.step !== 'consent') {
    return selectAccountPage({ ...props, accounts: [{ ...account, id: session.sid }] }, view)
  }
  const scope_texts = scopeTextsIn(shown.scope_texts, view.language.tag)
  return consentPage({ ...props, scopes: next.names, scope_texts, account }, view)
}

function usernameIn({ pending, parameters, session }: Shown): { username?: string } {
  const again = pending.other_account === 'true' ? undefined : session?.username
  const username = pending.username || parameters.login_hint?.slice(0, MAX_HINT) || again
  return username ? { username } : {}
}

function problemIn({ pending, now }: Shown): { problem?: 'failed' | { retry_after_seconds: number } } {
  if (!pending.problem) return {}
  if (pending.problem === 'failed') return { problem: 'failed' }
  const seconds = Math.ceil((Number(pending.problem) - now) / 1000)
  return seconds > 0 ? { problem: { retry_after_seconds: seconds } } : {}
}
