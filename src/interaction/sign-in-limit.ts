import type { Settings } from '../config/settings.ts'
import type { CounterPlace } from '../limits/lockouts.ts'
import { counterOf } from '../limits/networks.ts'
import type { Storage } from '../storage/storage.ts'
import type { Asker } from '../users/fair-queue.ts'
import type { NamedAccount } from '../users/find-account.ts'
import { countAsFailed, type FailureCounter, type Throttled, WIDER } from './failure-counters.ts'
import { isKnownUser, nameOf, type SignInBrowser } from './known-browsers.ts'

/** What it takes to count failures. */
export interface LimitContext {
  readonly settings: Pick<Settings, 'receive_signals' | 'sign_in_failures' | 'sign_in_window'>
  readonly storage: Pick<Storage, 'counters' | 'bounded'>
}

/** An attempt to sign in. */
export interface SignInAttempt extends SignInBrowser {
  /** Whom the form names: failures under each name of a user count together. Undefined if it names nobody. */
  named: NamedAccount | undefined
  /** Whose first step was right in this browser before: the account has few rounds, whoever else fails. */
  proven?: string | undefined
  /** What findBrowserOf found for the browser and the account of one of these. */
  known_by: string | undefined
  /** An IPv4 address, or the network of an IPv6 address. */
  address: string
}

/** An attempt that was counted as failed before its result is known. */
export interface CountedAttempt {
  readonly outcome: 'counted'
  /** Who waits if passwords have to be hashed: guesses at a user do not take the places of the user's own browsers. */
  readonly asker: Asker
  /**
   * Counts it for what it guesses at as well: an entry may be found under many names. Nothing more is counted in a
   * browser that the user knows.
   * @param entry what is the same under every name by which it can be found: the method, and an id
   * @param exists whether there is such an entry: only so many may be as there are accounts
   * @throws TooManyGuesses; StorageUnavailable
   */
  guessesAt(entry: string, exists: boolean): Promise<void>
  /** Takes back all that was counted, because it did not fail. @throws StorageUnavailable */
  forgive(): Promise<void>
}

/** One of the counters of an attempt. */
type Counter = FailureCounter<'address' | 'user_at_address' | 'user' | 'known_browser' | 'second_step'>

/** Nothing more may be done with a sign-in: one of its counters is full. */
export type ThrottledSignIn = Throttled<Counter['of']>

/** What an answer guesses at was guessed at too often. */
export class TooManyGuesses extends Error {
  override readonly name = 'TooManyGuesses'
  readonly throttled: ThrottledSignIn

  constructor(throttled: ThrottledSignIn) {
    super('too many guesses')
    this.throttled = throttled
  }
}

/**
 * Counts an attempt as failed before anything is computed, so that a burst of guesses cannot exceed the limit.
 * docs/decisions/0012 explains the counters.
 * @throws StorageUnavailable
 */
export async function countAttempt(
  { storage, settings }: LimitContext,
  attempt: SignInAttempt,
): Promise<CountedAttempt | ThrottledSignIn> {
  const { named, address } = attempt
  const { sign_in_failures: few, sign_in_window: window } = settings
  const counters = countersOf(attempt, few)
  const throttled = await countAsFailed(storage, counters, window)
  if (throttled !== undefined) return throttled
  const is_known = isKnownUser(attempt)
  const user = nameOf(is_known ? 'known browsers' : 'username', named?.name ?? '')
  return {
    outcome: 'counted',
    asker: { address, user, is_known },
    async guessesAt(entry, exists) {
      if (is_known) return
      const whom = named?.user && { username: named.user.username }
      const guessed = ofUser(['entry', entry], exists, whom, address, few)
      const throttled = await countAsFailed(storage, guessed, window)
      if (throttled !== undefined) throw new TooManyGuesses(throttled)
      counters.push(...guessed)
    },
    forgive: () => storage.counters.forgiveFailures(counters),
  }
}

/** The counters of an attempt, in the order in which they count it. */
function countersOf(attempt: SignInAttempt, few: number): Counter[] {
  const { named, proven, known_by, known_to = '', address, browser_id } = attempt
  // Its password was right just now, so that the present one needs no comparison.
  if (proven !== undefined) {
    return [secondStepOf(proven, known_by === undefined ? undefined : browser_id, few)]
  }
  // The address first: once it is throttled, guesses with ever new usernames create no more keys.
  const ofAddress = {
    of: 'address',
    group: 'sign-in-address',
    name: nameOf('address', counterOf(address)),
    max: few * WIDER,
    whom: { counter: 'sign_in_address', address },
  } as const
  const inBrowser = (name: string, user?: { readonly username: string }) => {
    const whom = { counter: 'sign_in_known_browser', ...user, address } as const
    return { of: 'known_browser', group: 'known-browser', name, max: few, whom } as const
  }
  // Nobody guesses a passkey, or at what a provider says: a browser that any account knows is enough.
  if (named === undefined) {
    return known_by === undefined ? [ofAddress] : [inBrowser(nameOf('browser', known_to, browser_id))]
  }
  const username = named.name
  // A name that no user has is not shown.
  const user = named.user && { username }
  if (isKnownUser(attempt)) return [inBrowser(nameOf('username and browser', username, browser_id), user)]
  return [ofAddress, ...ofUser(['username', username], user !== undefined, user, address, few)]
}

/** The counters of whom an attempt guesses at. */
function ofUser(
  guessed: readonly [kind: string, name: string],
  exists: boolean,
  user: { readonly username: string } | undefined,
  address: string,
  few: number,
): Counter[] {
  const [kind, name] = guessed
  return [
    {
      of: 'user_at_address',
      // Made-up names must not push it out: one address alone could fail at an account until nobody may try.
      ...(exists
        ? {
            group: 'account-address',
            name: halvesOf(nameOf(kind, name), nameOf('address', counterOf(address))),
          }
        : { group: 'sign-in', name: nameOf(`${kind} and address`, name, counterOf(address)) }),
      max: few,
      whom: { counter: 'sign_in_user_at_address', ...user, address },
    },
    {
      of: 'user',
      // Strangers make up names without end, and no account.
      group: exists ? 'account' : 'sign-in',
      name: nameOf(kind, name),
      max: few * WIDER,
      whom: { counter: 'sign_in_user', ...user },
    },
  ]
}

/**
 * The counter of wrong codes of an account, whose first step was right: by the account and not by the attempt, so that
 * nobody else can fill it. Those of a browser that the account knows count apart.
 * @param browser_id of a known browser
 */
function secondStepOf(
  username: string,
  browser_id: string | undefined,
  few: number,
): FailureCounter<'second_step'> {
  const name = nameOf('second step', username, ...(browser_id === undefined ? [] : [browser_id]))
  const whom = { counter: 'second_step', username } as const
  return { of: 'second_step', group: 'second-step', name, max: few, whom }
}

/** Where the failures of a user from all addresses, and those of the second step, are counted. */
export function userCounters(username: string): CounterPlace[] {
  return [
    { group: 'account', name: nameOf('username', username) },
    { group: 'second-step', name: nameOf('second step', username) },
  ]
}

/** Returns the beginnings of two digests, as long as one of them. */
function halvesOf(one: string, other: string): string {
  return one.slice(0, one.length / 2) + other.slice(0, other.length / 2)
}
