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

/** Failure counters and known browsers. Each call is one atomic step; it throws StorageUnavailable. */
export interface Counters {
  /** Counts a failure under a name. The first failure starts a window of `window` milliseconds. */
  countFailure(name: string, window: number): Promise<Failures>
  /** Subtracts one failure. The end of the window does not change. */
  forgiveFailure(name: string): Promise<void>
  /**
   * Remembers a browser of a user, and forgets the one that it replaces and the oldest ones beyond `limit.max`. All names
   * are digests.
   */
  rememberBrowser(user: string, browser: KnownBrowser, limit: BrowserLimit): Promise<void>
  /** What a browser of a user is bound to; undefined if it is unknown or its time is over. */
  findBrowser(user: string, name: string): Promise<string | undefined>
}
