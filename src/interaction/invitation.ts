import type { User } from '../accounts/user-record.ts'
import type { Parameters } from '../core/parameters.ts'
import type { PageForm } from '../pages/form.ts'
import type { View } from '../pages/layout.ts'

/** The browser that is invited. */
export interface InvitedBrowser {
  /** The digest of its browser id. */
  readonly digest: string
  /** What it is called, as `browserName` says. */
  readonly name?: string | undefined
}

/** What a method offers to somebody who just signed in by another one, on a page of its own, before the request goes on. */
export interface Invitation {
  /** Whether the form of the sign-in says that the browser can take it up. */
  isPossible(answer: Parameters): boolean
  /** The page, whose buttons send `invitation`; undefined: it is not for this user. @throws StorageUnavailable */
  page(
    user: User,
    browser: InvitedBrowser,
  ): Promise<((form: PageForm & { readonly has_failed: boolean }, view: View) => string) | undefined>
  /** Takes it up; false: that failed. @throws StorageUnavailable */
  take(user: User, browser: InvitedBrowser, answer: Parameters): Promise<boolean>
  readonly script_source: string
}
