// What links to a new password, or a new passkey, are: for both ways of using one.

import type { Settings } from '../config/settings.ts'
import type { Transaction } from '../core/ids.ts'
import type { Link } from '../core/link.ts'
import type { AccountNow } from '../factors/account-now.ts'
import type { ChallengeContext } from '../factors/passkeys/challenge.ts'
import type { EndOfUserContext } from '../logout/end-of-user.ts'
import type { LinkAccount } from '../pages/link-account.ts'
import type { KeptEvidence } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'
import type { PasswordFault, PasswordRules } from '../users/password-rules.ts'
import type { Passwords } from '../users/passwords.ts'
import type { LinkEvidenceContext } from './account-link.ts'
import type { LinkBrowser, LinkPasskey } from './link-passkey.ts'
import type { ProveContext } from './prove-factor.ts'
import type { ReviewPage } from './review-passkeys.ts'

/** What the evidence of such a link is for. */
export const RESET = 'reset_password'

/** What it takes to make a link. */
export interface LinkContext extends LinkEvidenceContext {
  readonly settings: Pick<Settings, 'issuer'>
}

/** What it takes to show the page of one. */
export type ShowResetContext = LinkContext &
  ChallengeContext &
  Pick<ResetContext, 'report'> & {
    readonly settings: PasswordRules & Pick<Settings, 'second_factor' | 'passkeys'>
  }

/** What it takes to use one. */
export type ResetContext = ProveContext &
  EndOfUserContext & {
    readonly storage: Storage
    readonly settings: ProveContext['settings'] & PasswordRules
    readonly passwords: Pick<Passwords, 'hash'>
  }

/**
 * What a page of a link asks for, or that the link is over. After a new password it may ask which passkeys are still
 * one's own.
 */
export type ResetPage =
  | ReviewPage
  | ({ readonly page: 'choose'; readonly problem?: ResetProblem } & ResetChoice)

/** What a new password takes, or a new passkey where there are no passwords. */
export interface ResetChoice {
  readonly account: LinkAccount
  readonly second_step: boolean
  /** The request that waits in the browser of who asked for the link, sealed. */
  readonly request?: Transaction
  /** What the page has for the passkey that it asks for, or has made; absent: it asks for none. */
  readonly passkey?: LinkPasskey
  /** How long a password is at least; absent: there are none. */
  readonly min_length?: number
}

/** Who came by a link, and with which. */
export interface Comer {
  readonly account: AccountNow
  readonly kept: KeptEvidence
  readonly link: Link
  readonly browser: LinkBrowser
}

/** Why an answer was refused: the code, that codes of the app do not count any more, the passkey, or the password. */
export type ResetProblem = 'code' | 'limited' | 'passkey' | PasswordFault
