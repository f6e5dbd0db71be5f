/** A user, and when the user signed in last; absent: never, as far as is known. Milliseconds since 1970. */
export interface LastSignIn {
  readonly username: string
  readonly signed_in_at?: number
}

/**
 * When each user signed in last, and of one who never did, since when the user is known. `rememberBrowser` of Counters
 * notes a sign-in. Calls throw StorageUnavailable.
 */
export interface SignIns {
  /** Notes users who may never have signed in, as known from now on. Those that are known already stay as they are. */
  add(usernames: readonly string[]): Promise<void>
  /** Forgets users. */
  forget(usernames: readonly string[]): Promise<void>
  /** Returns when each of the users signed in last. */
  of(usernames: readonly string[]): Promise<LastSignIn[]>
  /**
   * The users who did not sign in since a time, and are known since then. One who signs in meanwhile may be missing or not;
   * no other is missing or repeated.
   */
  inactiveSince(time: number): AsyncIterable<LastSignIn>
}

/** The score of a user in a sorted set: a user who never signed in has that of the time, below zero. */
export const neverSignedIn = (known_since: number): number => -known_since

/** Reads a score; null: the user is not known. */
export function lastSignIn(username: string, score: number | null | undefined): LastSignIn {
  return typeof score === 'number' && score > 0 ? { username, signed_in_at: score } : { username }
}
