import type { EventEmitter } from 'node:events'

/** The failures in the current window. */
export interface Failures {
  count: number
  /** Milliseconds until the window ends and the count is reset. */
  ends_in: number
}

/** A browser in which a user signed in. */
export interface KnownBrowser {
  readonly name: string
  /** What it is known for, such as a password: a digest, without spaces. */
  readonly bound_to: string
  /** The name that the same browser had before. */
  readonly replaces?: string
}

/** How many browsers of a user are remembered, and for how many seconds. */
export interface BrowserLimit {
  readonly max: number
  readonly ttl: number
}

/** Who signed in, and when, in milliseconds since 1970. */
export interface SignedInUser {
  readonly username: string
  readonly at: number
}

/**
 * What failures are counted for, each group with room of its own, and what becomes of a name that finds no room:
 * - `own`: cannot happen. Each name has a key of its own: only accounts that exist, browsers that they know, and those whom
 * clients with credentials ask have one.
 * - `of-account`: each account has room of its own for so many addresses as a bucket has, and names of strangers have
 * none. A name
 *   begins with the digest of the account, and its second half is that of the address. A counter gives way as below.
 * - `passing`: strangers choose the names. A counter whose window is over gives way, else the one that counts least, so
 * that no
 *   name is refused for the failures of others.
 * - `shared`: what is counted leaves records, of which a bounded number may be left. Further names share a counter.
 */
export const FAILURE_GROUPS = {
  /** Secrets of clients, by client and address. */
  client: 'passing',
  /** Sign-ins by address. */
  'sign-in-address': 'passing',
  /** Sign-ins by account and address. */
  'account-address': 'of-account',
  /** Sign-ins by a name that nobody has, and by such a name and address. */
  'sign-in': 'passing',
  /** Sign-ins by account, from all addresses. */
  account: 'own',
  /** Sign-ins in a browser that an account knows. */
  'known-browser': 'own',
  /** Codes of a second step by account, whose first step was right. */
  'second-step': 'own',
  /** Requests of devices by address. */
  device: 'shared',
  /** Pushed requests of public clients by address. */
  pushed: 'shared',
  /** What clients ask people, by client and person, and by person. */
  'ask-client': 'own',
  ask: 'own',
  /** Wrong user codes by signed-in user. */
  'user-code': 'own',
  /** Wrong user codes by the address of such users. */
  'user-code-address': 'passing',
  /** Mails that were asked for by whom they are for, and by their part of the room for all. */
  mail: 'own',
  /** Mails that were asked for by the network of who asks. */
  'mail-sender': 'passing',
  /** The same for made-up names. */
  'mail-unknown': 'passing',
  /** Links of open sign-up by sender and by address. */
  'sign-up': 'passing',
  /** Links of open sign-up by their part of the room for all. */
  'sign-ups': 'own',
  /** Codes that came back from a provider, by departure. */
  departure: 'passing',
  /** Taken names that were told, by link and by address. */
  'taken-name': 'passing',
} as const satisfies Record<string, 'own' | 'of-account' | 'passing' | 'shared'>
export type FailureGroup = keyof typeof FAILURE_GROUPS

/** What a counter counts failures of: a digest in hexadecimal, in its group. */
export interface FailureName {
  readonly group: FailureGroup
  readonly name: string
}

/** A counter, and how many failures it may count. */
export interface LimitedCounter extends FailureName {
  readonly max: number
}

/**
 * Failure counters and known browsers. Each call is one atomic step, but for several counters in a Cluster, where each is a
 * step; it throws StorageUnavailable.
 */
export interface Counters {
  /** Tells that a name found no room: the group is full. */
  readonly full: EventEmitter<{ full: [FailureGroup] }>
  /**
   * Counts a failure under a name, a digest in hexadecimal. The first failure starts a window of `window` milliseconds.
   * FAILURE_GROUPS says what becomes of a name that finds no room, which `full` tells.
   * @param weight as how many it counts; absent: as one
   */
  countFailure(group: FailureGroup, name: string, window: number, weight?: number): Promise<Failures>
  /**
   * Counts a failure in one counter after the other, as countFailure. After a counter that counts more than its `max` none
   * counts it, and those before it forget it.
   * @returns what each counts that counted it, in their order
   */
  countFailures(counters: readonly LimitedCounter[], window: number): Promise<Failures[]>
  /** Subtracts one failure from each counter. The ends of their windows do not change. */
  forgiveFailures(counters: readonly FailureName[]): Promise<void>
  /** Forgets all failures of a name, and none of other names. The end of the window does not change. */
  clearFailures(group: FailureGroup, name: string): Promise<void>
  /**
   * Remembers a browser of a user, and forgets the one that it replaces and the oldest ones beyond `limit.max`. All names
   * are digests. Notes the sign-in in the same round trip: SignIns has it.
   */
  rememberBrowser(
    user: string,
    browser: KnownBrowser,
    limit: BrowserLimit,
    signed_in: SignedInUser,
  ): Promise<void>
  /** What a browser of a user is bound to; undefined if it is unknown or its time is over. */
  findBrowser(user: string, name: string): Promise<string | undefined>
}

/** How many names of one bucket have a counter of their own. A group has 256 buckets, unless each name has one. */
export const MAX_COUNTERS = 12
/** The field of the counter that further names of a bucket share. */
const SHARED = '*'

const BUCKET_DIGITS = 2
const FIELD_DIGITS = 16

/** How many counters a group has in all, unless each name has its own. */
export const COUNTERS_OF_GROUP = 16 ** BUCKET_DIGITS * (MAX_COUNTERS + 1)

/** Where the counter of a name is; `shared`: the field that it shares if there is no room. */
interface Place {
  readonly bucket: string
  readonly field: string
  readonly shared: string | undefined
}

/** Returns where the counter of a name is. */
export function placeOf(group: FailureGroup, name: string): Place {
  const room = FAILURE_GROUPS[group]
  const digits = room === 'own' || room === 'of-account' ? BUCKET_DIGITS + FIELD_DIGITS : BUCKET_DIGITS
  const field = room === 'of-account' ? name.length / 2 : BUCKET_DIGITS
  return {
    bucket: `${group}:${name.slice(0, digits)}`,
    field: name.slice(field, field + FIELD_DIGITS),
    shared: room === 'shared' ? SHARED : undefined,
  }
}
