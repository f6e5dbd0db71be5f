import type { Transaction } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import { type PendingRecord, requestName } from '../interaction/pending-record.ts'
import { readPending } from '../interaction/pending-request.ts'
import type { Sealer } from '../keys/sealer.ts'
import type { Evidence } from '../storage/evidence.ts'

/** The name of the sign-in method. */
export const LOGIN = 'login'

/** What `refuse` sends the browser back with (RFC 6749 §4.1.2.1). */
export const REFUSED = 'access_denied'

/** The method of a sign-in, if the application does not say it. */
export const UNSAID = 'ext'

/** The acr of a sign-in at the application, and of one with a second step there. */
export const ACRS = ['1', '2'] as const

/** What is kept of a visit to the application until the browser comes back. */
export interface Visit {
  /** Random. */
  readonly id: string
  /** The acr values of which the client wants one; empty: any. */
  readonly acr_values: readonly string[]
  /** Somebody is signed in, and is to show anew who it is, or somebody else is. */
  readonly is_again: boolean
}

/** A visit that waits for the application, and the request that waits for it. */
export interface OpenVisit {
  readonly visit: Visit
  readonly pending: PendingRecord
}

/** What it takes to read challenges. */
export interface ChallengeContext {
  readonly sealer: Pick<Sealer, 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Returns what the method keeps of a visit. */
export const formatVisit = (visit: Visit): string => JSON.stringify(visit)

/** Reads it; undefined: it is of something else. */
export function readVisit(challenge: string): Visit | undefined {
  const found = parseObject(challenge) as Partial<Visit> | undefined
  return typeof found?.id === 'string' ? (found as Visit) : undefined
}

/**
 * Reads a challenge, which is the `state` of the visit: the request that waits, sealed, and a proof of the browser, which
 * counts when the browser comes back. Nothing is stored for it. Undefined: it is over, or none.
 * @throws StorageUnavailable, as Sealer.open
 */
export function openChallenge(context: ChallengeContext, challenge: string): OpenVisit | undefined {
  const end = challenge.lastIndexOf('.')
  const pending = end === -1 ? undefined : readPending(context, challenge.slice(0, end) as Transaction)
  const { round } = pending ?? {}
  // A request that waits on a page of redmint is none.
  if (pending === undefined || round?.from !== 'site' || round.method !== LOGIN) return undefined
  const visit = readVisit(round.challenge)
  return visit && { visit, pending }
}

/** How a person signed in at the application. */
export interface Means {
  readonly amr: readonly string[]
  readonly acr: string
}

/** What a verifier proves: for one visit of one request, which belongs to one browser. */
export function verifierEvidence(
  visit: Visit,
  request: string,
  { amr, acr }: Means,
  account_state: string,
): Evidence {
  return {
    purpose: 'own_login',
    step: visit.id,
    browser: request,
    value: JSON.stringify({ amr, acr }),
    account_state,
  }
}

/** Reads the means in evidence; those of evidence for something else fit no visit. */
export function readMeans(value: string): Means {
  const { amr = [], acr = '' } = (parseObject(value) ?? {}) as Partial<Means>
  return { amr, acr }
}

/** The name of the request, which leads to no request. */
export const requestOf = ({ pending }: OpenVisit): string => requestName(pending)
