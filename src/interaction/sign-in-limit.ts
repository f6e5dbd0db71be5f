import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'

export type LimitContext = Pick<Context, 'storage' | 'settings'>

/** Who tries to sign in, and as whom. */
export interface Attempt {
  /** Undefined where the form claims none. */
  username: string | undefined
  /** An IPv4 address, or the network of an IPv6 address. */
  address: string
  browser_id: string
}

/** A failure that was counted before it is known to be one. */
export interface Counted {
  outcome: 'counted'
  names: readonly string[]
}

interface Counter {
  name: string
  max: number
}

/** How many times more may fail over all users of one address, or over all addresses of one user. */
const WIDER = 10
const REMEMBERED_SECONDS = 90 * 86_400

/**
 * Counts an attempt as failed, before anything is computed: so that a burst of guesses has no more than the limit.
 * docs/decisions/0012 says by what. Where there were too many, nothing more may be done with the attempt;
 * `retry_after` in seconds.
 * @throws StorageUnavailable
 */
export async function countAttempt(
  { storage, settings }: LimitContext,
  attempt: Attempt,
): Promise<Counted | { outcome: 'throttled'; retry_after: number }> {
  const names: string[] = []
  for (const { name, max } of await countersOf({ storage, settings }, attempt)) {
    const { count, ends_in } = await storage.counters.countFailure(name, settings.sign_in_window * 1000)
    if (count > max) {
      // Nothing was tried, so the wider counters do not count it: one address alone cannot exhaust a user's.
      await Promise.all(names.map((counted) => storage.counters.forgiveFailure(counted)))
      return { outcome: 'throttled', retry_after: Math.max(1, Math.ceil(ends_in / 1000)) }
    }
    names.push(name)
  }
  return { outcome: 'counted', names }
}

/** Takes back what countAttempt counted: it was no failure. @throws StorageUnavailable */
export async function takeBack(
  { storage }: Pick<LimitContext, 'storage'>,
  { names }: Counted,
): Promise<void> {
  await Promise.all(names.map((name) => storage.counters.forgiveFailure(name)))
}

/** Lets a browser have a count of its own for a user who signed in there. @throws StorageUnavailable */
export function rememberBrowser(
  { storage }: Pick<LimitContext, 'storage'>,
  username: string,
  browser_id: string,
): Promise<void> {
  return storage.counters.rememberBrowser(nameOf('browser', username, browser_id), REMEMBERED_SECONDS)
}

/** The counters of an attempt, in the order in which they are asked. */
async function countersOf({ storage, settings }: LimitContext, attempt: Attempt): Promise<Counter[]> {
  const { username, address, browser_id } = attempt
  const few = settings.sign_in_failures
  const many = few * WIDER
  // By the address first: whoever tries one name after the other soon makes no more keys.
  const ofAddress = { name: nameOf('address', address), max: many }
  if (username === undefined) return [ofAddress]
  if (await storage.counters.knowsBrowser(nameOf('browser', username, browser_id))) {
    return [{ name: nameOf('username and browser', username, browser_id), max: few }]
  }
  return [
    ofAddress,
    { name: nameOf('username and address', username, address), max: few },
    { name: nameOf('username', username), max: many },
  ]
}

/** 64 characters that show nothing of what they stand for, and are no client's in FailureLimit. */
function nameOf(...parts: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['sign-in', ...parts]))
    .digest('hex')
}
