import type { Parameters } from '../core/parameters.ts'
import type { PageForm } from '../pages/form.ts'
import type { View } from '../pages/layout.ts'
import type { User } from '../users/user-record.ts'

/** The browser that an aside is shown in. */
export interface AsideBrowser {
  /** The digest of its browser id. */
  readonly digest: string
  /** What it is called, as `browserName` says. */
  readonly name?: string | undefined
}

/** Who just signed in, and how. */
export interface FinishedSignIn {
  /** The name of the method. */
  readonly method: string
  /** The form of the sign-in. */
  readonly answer: Parameters
}

/**
 * What came of an answer: the request goes on; it failed, and the page asks again; or it asks again, about the account
 * as it is now.
 */
export type AsideOutcome = 'over' | 'failed' | { readonly account_state: string }

/**
 * A page between the sign-in and the answer: what a method shows to a user who just signed in, before the request goes
 * on.
 */
export interface Aside {
  /** Whether it may be for somebody who signed in like this. */
  isPossible(signed_in: FinishedSignIn): boolean
  /** It is about the sign-in itself: it is shown each time, for every kind of request, and leads to no pause. */
  readonly is_due?: true
  /**
   * The page, whose buttons send `invitation`; undefined: it is not for this user.
   * @param account_state the account as it was at the sign-in, if the method said it
   * @throws StorageUnavailable
   */
  page(
    user: User,
    browser: AsideBrowser,
    account_state?: string,
  ): Promise<((form: PageForm & { readonly has_failed: boolean }, view: View) => string) | undefined>
  /** Takes it up. @throws StorageUnavailable */
  take(user: User, browser: AsideBrowser, answer: Parameters, account_state?: string): Promise<AsideOutcome>
  /** Of the scripts of the page. */
  readonly script_source?: string
}
