import { CLOCK_SKEW } from '../core/clock-skew.ts'

/**
 * How long a nonce is the current one, in seconds. It is accepted for as long again, and from a replica whose clock is
 * ahead by so much.
 */
export const NONCE_PERIOD = CLOCK_SKEW

/** A nonce that is accepted. Times are by the clock of this server. */
export interface AcceptedNonce {
  /** How many seconds ago it was made at most. */
  readonly age: number
  /** Until when it is accepted, in seconds since 1970. */
  readonly ends_at: number
  /** Whether there is another one for the next proof. */
  readonly is_old: boolean
}

/** The nonces that proofs have (RFC 9449 §8 and §9). */
export interface NonceRules {
  /** Whether a proof needs one. */
  readonly required: boolean
  /** Returns the nonce for the next proof. */
  current(): string
  /** Returns what is known of a nonce; undefined: it is refused. */
  judge(nonce: string): AcceptedNonce | undefined
}

/** Returns the number of the period in which nonces are made at a time in milliseconds since 1970. */
export function noncePeriod(now: number): number {
  return Math.floor(now / 1000 / NONCE_PERIOD)
}

/** Returns what is known of a nonce that was made in a period; undefined: it is refused. `now` as for noncePeriod. */
export function judgePeriod(period: number, now: number): AcceptedNonce | undefined {
  const periods = noncePeriod(now) - period
  if (!(Math.abs(periods) <= 1)) return undefined
  const age = Math.max(0, now / 1000 - period * NONCE_PERIOD)
  return { age, ends_at: (period + 2) * NONCE_PERIOD, is_old: periods === 1 }
}
