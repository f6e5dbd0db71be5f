import type { User } from '../accounts/user-record.ts'
import type { Parameters } from '../core/parameters.ts'
import { type Attempt, countAttempt, type LimitContext, rememberBrowser, takeBack } from './sign-in-limit.ts'
import type { MethodContext } from './sign-in-method.ts'
import { METHODS } from './sign-in-methods.ts'

/** Where a sign-in comes from: an IPv4 address or the network of an IPv6 address, and the browser's cookie. */
export type SignInCaller = Omit<Attempt, 'username'>

/**
 * `ok`: who signed in, and how (RFC 8176 `amr`, `acr`). `failed`: nobody, for reasons that look all alike.
 * `throttled`: there were too many failures, and nothing was looked at; `retry_after` in seconds.
 */
export type SignInResult =
  | { outcome: 'ok'; user: User; amr: string; acr: string }
  | { outcome: 'failed' }
  | { outcome: 'throttled'; retry_after: number }

/**
 * Who signs in by what a form sends. An attempt counts as failed until it turns out not to be.
 * @throws OAuthError `temporarily_unavailable` (503) where too many sign in at once; StorageUnavailable
 */
export async function signIn(
  context: MethodContext & LimitContext,
  form: Parameters,
  caller: SignInCaller,
): Promise<SignInResult> {
  const method = METHODS.find(({ amr }) => amr === form.method) ?? METHODS[0]
  const counted = await countAttempt(context, { ...caller, username: method.username(form) })
  if (counted.outcome === 'throttled') return counted
  let user: User | undefined
  try {
    user = await method.authenticate(context, form)
  } catch (error) {
    // Nothing was found out, so nothing failed; what counts is the error that says why.
    await takeBack(context, counted).catch(() => {})
    throw error
  }
  if (user === undefined) return { outcome: 'failed' }
  await Promise.all([takeBack(context, counted), rememberBrowser(context, user.username, caller.browser_id)])
  return { outcome: 'ok', user, amr: method.amr, acr: method.acr }
}
