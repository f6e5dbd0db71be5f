import { hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import type { CounterPlace } from '../limits/lockouts.ts'
import { counterOf } from '../limits/networks.ts'
import type { Storage } from '../storage/storage.ts'
import type { Asker } from '../users/fair-queue.ts'
import type { NamedAccount } from '../users/find-account.ts'
import type { User } from '../users/user-record.ts'
import { countAsFailed, type FailureCounter, type Throttled, WIDER } from './failure-counters.ts'

/** What it takes to count failures. */
export interface LimitContext {
  readonly settings: Pick<Settings, 'sign_in_failures' | 'sign_in_window'>
  readonly storage: Pick<Storage, 'counters' | 'bounded'>
}

/** An attempt to sign in. */
export interface SignInAttempt {
  /** Whom the form names: failures under each name of a user count together. Undefined if it names nobody. */
  named: NamedAccount | undefined
  /** Whose first step was right in this browser before: the account has few rounds, whoever else fails. */
  proven?: string | undefined
  /**
   * What findBrowser found for the browser and the account of one of these, else of the one that the browser is known
   * to.
   */
  known_by: string | undefined
  /** An IPv4 address, or the network of an IPv6 address. */
  address: string
  browser_id: string
  /** The account that the cookie of the browser names, as knownTo has it. */
  known_to?: string | undefined
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
type Counter = FailureCounter<'address' | 'user_at_address' | 'user' | 'known_browser' | 'second_step'>

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
  const counters = countersOf(attempt, settings.sign_in_failures)
  const throttled = await countAsFailed(storage, counters, settings.sign_in_window)
  if (throttled !== undefined) return throttled
  const is_known = isKnownUser(attempt)
  const user = nameOf(is_known ? 'known browsers' : 'username', named?.name ?? '')
  const asker = { address, user, is_known }
  return { outcome: 'counted', counters, asker }
}

/** What a method found that an answer guesses at, beside the name that it gives. */
export interface GuessedAt {
  /** What is the same under every name by which it can be found: the method, and an id. */
  readonly entry: string
  /** Whether there is such an entry: only so many may be as there are accounts. */
  readonly exists: boolean
  /** The user whom operators are told of. */
  readonly user: Pick<User, 'username'> | undefined
}

/**
 * Counts an attempt, which was counted already, for what it guesses at as well: an entry may be found under many names.
 * Nothing more is counted in a browser that the user knows.
 * @throws StorageUnavailable
 */
export async function countGuess(
  { storage, settings }: LimitContext,
  attempt: SignInAttempt,
  { entry, exists, user }: GuessedAt,
): Promise<Pick<CountedAttempt, 'outcome' | 'counters'> | ThrottledSignIn> {
  if (isKnownUser(attempt)) return { outcome: 'counted', counters: [] }
  const whom = user && { username: user.username }
  const counters = ofUser(['entry', entry], exists, whom, attempt.address, settings.sign_in_failures)
  const throttled = await countAsFailed(storage, counters, settings.sign_in_window)
  return throttled ?? { outcome: 'counted', counters }
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
  const roster = rosterOf(username)
  const browser = {
    name: nameOf('browser', roster, next_browser_id),
    bound_to: bindingOf(user),
    replaces: nameOf('browser', roster, browser_id),
  }
  const signed_in = { username, at: now() }
  return storage.counters.rememberBrowser(roster, browser, KNOWN_BROWSERS, signed_in)
}

/**
 * Returns the digest of the password with which a user signed in with a browser; undefined if the user did not.
 * @throws StorageUnavailable
 */
export function findBrowser(context: FindContext, username: string, browser_id: string) {
  return findInRoster(context, rosterOf(username), browser_id)
}

/**
 * The same for the account that the cookie of a browser names.
 * @param known_to as knownTo returns it
 * @throws StorageUnavailable
 */
export function findKnownBrowser(context: FindContext, known_to: string, browser_id: string) {
  return findInRoster(context, Buffer.from(known_to, 'base64url').toString('hex'), browser_id)
}

/** Returns what the cookie of a browser has of the user who signed in: a digest of 43 characters. */
export function knownTo({ username }: Pick<User, 'username'>): string {
  return Buffer.from(rosterOf(username), 'hex').toString('base64url')
}

type FindContext = Pick<LimitContext, 'storage'>

function findInRoster(
  { storage }: FindContext,
  roster: string,
  browser_id: string,
): Promise<string | undefined> {
  return storage.counters.findBrowser(roster, nameOf('browser', roster, browser_id))
}

const rosterOf = (username: string): string => nameOf('browsers', username)

/** Whether the user signed in with this browser and the present password. */
function isKnownUser({ named, known_by }: Pick<SignInAttempt, 'named' | 'known_by'>): boolean {
  return named?.user !== undefined && bindingOf(named.user) === known_by
}

/** A digest of whose password it is, and of its hash, which an operator may change with redis-cli. */
function bindingOf({ sub, password_hash = '' }: User): string {
  return hash('sha256', JSON.stringify([sub, password_hash]), 'base64url')
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

/** A counter's name: a digest of 64 characters, which shows no username, address or browser. */
function nameOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(['sign-in', ...parts]), 'hex')
}
