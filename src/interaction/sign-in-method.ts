import type { Asker } from '../accounts/fair-queue.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { AccountContext } from '../accounts/read-account.ts'
import type { User } from '../accounts/user-record.ts'
import type { Parameters } from '../core/parameters.ts'
import type { Html } from '../pages/html.ts'
import type { View } from '../pages/layout.ts'

/** What a method works with. */
export interface MethodContext extends AccountContext {
  readonly passwords: Pick<Passwords, 'verify' | 'hash' | 'needsRehash'>
}

/** What a method is given in one round. */
export interface SignInRound {
  /** Who waits if passwords have to be hashed. */
  readonly asker: Asker
  /** The account that the method's `username` stands for; it may be disabled. */
  readonly user: User | undefined
  /** The fields of the form, or the parameters that another site sent back. */
  readonly answer: Parameters
  /** What the method kept in the round before; absent in the first round. */
  readonly challenge?: string
  /** For a round at another site: the address that it sends the browser back to. */
  readonly return_to: string
}

/**
 * Another round: `challenge` is kept with the pending request, and is there when the answer arrives. It differs from every
 * earlier one, since it can be met once.
 */
export type NextRound =
  /** The page asks for an answer to the challenge. */
  | { readonly outcome: 'challenge'; readonly challenge: string }
  /** The browser goes to the address that `location` returns, and comes back with the answer and `state`. */
  | { readonly outcome: 'site'; readonly challenge: string; location(state: string): string }

/** Why a round failed. It is only logged: the browser must not be able to tell one failure from another. */
export interface Failure {
  readonly outcome: 'failed'
  readonly reason: 'wrong_answer' | 'wrong_password' | 'no_password' | 'unknown_user' | 'disabled_user'
  /** The account; absent: the answer names none, so that what was typed is not logged. */
  readonly user?: Pick<User, 'username' | 'sub'>
}

/** What came of a round. */
export type RoundResult = { readonly outcome: 'ok'; readonly user: User } | Failure | NextRound

/** A way to sign in. Another one is a file of its own and an entry in sign-in-methods.ts. */
export interface SignInMethod {
  /** The method's name in id_tokens (RFC 8176 §2), and in the form's field `method`. */
  readonly amr: string
  /** The assurance that a sign-in by this method has (OpenID Connect Core §2). */
  readonly acr: string
  /** The name that the answer gives, as findAccount takes it; undefined if only the proof itself shows who it is. */
  username(round: Omit<SignInRound, 'asker' | 'user'>): string | undefined
  /**
   * Judges an answer, or starts another round. All failures make the same calls and take the same time.
   * @throws OAuthError `temporarily_unavailable` (503); StorageUnavailable
   */
  authenticate(context: MethodContext, round: SignInRound): Promise<RoundResult>
  /** The fields of the page that asks for an answer to a challenge; absent if the method never asks so. */
  challengeFields?(challenge: string, view: View): Html
}

/** The methods that can be used; a form that names none means the first one. */
export type SignInMethods = readonly [SignInMethod, ...SignInMethod[]]

/** The method with this name, else the first one. */
export function methodNamed(methods: SignInMethods, name: string | undefined): SignInMethod {
  return methods.find(({ amr }) => amr === name) ?? methods[0]
}

/** The acr values that the methods can reach, the weakest first. */
export function acrValuesOf(methods: SignInMethods): readonly string[] {
  return [...new Set(methods.map(({ acr }) => acr))].sort()
}
