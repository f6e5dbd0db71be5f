// The browsers in which a user signed in: each has a counter of its own.
import { hash } from 'node:crypto'
import type { Storage } from '../storage/storage.ts'
import type { NamedAccount } from '../users/find-account.ts'
import type { User } from '../users/user-record.ts'

/** What it takes to find a known browser, and to remember one. */
export interface BrowserContext {
  readonly storage: Pick<Storage, 'counters'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The browser of an attempt to sign in. */
export interface SignInBrowser {
  readonly browser_id: string
  /** The account that its cookie names, as knownTo has it. */
  readonly known_to?: string | undefined
  /** The browser id from a successful sign-in on; absent: it stays the same. */
  readonly next_browser_id?: string
}

/** Few: each known browser of a user allows as many failures as one address does. */
const KNOWN_BROWSERS = { max: 5, ttl: 90 * 86_400 }

/**
 * Gives a browser its own counter for a user who signed in there, for as long as the password is the same, and notes the
 * sign-in.
 * @throws StorageUnavailable
 */
export function rememberBrowser(
  { storage, now }: BrowserContext,
  user: User,
  { browser_id, next_browser_id = browser_id }: SignInBrowser,
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
 * @param username absent: the user whom the cookie of the browser names
 * @throws StorageUnavailable
 */
export async function findBrowserOf(
  { storage }: Pick<BrowserContext, 'storage'>,
  username: string | undefined,
  { browser_id, known_to }: SignInBrowser,
): Promise<string | undefined> {
  if (username === undefined && known_to === undefined) return undefined
  const roster =
    username === undefined ? Buffer.from(known_to ?? '', 'base64url').toString('hex') : rosterOf(username)
  return storage.counters.findBrowser(roster, nameOf('browser', roster, browser_id))
}

/** Returns what the cookie of a browser has of the user who signed in: a digest of 43 characters. */
export function knownTo({ username }: Pick<User, 'username'>): string {
  return Buffer.from(rosterOf(username), 'hex').toString('base64url')
}

const rosterOf = (username: string): string => nameOf('browsers', username)

/** Whether the user signed in with this browser and the present password. */
export function isKnownUser({
  named,
  known_by,
}: {
  readonly named: NamedAccount | undefined
  readonly known_by: string | undefined
}): boolean {
  return named?.user !== undefined && bindingOf(named.user) === known_by
}

/** A digest of whose password it is, and of its hash, which an operator may change with redis-cli. */
function bindingOf({ sub, password_hash = '' }: User): string {
  return hash('sha256', JSON.stringify([sub, password_hash]), 'base64url')
}

/** A counter's name: a digest of 64 characters, which shows no username, address or browser. */
export function nameOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(['sign-in', ...parts]), 'hex')
}
