import type { Parameters } from '../core/parameters.ts'
import type { PageForm } from '../pages/form.ts'
import type { View } from '../pages/layout.ts'
import type { User } from '../users/user-record.ts'

/** The browser that is invited. */
export interface InvitedBrowser {
  /** The digest of its browser id. */
  readonly digest: string
  /** What it is called, as `browserName` says. */
  readonly name?: string | undefined
}

/** Who just signed in, and how. */
export interface InvitedSignIn {
  /** The name of the method. */
  readonly method: string
  /** The form of the sign-in. */
  readonly answer: Parameters
}

/** What came of an answer: the request goes on; it failed, and the page asks again; or it asks again, about the account as it is now. */
export type InvitationTaken = 'over' | 'failed' | { readonly account_state: string }

/** What a method shows to somebody who just signed in, on a page of its own, before the request goes on. */
export interface Invitation {
  /** Whether it may be for somebody who signed in like this. */
  isPossible(signed_in: InvitedSignIn): boolean
  /** It is about the sign-in itself: it is shown each time, for every kind of request, and leads to no pause. */
  readonly is_due?: true
  /**
   * The page, whose buttons send `invitation`; undefined: it is not for this user.
   * @param account_state the account as it was at the sign-in, if the method said it
   * @throws StorageUnavailable
   */
  page(
    user: User,
    browser: InvitedBrowser,
    account_state?: string,
  ): Promise<((form: PageForm & { readonly has_failed: boolean }, view: View) => string) | undefined>
  /** Takes it up. @throws StorageUnavailable */
  take(
    user: User,
    browser: InvitedBrowser,
    answer: Parameters,
    account_state?: string,
  ): Promise<InvitationTaken>
  /** Of the scripts of the page. */
  readonly script_source?: string
}
