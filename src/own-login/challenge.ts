import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { parseObject } from '../core/json.ts'
import { isTimeWithin } from '../core/stated-time.ts'
import { type OpenVisit, type OwnChallengeContext, type OwnVisit, openVisit } from './visit.ts'

/** The name of the sign-in method. */
export const LOGIN = 'login'

/** The method of a sign-in, if the application does not say it. */
export const UNSAID = 'ext'

/** The acr of a sign-in at the application, and of one with a second step there. */
export const ACRS = ['1', '2'] as const

/** The parameter in which the browser brings back a verifier. */
export const LOGIN_VERIFIER = 'login_verifier'

/** What is kept of a visit to the sign-in page of an application. */
export interface LoginVisit extends OwnVisit {
  /** The acr values of which the client wants one; empty: any. */
  readonly acr_values: readonly string[]
  /** As in `SignInRound`. */
  readonly is_again: boolean
  readonly max_age?: number
  /** When the browser left, in milliseconds since 1970. */
  readonly left_at: number
}

/** Reads the challenge of a sign-in, as openVisit. @throws StorageUnavailable, as Sealer.open */
export function openChallenge(context: OwnChallengeContext, text: string): OpenVisit<LoginVisit> | undefined {
  return openVisit(context, LOGIN, text)
}

/** How a person signed in at the application. */
export interface Means {
  readonly amr: readonly string[]
  readonly acr: string
  /** As in `Success`. */
  readonly auth_time: number
}

/** What only a stronger sign-in than one with the acr 1 has (RFC 8176 §2). */
const STRONG = ['mfa', 'mca', 'hwk', 'swk', 'phr', 'phrh']

/** Returns which of the methods claims more than the acr; undefined: none. */
export const claimsMore = ({ amr, acr }: Pick<Means, 'amr' | 'acr'>): string | undefined =>
  acr === '1' ? amr.find((method) => STRONG.includes(method)) : undefined

/**
 * Returns why the time of a sign-in at the application does not count, as text that completes "auth_time …"; undefined if
 * it does.
 * @param now milliseconds since 1970
 */
export function authTimeProblem(
  auth_time: number,
  { max_age, left_at }: Pick<LoginVisit, 'max_age' | 'left_at'>,
  now: number,
): string | undefined {
  if (!isTimeWithin(auth_time, { from: 0, to: now / 1000 + CLOCK_SKEW }))
    return 'must be when the person signed in, in seconds since 1970, and not in the future'
  if (max_age === undefined) return undefined
  const since = Math.min(left_at / 1000, max_age === 0 ? left_at / 1000 : now / 1000 - max_age) - CLOCK_SKEW
  return auth_time < since ? 'is too long ago: is_again says that the person has to sign in again' : undefined
}

/** Writes the means as the value of a verifier. */
export const formatMeans = ({ amr, acr, auth_time }: Means): string => JSON.stringify({ amr, acr, auth_time })

/** Reads the means in evidence; those of evidence for something else fit no visit. */
export function readMeans(value: string): Means {
  const { amr = [], acr = '', auth_time = 0 } = (parseObject(value) ?? {}) as Partial<Means>
  return { amr, acr, auth_time }
}
