/** How the times of the key ring fit together; all in seconds. */

/** How often a replica reads the ring. */
export const RELOAD_INTERVAL = 30

/** A replica that could not read the ring for this long neither signs nor verifies nor publishes. */
export const STALE_AFTER = 300

/** How long the key set may be cached by whoever fetches it. */
export const JWKS_MAX_AGE = 300

/** What the clocks of two replicas may differ by. */
export const CLOCK_SKEW = 60

/**
 * How long a key is published before it may sign. Longer than STALE_AFTER + JWKS_MAX_AGE + CLOCK_SKEW: when
 * it signs first, every replica that still publishes has it, and no honest cache is without it.
 */
export const PUBLISH_LEAD = 3600
