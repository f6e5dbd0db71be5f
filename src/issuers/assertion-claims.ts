import { type JwtRefusal, refusedFor, textsOf, timesOf } from '../core/jwt-refusal.ts'
import { statedTimeFault } from '../core/stated-time.ts'
import type { AssertionClaims } from './conditions.ts'
import type { Issuer } from './issuer-record.ts'

/** What the claims of an assertion must be, besides what its issuer's record says. */
export interface ExpectedAssertion {
  /** The issuer of this server. */
  readonly own_issuer: string
  /** Assertions that were issued before this time are refused, in seconds since 1970; 0: none. */
  readonly not_before: number
  /** Milliseconds since 1970. */
  readonly now: number
}

const MAX_TEXT = 1024

/** Returns why the claims of an assertion are invalid (RFC 7523 §3); undefined if they are valid. */
export function assertionProblem(
  claims: AssertionClaims,
  issuer: Issuer,
  { own_issuer, not_before, now }: ExpectedAssertion,
): JwtRefusal | undefined {
  const { sub, aud, jti, iat } = claims
  if (!isText(sub)) return refusedFor('claims', 'without a sub')
  // One value and nothing else: an assertion for two servers could be presented by the first one to the second.
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (audience !== (issuer.audience ?? own_issuer)) {
    return {
      fault: 'claims',
      text: 'for another audience, or for several',
      received: textsOf(claims, ['aud']),
      expected: { aud: issuer.audience ?? own_issuer },
    }
  }
  const time = timeProblem(claims, issuer, Math.floor(now / 1000), 'the max_lifetime of its issuer, ')
  if (time !== undefined) return time
  if (issuer.reusable) return undefined
  if (!isText(jti)) return refusedFor('claims', 'without a jti')
  const since = iat === undefined ? Number.NaN : Number(iat) - issuer.clock_skew
  return mayBeFromBefore(since, not_before)
}

/**
 * Refuses what may have been used before the restore mark: a restore can lose the ids of what was used.
 * @param since before when it cannot have been used, in seconds since 1970; NaN: nothing says it
 */
export const mayBeFromBefore = (since: number, not_before: number): JwtRefusal | undefined =>
  not_before > 0 && !(since >= not_before) ? refusedFor('clock', 'from before the restore mark') : undefined

/**
 * Returns why an assertion is not valid at `now`, in seconds since 1970; undefined if it is (RFC 7523 §3).
 * @param whose whose limit the lifetime is, as text before the limit
 */
export function timeProblem(
  claims: AssertionClaims,
  limits: Pick<Issuer, 'max_lifetime' | 'clock_skew'>,
  now: number,
  whose = '',
): JwtRefusal | undefined {
  const text = timeFault(claims, limits, now, whose)
  if (text === undefined) return undefined
  const { max_lifetime, clock_skew } = limits
  return { fault: 'clock', text, received: timesOf(claims), expected: { now, clock_skew, max_lifetime } }
}

function timeFault(
  { exp, nbf, iat }: AssertionClaims,
  { max_lifetime, clock_skew }: Pick<Issuer, 'max_lifetime' | 'clock_skew'>,
  now: number,
  whose: string,
): string | undefined {
  const [oldest, newest] = [now - clock_skew - max_lifetime, now + clock_skew]
  const end = statedTimeFault(exp, { from: now - clock_skew, to: newest + max_lifetime })
  // An assertion may count from a time on that is long past.
  const start = nbf === undefined ? undefined : statedTimeFault(nbf, { from: 0, to: newest })
  const made = iat === undefined ? undefined : statedTimeFault(iat, { from: oldest, to: newest })
  if (end === 'malformed') return 'without an exp'
  if (start === 'malformed' || made === 'malformed') return 'with a time that is not a number'
  if (end === 'early' || exp === now - clock_skew) return 'expired'
  if (start === 'late') return 'not valid yet'
  if (made === 'late') return 'issued in the future'
  const is_long = end === 'late' || made === 'early' || Number(exp) - Number(iat ?? exp) > max_lifetime
  if (is_long) return `valid for longer than ${whose}${max_lifetime} seconds`
  return start === 'early' ? 'with a time that is not a number of seconds since 1970' : undefined
}

/** Whether a claim is a text of a sensible length. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
