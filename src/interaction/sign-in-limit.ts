import { createHash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import type { FailureGroup } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'

/** What it takes to count failures. */
export interface LimitContext {
  readonly settings: Pick<Settings, 'sign_in_failures' | 'sign_in_window'>
  readonly storage: Pick<Storage, 'counters'>
}

/** An attempt to sign in. */
export interface SignInAttempt {
  /** Undefined if the form names none. */
  username: string | undefined
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
}

interface Counter {
  name: string
  max: number
  group: FailureGroup
}

/** How many times more failures are allowed for all users of one address, and for all addresses of one user. */
const WIDER = 10
const REMEMBERED_SECONDS = 90 * 86_400

/**
 * Counts an attempt as failed before anything is computed, so that a burst of guesses cannot exceed the limit.
 * docs/decisions/0012 explains the counters. After `throttled` nothing more may be done with the attempt; `retry_after`
 * is in seconds.
 * @throws StorageUnavailable
 */
export async function countAttempt(
  { storage, settings }: LimitContext,
  attempt: SignInAttempt,
): Promise<CountedAttempt | { outcome: 'throttled'; retry_after: number }> {
  const counters: Counter[] = []
  const window = settings.sign_in_window * 1000
  for (const counter of await countersOf({ storage, settings }, attempt)) {
    const { count, ends_in } = await storage.counters.countFailure(counter.group, counter.name, window)
    if (count > counter.max) {
      // Nothing was tried, so the wider counters forget it: one address alone cannot exhaust those of a user.
      await forgive({ storage }, { counters })
      return { outcome: 'throttled', retry_after: Math.max(1, Math.ceil(ends_in / 1000)) }
    }
    counters.push(counter)
  }
  return { outcome: 'counted', counters }
}

/** Removes an attempt from its counters, because it did not fail. @throws StorageUnavailable */
export async function forgive(
  { storage }: Pick<LimitContext, 'storage'>,
  { counters }: Pick<CountedAttempt, 'counters'>,
): Promise<void> {
  await Promise.all(counters.map(({ group, name }) => storage.counters.forgiveFailure(group, name)))
}

/** Gives a browser its own counter for a user who signed in there. @throws StorageUnavailable */
export function rememberBrowser(
  { storage }: Pick<LimitContext, 'storage'>,
  username: string,
  browser_id: string,
): Promise<void> {
  return storage.counters.rememberBrowser(nameOf('browser', username, browser_id), REMEMBERED_SECONDS)
}

/** The counters of an attempt, in the order in which they count it. */
async function countersOf({ storage, settings }: LimitContext, attempt: SignInAttempt): Promise<Counter[]> {
  const { username, address, browser_id } = attempt
  const few = settings.sign_in_failures
  const many = few * WIDER
  // The address first: once it is throttled, guesses with ever new usernames create no more keys.
  const group = 'sign-in'
  const ofAddress = { group, name: nameOf('address', address), max: many } as const
  if (username === undefined) return [ofAddress]
  if (await storage.counters.knowsBrowser(nameOf('browser', username, browser_id))) {
    return [{ group: 'known-browser', name: nameOf('username and browser', username, browser_id), max: few }]
  }
  return [
    ofAddress,
    { group, name: nameOf('username and address', username, address), max: few },
    { group, name: nameOf('username', username), max: many },
  ]
}

/** A counter's name: a digest of 64 characters, which shows no username, address or browser. */
function nameOf(...parts: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['sign-in', ...parts]))
    .digest('hex')
}
