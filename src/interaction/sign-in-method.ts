import type { ReportEvent } from '../core/events.ts'
import type { Log } from '../core/log.ts'
import type { Parameters } from '../core/parameters.ts'
import type { Facts } from '../core/reasons.ts'
import type { Html } from '../pages/html.ts'
import type { Language } from '../pages/messages/language.ts'
import type { CameFrom } from '../sessions/came-from.ts'
import type { Asker } from '../users/fair-queue.ts'
import type { User } from '../users/user-record.ts'
import type { Aside } from './aside.ts'
import type { WaysBack } from './ways-back.ts'

/** Reads what a method needs to know of a user besides the account. */
export type ReadBeside = (username: string) => Promise<void>

/** What a method works with. */
export interface MethodContext {
  /** Reads the account with this username as it is now; undefined: there is none. @throws StorageUnavailable */
  findUser(username: string): Promise<User | undefined>
  /**
   * Returns the account with this sub; it may be disabled. With an account source, that is asked, and the record of the
   * user is made or refreshed; undefined: there is none, or it cannot be kept, which is logged.
   * @throws StorageUnavailable; what the account source throws
   */
  findAccount(sub: string): Promise<User | undefined>
  /**
   * Judges the field `password` for the user of the round. It computes one hash, whatever comes of it.
   * @param beside reads more about the user of a right password, in the round trip in which the account is read once more
   * @throws OAuthError `temporarily_unavailable` (503) if too many sign in at once; StorageUnavailable
   */
  checkPassword(round: SignInRound, beside?: ReadBeside): Promise<PasswordResult>
  /**
   * Says what an answer guesses at if that can be found under several names: failures count for it as well. To be called
   * before it is judged, and also for what does not exist, so that both take as long.
   * @param entry an id of what was found, the same under every name
   * @throws TooManyGuesses, which is to be passed on; StorageUnavailable
   */
  guessesAt(entry: string, exists: boolean): Promise<void>
  /**
   * Uses up a text of this method, at all replicas: true for the first caller, false for others during these seconds.
   * @throws StorageUnavailable
   */
  useOnce(text: string, seconds: number): Promise<boolean>
  readonly log: Log
  /** Reports an event of redmint, with the id of the request. */
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What a method is given in one round. */
export interface SignInRound {
  /** The fields of the form, or the parameters that another site sent back. */
  readonly answer: Parameters
  /** What the method kept in the round before; absent in the first round. */
  readonly challenge?: string
  /** The account that the method's `username` stands for; it may be disabled. */
  readonly user: User | undefined
  /** The acr values of which the client wants one; empty: any. */
  readonly acr_values: readonly string[]
  /** As in `AskedPage`. */
  readonly request: string
  /** For a round at another site: the address that it sends the browser back to. */
  readonly return_to: string
  /** The address that a round from another site came to. */
  readonly arrived_at?: string
  /**
   * The person is to show anew who it is, because the request wants that, or because somebody is signed in in this
   * browser: not even a session elsewhere suffices, unless `max_age` allows it.
   */
  readonly is_again?: true
  /** How old the proof may be at most, in seconds; 0: it is made for this request. Absent: any age will do. */
  readonly max_age?: number
  /** The name that the request gives. Nobody proved it. */
  readonly login_hint?: string
  /** What the method had this browser remember, if that did not end. */
  readonly remembered?: string
  /** The browser, as `Firefox on Linux`; absent: it is not known here. */
  readonly browser?: string
  /** Who waits if passwords have to be hashed. */
  readonly asker: Asker
}

/** What a page is made for. */
export interface AskedPage {
  /** The language of the page: a tag such as `de`. */
  readonly language: string
  /** The same language with its texts, for `say`. */
  readonly texts: Language
  /** What the method kept for the answer; absent on the first page. */
  readonly challenge?: string
  /**
   * A random text of the request that waits, known to this browser alone: a proof that is made on the page can be for
   * it.
   */
  readonly request: string
  /** Why the last answer failed: what the method said, or empty; absent: it did not fail. */
  readonly problem?: string
  /** The name that was typed, or that the request gives. Nobody proved it. */
  readonly username?: string
  /** Whether the box to stay signed in is ticked, the field `stay` with the value `yes`; absent: nobody is asked. */
  readonly stay?: boolean
  /** What who confirms has besides a password; absent: anybody may sign in. */
  readonly ways?: WaysBack
  /** Returns the address of the page that asks for the same by another way, which `turn` is given. */
  addressOf(way: string): string
}

/** What the page of a method says in place of the usual texts. */
export interface PageTexts {
  readonly title?: Html
  readonly lead?: Html
  /** What an alert says if the last answer failed. */
  readonly problem?: Html
}

/** Somebody who is signed in, of whom a client wants more. */
export interface ResumedSignIn {
  readonly username: string
  /** The public id of the session. */
  readonly sid: string
  /** How the user signed in, as in id_tokens. */
  readonly amr: string
  /** As in `SignInRound`. */
  readonly acr_values: readonly string[]
}

/** Another round. Its challenge is sealed in the browser until the answer arrives, and is met once. */
export type NextRound =
  /** The page asks for an answer to the challenge. */
  | { readonly outcome: 'challenge'; readonly challenge: string }
  /** The browser goes to the address that `location` returns, and comes back with the answer and `state`. */
  | { readonly outcome: 'site'; readonly challenge: string; location(state: string): string }

/** Why a round failed. It is only logged: the browser must not be able to tell one failure from another. */
export interface Failure {
  readonly outcome: 'failed'
  readonly reason:
    | 'wrong_answer'
    /** What another site answered came back before, or came to another place. */
    | 'answered_before'
    /** Another system did not do its part, the person gave up there, or no account here can be used for whom it knows. */
    | 'upstream_failed'
    /** The page of an application sent the browser back with nothing that counts, or says that the person gave up there. */
    | 'own_page_failed'
    | 'gave_up'
    | 'upstream_denied'
    | 'upstream_account'
    | 'not_fresh'
    | 'wrong_password'
    | 'password_expired'
    | 'no_password'
    | 'unknown_user'
    | 'disabled_user'
  /** The account; absent: the answer names none, so that what was typed is not logged. */
  readonly user?: Pick<User, 'username' | 'sub'>
  /** What explains it to operators besides, such as a code; nothing that a person typed. */
  readonly facts?: Facts
  /** Nothing was guessed: it does not count against the account, the browser or the address. */
  readonly is_forgiven?: true
  /** The person gave up where the round was: a client that waits for an answer gets it. */
  readonly is_final?: true
  /** The page asks for another answer to this; absent: the sign-in starts anew. */
  readonly challenge?: string
  /**
   * What `texts` gets as `problem`: up to 32 of `a-z` and `_`. It tells the user, so it must not tell of an account. On
   * the first page the method tells whose name it begins with, and an underscore.
   */
  readonly problem?: string
}

/** The password is right: the account as it was read afterwards, enabled. */
export type PasswordResult = { readonly outcome: 'ok'; readonly user: User } | Failure

/** Who signed in, and how. */
export interface Success extends CameFrom {
  readonly outcome: 'ok'
  readonly user: User
  /** The methods for id_tokens (RFC 8176 §2), one or more. */
  readonly amr: readonly string[]
  /** The assurance for id_tokens (OpenID Connect Core §2). */
  readonly acr: string
  /**
   * When the person proved it, in seconds since 1970; 0: that is not known, so that it is never recent enough. Absent:
   * just now.
   */
  readonly auth_time?: number
  /**
   * When that was judged, in milliseconds since 1970: what ended sessions since ends this sign-in. Absent: in this
   * round.
   */
  readonly judged_at?: number
  /** The account as it was when this was proven: an opaque text, which the session keeps. It differs after each change. */
  readonly account_state?: string
  /** A short text that this browser remembers for the method, sealed, for so many seconds, 90 days at most. */
  readonly remember?: { readonly text: string; readonly seconds: number }
}

/** What came of a round. `unavailable`: nothing was found out, so nothing failed; the user gets a page that says so. */
export type RoundResult = Success | Failure | NextRound | { readonly outcome: 'unavailable' }

/** By what people are to sign in. */
export interface WantedWay {
  /** The provider in the record of the client. */
  readonly provider: string | undefined
  /** The one that the request names. */
  readonly idp_hint: string | undefined
  /** The name that the request gives. */
  readonly login_hint: string | undefined
}

/** A way to sign in, as an application adds one. */
export interface ApplicationMethod {
  /** Its name in logs and in the form's field `method`: up to 32 of `a-z`, `0-9`, `.`, `_`, `:` and `-`. */
  readonly name: string
  /** The acr values that a sign-in by it can have (OpenID Connect Core §2). */
  readonly acr_values: readonly string[]
  /** The name that the answer gives, as people type it; undefined if only the proof itself shows who it is. */
  username(round: Pick<SignInRound, 'answer' | 'challenge'>): string | undefined
  /** Judges an answer, or starts another round. All failures make the same calls and take the same time. */
  authenticate(context: MethodContext, round: SignInRound): Promise<RoundResult>
  /** The fields and the button of a page, if this method is the first one or waits; undefined: username and password. */
  fields?(asked: AskedPage): Html | undefined
  /** What the first page has of this method if it is not the first one: a button with `name="method"`; empty: nothing. */
  offer?(asked: AskedPage): Html
  /** What the page has that asks somebody who is signed in for this method alone; absent: it is never asked for alone. */
  confirms?(asked: AskedPage): Html
  /**
   * Continues the sign-in of somebody who is signed in, where a client wants more than that. Returns the challenge of the
   * next round; undefined: the sign-in starts anew.
   */
  resume?(context: MethodContext, signed_in: ResumedSignIn): Promise<string | undefined>
}

/** Ways to sign in, one or more. */
export type ApplicationMethods = readonly [ApplicationMethod, ...ApplicationMethod[]]

/** A way to sign in, with what only those of redmint have. */
export interface SignInMethod extends ApplicationMethod {
  /**
   * The username of the account whose first step was right in an earlier round, as the challenge says: a failure counts
   * for it, or for this browser if it knows it, and neither for the address nor for the name. Absent: there is no such
   * round.
   */
  proven?(round: Pick<SignInRound, 'challenge'>): string | undefined
  /** What the page says, if it is not the usual. */
  texts?(asked: AskedPage): PageTexts | undefined
  /** The challenge of a round of which the page asks by another way (`addressOf`); undefined: it has no other one. */
  turn?(challenge: string, way: string): string | undefined
  /** What the field of the username has in `autocomplete` besides `username` where this is offered, such as `webauthn`. */
  readonly autofill?: string
  /** Its method in id_tokens, if the second step of redmint follows it where that is on; absent: it has its own, or none. */
  readonly first_step_amr?: string
  /**
   * Whether somebody whom another system knows may still sign in there, asked when tokens are refreshed. It keeps what that
   * system says of the user. Absent: it knows nobody.
   * @throws StorageUnavailable
   */
  isStillThere?(user: User): Promise<boolean>
  /** What it offers to somebody who signed in by another method. */
  readonly aside?: Aside
  /**
   * One of several methods that this one stands for, by its name, such as one for each provider; undefined: there is
   * none.
   */
  variant?(name: string): SignInMethod | undefined
  /**
   * The name of the variant that people go to at once, without a page, unless the last attempt failed; undefined: they
   * choose.
   * @throws StorageUnavailable
   */
  straightTo?(wanted: WantedWay): Promise<string | undefined>
  /** Whether a name may lead to one of several methods, so that it is asked for before the rest; absent: it may not. */
  readonly leads_by_name?: boolean
  /**
   * Reads what a page of this method is made of.
   * @param last the method, or variant of one, that this browser remembers something for; undefined: of none
   * @throws StorageUnavailable
   */
  prepare?(last: string | undefined): Promise<Pick<SignInMethod, 'fields' | 'offer' | 'leads_by_name'>>
  /** A source of scripts for the policy of pages with its fields or its offer (CSP3 §2.3.1). */
  readonly script_source?: string
}

/** Returns the name of the sign-in method of a provider. */
export const methodOfProvider = (provider: string): string => `provider:${provider}`

/** The methods that can be used; a form that names none means the first one. */
export type SignInMethods = readonly [SignInMethod, ...SignInMethod[]]

/** The method with this name, or the variant of one; undefined: there is none. */
export function findMethod(methods: SignInMethods, name: string | undefined): SignInMethod | undefined {
  if (name === undefined) return undefined
  for (const method of methods) {
    const found = method.name === name ? method : method.variant?.(name)
    if (found !== undefined) return found
  }
  return undefined
}

/** The name of the method of a provider that can be used now; undefined: there is none. @throws StorageUnavailable */
export async function findProviderMethod(
  methods: SignInMethods,
  provider: string,
): Promise<string | undefined> {
  const wanted = { provider, idp_hint: undefined, login_hint: undefined }
  for (const method of methods) {
    const name = await method.straightTo?.(wanted)
    if (name === methodOfProvider(provider)) return name
  }
  return undefined
}

/** The method with this name, else the first one. */
export function methodNamed(methods: SignInMethods, name: string | undefined): SignInMethod {
  return findMethod(methods, name) ?? methods[0]
}

/** The acr values that the methods can reach, the weakest first. */
export function acrValuesOf(methods: SignInMethods): readonly string[] {
  return [...new Set(methods.flatMap(({ acr_values }) => acr_values))].sort()
}

const NAME = /^[a-z0-9._:-]{1,32}$/

/** What is wrong with methods that an application passes, each as the end of a message. */
export function methodFaults(methods: readonly Partial<ApplicationMethod>[]): string[] {
  const names = methods.map(({ name = '' }) => name)
  return methods.flatMap(({ name = '', acr_values, username, authenticate }, index) => {
    const of = `has ${JSON.stringify(name)}`
    return [
      ...(NAME.test(name) ? [] : [`${of}: a name has up to 32 of a-z, 0-9, ".", "_", ":" and "-"`]),
      ...(names.indexOf(name) === index ? [] : [`${of} twice`]),
      ...(Array.isArray(acr_values) && acr_values.length > 0 ? [] : [`${of} without acr_values`]),
      ...(typeof username === 'function' ? [] : [`${of} without a function username`]),
      ...(typeof authenticate === 'function' ? [] : [`${of} without a function authenticate`]),
    ]
  })
}
