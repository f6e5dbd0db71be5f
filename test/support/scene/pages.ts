// What tests read on pages.
import type { Page } from '../visitor.ts'

/** The step of a code of an app, in seconds. */
export const STEP = 30

export const asksForCode = ({ text }: Page) => text.includes('autocomplete="one-time-code"')
/** Whether the password of an account is asked for, and not a new one. */
export const isSignIn = ({ text }: Page) => text.includes('autocomplete="current-password"')
export const asksForPassword = ({ text }: Page) => text.includes('name="password"')
export const alertOn = ({ text }: Pick<Page, 'text'>) => /role="alert">([^<]*)</.exec(text)?.[1] ?? ''
/** The key that a page of the set-up shows. */
export const keyOn = ({ text }: Page) => /translate="no">([A-Z2-7 ]+)</.exec(text)?.[1] ?? ''
/** The session of each row of the account page. */
export const sidsOn = ({ text }: Pick<Page, 'text'>) =>
  [...text.matchAll(/name="sid" value="([^"]*)"/g)].map(([, sid = '']) => sid)
