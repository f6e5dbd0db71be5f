/** The failures in the current window. */
export interface Failures {
  count: number
  /** Milliseconds until the window ends and the count is reset. */
  ends_in: number
}

/**
 * What failures are counted for. Each group has room of its own, so that a flood of one does not reach another: clients,
 * sign-ins, and sign-ins with known browsers, whose names nobody can choose.
 */
export type FailureGroup = 'client' | 'sign-in' | 'known-browser'

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
  /** Stores for `ttl` seconds that a browser is known for a user; `name` identifies the pair. */
  rememberBrowser(name: string, ttl: number): Promise<void>
  /** Whether `rememberBrowser` was called for this name and its time is not over. */
  knowsBrowser(name: string): Promise<boolean>
}

/** How many names of one bucket have a counter of their own. A group has 256 buckets. */
export const MAX_COUNTERS = 12
/** The field of the counter that further names of a bucket share. */
export const SHARED = '*'

const BUCKET_DIGITS = 2
const FIELD_DIGITS = 16

/** Where the counter of a name is. */
export function placeOf(group: FailureGroup, name: string): { bucket: string; field: string } {
  return {
    bucket: `${group}:${name.slice(0, BUCKET_DIGITS)}`,
    field: name.slice(BUCKET_DIGITS, BUCKET_DIGITS + FIELD_DIGITS),
  }
}
