/** How many failures there were since the window opened. */
export interface Failures {
  count: number
  /** Milliseconds until the window ends, and the count with it. */
  ends_in: number
}

/** Counts of failures, and marks that expire. Each call is one atomic step; it throws StorageUnavailable. */
export interface Counters {
  /** Counts a failure under a name; the first one opens a window of so many milliseconds. */
  countFailure(name: string, window: number): Promise<Failures>
  /** Takes one failure back that turned out to be none; the window ends when it would have. */
  forgiveFailure(name: string): Promise<void>
  /** Remembers for `ttl` seconds that a browser belongs to a user; one name stands for both. */
  rememberBrowser(name: string, ttl: number): Promise<void>
  knowsBrowser(name: string): Promise<boolean>
}
