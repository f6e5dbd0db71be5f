/** The failures in the current window. */
export interface Failures {
  count: number
  /** Milliseconds until the window ends and the count is reset. */
  ends_in: number
}

/** Failure counters and known browsers. Each call is one atomic step; it throws StorageUnavailable. */
export interface Counters {
  /** Counts a failure under a name. The first failure starts a window of `window` milliseconds. */
  countFailure(name: string, window: number): Promise<Failures>
  /** Subtracts one failure. The end of the window does not change. */
  forgiveFailure(name: string): Promise<void>
  /** Stores for `ttl` seconds that a browser is known for a user; `name` identifies the pair. */
  rememberBrowser(name: string, ttl: number): Promise<void>
  /** Whether `rememberBrowser` was called for this name and its time is not over. */
  knowsBrowser(name: string): Promise<boolean>
}
