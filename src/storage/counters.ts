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
 * What failures are counted for. Each group has room of its own, so that a flood of one does not reach another: clients,
 * sign-ins, sign-ins with known browsers, whose names nobody can choose, requests of devices and pushed requests by
 * address, wrong user codes by signed-in user and by the address of such users, codes of a second step by attempt, and
 * mails that were asked for: by whom they are for, by the network of who asks, and by that of who asks for made-up names.
 */
export type FailureGroup =
  | 'client'
  | 'sign-in'
  | 'known-browser'
  | 'device'
  | 'pushed'
  | 'user-code'
  | 'user-code-address'
  | 'second-step'
  | 'mail'
  | 'mail-sender'
  | 'mail-unknown'
  | 'sign-up'
  | 'taken-name'

/** Failure counters and known browsers. Each call is one atomic step; it throws StorageUnavailable. */
export interface Counters {
  /**
   * Counts a failure under a name, a digest in hexadecimal. The first failure starts a window of `window` milliseconds.
   * Room is bounded: a name that finds none shares a counter with other such names, and so counts too much, never too
   * little. Names that were counted before keep their own counter.
   */
  countFailure(group: FailureGroup, name: string, window: number): Promise<Failures>
  /** Subtracts one failure. The end of the window does not change. */
  forgiveFailure(group: FailureGroup, name: string): Promise<void>
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

/** How many names of one bucket have a counter of their own. A group has 256 buckets. */
export const MAX_COUNTERS = 12
/** The field of the counter that further names of a bucket share. */
export const SHARED = '*'

const BUCKET_DIGITS = 2
const FIELD_DIGITS = 16

/** How many counters a group has in all. */
export const COUNTERS_OF_GROUP = 16 ** BUCKET_DIGITS * (MAX_COUNTERS + 1)

/** Where the counter of a name is. */
export function placeOf(group: FailureGroup, name: string): { bucket: string; field: string } {
  return {
    bucket: `${group}:${name.slice(0, BUCKET_DIGITS)}`,
    field: name.slice(BUCKET_DIGITS, BUCKET_DIGITS + FIELD_DIGITS),
  }
}
