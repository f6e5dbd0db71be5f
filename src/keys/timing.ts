// How the times of the key ring fit together; all in seconds.

import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'

/** How often a replica reads the ring. */
export const RELOAD_INTERVAL = 30

/** A replica that could not read the ring for this long neither signs nor verifies nor publishes. */
export const STALE_AFTER = 300

/** How long a client may cache the key set. */
export const JWKS_MAX_AGE = 300

/** By how much the clocks of two replicas may differ. */
export const CLOCK_SKEW = 60

/**
 * How long a key is published before it may sign. Longer than STALE_AFTER + JWKS_MAX_AGE + CLOCK_SKEW: when
 * it signs first, every replica that still publishes has it, and no honest cache is without it.
 */
export const PUBLISH_LEAD = 3600

/**
 * How long a key stays published once another one signs: until the longest token that it can have signed has expired.
 * A replica that has not read the ring since then may sign with it until STALE_AFTER.
 */
export const RETIRED_FOR = MAX_SIGNED_TOKEN_TTL + STALE_AFTER + CLOCK_SKEW
