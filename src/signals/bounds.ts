const DAY = 86_400

/** How long what was not delivered is kept, in seconds, and how much of it for a receiver. */
export const OUTBOX = { ttl: 7 * DAY, max: 1000 } as const

/** A stream ends if its receiver asks nothing, polls nothing and takes nothing for so long; in seconds. */
export const INACTIVITY_TIMEOUT = 365 * DAY

/** Seconds between two verifications that a receiver asks for (SSF 1.0, `min_verification_interval`). */
export const MIN_VERIFICATION_INTERVAL = 60

/** How many people a receiver may have taken off its stream. */
export const MAX_MUTED = 10_000

/** For how many milliseconds it counts that somebody is not to be told of. */
export const MUTED_FOR = 2 * 365 * DAY * 1000

/** After how many failures in a row a receiver is not asked any more. */
export const MAX_FAILURES = 20
