import { parseObject } from '../core/json.ts'
import { type ChallengeContext, type OpenVisit, openVisit, type Visit } from './visit.ts'

/** The name of the sign-in method. */
export const LOGIN = 'login'

/** The method of a sign-in, if the application does not say it. */
export const UNSAID = 'ext'

/** The acr of a sign-in at the application, and of one with a second step there. */
export const ACRS = ['1', '2'] as const

/** The parameter in which the browser brings back a verifier. */
export const LOGIN_VERIFIER = 'login_verifier'

/** What is kept of a visit to the sign-in page of an application. */
export interface LoginVisit extends Visit {
  /** The acr values of which the client wants one; empty: any. */
  readonly acr_values: readonly string[]
  /** Somebody is signed in, and is to show anew who it is, or somebody else is. */
  readonly is_again: boolean
}

/** Reads the challenge of a sign-in, as openVisit. @throws StorageUnavailable, as Sealer.open */
export function openChallenge(context: ChallengeContext, text: string): OpenVisit<LoginVisit> | undefined {
  return openVisit(context, LOGIN, text)
}

/** How a person signed in at the application. */
export interface Means {
  readonly amr: readonly string[]
  readonly acr: string
}

/** Writes the means as the value of a verifier. */
export const formatMeans = ({ amr, acr }: Means): string => JSON.stringify({ amr, acr })

/** Reads the means in evidence; those of evidence for something else fit no visit. */
export function readMeans(value: string): Means {
  const { amr = [], acr = '' } = (parseObject(value) ?? {}) as Partial<Means>
  return { amr, acr }
}
