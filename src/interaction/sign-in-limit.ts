import { hash } from 'node:crypto'
import type { Asker } from '../accounts/fair-queue.ts'
import type { NamedAccount } from '../accounts/find-account.ts'
import type { User } from '../accounts/user-record.ts'
import type { Settings } from '../config/settings.ts'
import type { CounterPlace } from '../limits/lockouts.ts'
import type { Storage } from '../storage/storage.ts'
import { countAsFailed, type FailureCounter, type Throttled, WIDER } from './failure-counters.ts'

/** What it takes to count failures. */
export interface LimitContext {
  readonly settings: Pick<Settings, 'sign_in_failures' | 'sign_in_window'>
  readonly storage: Pick<Storage, 'counters' | 'rosters'>
}

/** An attempt to sign in. */
export interface SignInAttempt {
  /** Whom the form names: failures under each name of a user count together. Undefined if it names nobody. */
  named: NamedAccount | undefined
  /** What findBrowser found for the browser and that name. */
  known_by: string | undefined
  /** An IPv4 address, or the network of an IPv6 address. */
  address: string
  browser_id: string
  /** The browser id from a successful sign-in on; absent: it stays the same. */
  next_browser_id?: string
}

/** The counters of an attempt that was counted as failed before its result is known. */
export interface CountedAttempt {
  outcome: 'counted'
  counters: readonly Counter[]
  /** Who waits if passwords have to be hashed: guesses at a user do not take the places of the user's own browsers. */
  asker: Asker
}

/** One of the counters of an attempt. */
type Counter = FailureCounter<'address' | 'user_at_address' | 'user' | 'known_browser'>

/** Nothing more may be done with a sign-in: one of its counters is full. */
export type ThrottledSignIn = Throttled<Counter['of']>

/** Few: each known browser of a user allows as many failures as one address does. */
const KNOWN_BROWSERS = { max: 5, ttl: 90 * 86_400 }

/**
 * Counts an attempt as failed before anything is computed, so that a burst of guesses cannot exceed the limit.
 * docs/decisions/0012 explains the counters.
 * @throws StorageUnavailable
 */
export async function countAttempt(
  context: LimitContext,
  attempt: SignInAttempt,
): Promise<CountedAttempt | ThrottledSignIn> {
  const { storage, settings } = context
  const { named, address } = attempt
  const is_known = isKnown(attempt)
  const counters = countersOf(attempt, is_known, settings.sign_in_failures)
  const throttled = await countAsFailed(storage, counters, settings.sign_in_window)
  if (throttled !== undefined) return throttled
  const asker = { address, user: nameOf(is_known ? 'known browsers' : 'username', named?.name ?? '') }
  return { outcome: 'counted', counters, asker }
}

/**
 * Gives a browser its own counter for a user who signed in there, for as long as the password is the same, and notes the
 * sign-in.
 * @throws StorageUnavailable
 */
export function rememberBrowser(
  { storage, now }: Pick<LimitContext, 'storage'> & { readonly now: () => number },
  user: User,
  { browser_id, next_browser_id = browser_id }: Pick<SignInAttempt, 'browser_id' | 'next_browser_id'>,
): Promise<void> {
  const { username } = user
  const browser = {
    name: nameOf('browser', username, next_browser_id),
    bound_to: bindingOf(user),
    replaces: nameOf('browser', username, browser_id),
  }
  const signed_in = { username, at: now() }
  return storage.counters.rememberBrowser(nameOf('browsers', username), browser, KNOWN_BROWSERS, signed_in)
}

/**
 * Returns the digest of the password with which a user signed in with a browser; undefined if the user did not.
 * @throws StorageUnavailable
 */
export function findBrowser(
  { storage }: Pick<LimitContext, 'storage'>,
  username: string,
  browser_id: string,
): Promise<string | undefined> {
  return storage.counters.findBrowser(nameOf('browsers', username), nameOf('browser', username, browser_id))
}

/** Whether the user signed in with this browser and the present password. */
function isKnown({ named, known_by }: Pick<SignInAttempt, 'named' | 'known_by'>): boolean {
  return named?.user !== undefined && bindingOf(named.user) === known_by
}

/** A digest of whose password it is, and of its hash, which an operator may change with redis-cli. */
function bindingOf({ sub, password_hash = '' }: User): string {
  return hash('sha256', JSON.stringify([sub, password_hash]), 'base64url')
}

/** The counters of an attempt, in the order in which they count it. */
function countersOf(attempt: SignInAttempt, is_known: boolean, few: number): Counter[] {
  const { named, address, browser_id } = attempt
  const many = few * WIDER
  // The address first: once it is throttled, guesses with ever new usernames create no more keys.
  const group = 'sign-in'
  const ofAddress = {
    of: 'address',
    group,
    name: nameOf('address', address),
    max: many,
    whom: { counter: 'sign_in_address', address },
  } as const
  if (named === undefined) return [ofAddress]
  const username = named.name
  // A name that no user has is not shown.
  const user = named.user && { username }
  if (is_known) {
    const name = nameOf('username and browser', username, browser_id)
    const whom = { counter: 'sign_in_known_browser', ...user, address } as const
    return [{ of: 'known_browser', group: 'known-browser', name, max: few, whom }]
  }
  return [
    ofAddress,
    {
      of: 'user_at_address',
      group,
      name: nameOf('username and address', username, address),
      max: few,
      whom: { counter: 'sign_in_user_at_address', ...user, address },
    },
    { of: 'user', ...userCounter(username), max: many, whom: { counter: 'sign_in_user', ...user } },
  ]
}

/** Where the failures of a user from all addresses are counted. */
export function userCounter(username: string): CounterPlace & { group: 'sign-in' } {
  return { group: 'sign-in', name: nameOf('username', username) }
}

/** A counter's name: a digest of 64 characters, which shows no username, address or browser. */
function nameOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(['sign-in', ...parts]), 'hex')
}
