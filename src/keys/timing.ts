// The times of the key ring, all in seconds.

import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'

/** How often a replica reads the keys. */
export const RELOAD_INTERVAL = 30

/** A replica that could not read the keys for this long does not sign, verify or publish. */
export const STALE_AFTER = 300

/** How long a client may cache the key set. */
export const JWKS_MAX_AGE = 300

/**
 * How long a key is published before it may sign. Longer than STALE_AFTER + JWKS_MAX_AGE + CLOCK_SKEW, so that every
 * replica that publishes and every correct cache has it before its first signature.
 */
export const PUBLISH_LEAD = 3600

/**
 * How long a retired key is published: until every token that it can have signed has expired. A replica that cannot
 * read the keys may sign with it for another STALE_AFTER.
 */
export const RETIRED_FOR = MAX_SIGNED_TOKEN_TTL + STALE_AFTER + CLOCK_SKEW

/** How long a sealing key is used before the next one replaces it. */
export const SEALING_KEY_AGE = 30 * 86_400

/** How long a sealed value can be used: the cookie of a browser. No pending request lives longer. */
export const SEALED_FOR = 90 * 86_400
