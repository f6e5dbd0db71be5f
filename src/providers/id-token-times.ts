import { DAY, isTimeWithin, isTimeWithinOrAbsent } from '../core/stated-time.ts'

/** By how many seconds the clock of a provider may be off. */
export const CLOCK_TOLERANCE = 60
/** How long ago an id_token that comes at this moment may have been made, in seconds. */
const LONGEST_WAY = 3600
/** How long one may be valid, in seconds: some services let their customers choose up to 30 days. */
const LONGEST = 31 * DAY

type Claims = Readonly<Record<string, unknown>>

/**
 * Returns which time in an id_token cannot be (OpenID Connect Core §2 and §3.1.3.7), as a code for the log; undefined: none.
 * @param now seconds since 1970
 */
export function idTokenTimeFault({ iat, exp, nbf, auth_time }: Claims, now: number): string | undefined {
  const latest = now + CLOCK_TOLERANCE
  if (!isTimeWithin(iat, { from: now - LONGEST_WAY, to: latest })) return 'WRONG_IAT'
  if (!isTimeWithin(exp, { from: now - CLOCK_TOLERANCE, to: now + LONGEST })) return 'WRONG_EXP'
  if (!isTimeWithinOrAbsent(nbf, { from: 0, to: latest })) return 'WRONG_NBF'
  return isTimeWithinOrAbsent(auth_time, { from: 0, to: latest }) ? undefined : 'WRONG_AUTH_TIME'
}

/**
 * Returns when an id_token, whose times can be, says that the person signed in, in seconds since 1970; undefined: it
 * does not.
 */
export function authTimeOf({ auth_time }: Claims): number | undefined {
  return typeof auth_time === 'number' ? Math.floor(auth_time) : undefined
}
